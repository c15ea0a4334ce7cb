/** The widths at which the layout changes. tokens.css names them too. */
export const breakpoints = { phone: '30rem', narrow: '44rem', wide: '70rem' } as const;

export function isUpTo(width: keyof typeof breakpoints): boolean {
  return matchMedia(`(max-width: ${breakpoints[width]})`).matches;
}
