/** Addresses of views: `#messages/17-3`, `#messages?state=failed`. */

export type Filter = Readonly<Record<string, string>>;

export function hrefOf(
  view: string,
  part: string | number = '',
  filter: Record<string, string | undefined> = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value);
  return `#${view}${part === '' ? '' : `/${encodeURIComponent(part)}`}${query.size > 0 ? `?${query}` : ''}`;
}

/** The members of a filter that a view knows. Anybody can write an address; the service checks the values. */
export function pickFilter(filter: Filter, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])));
}
