/** Style sheets for the elements in other people's pages. */
import reset from './shadow-reset.css?inline';
import theme from '../ui/theme.css?inline';

/**
 * The values of the palette, which the host page may replace: `--accent` is its `--ledgerline-accent` if it has set one, here
 * or on any element around. Important, so that a host page with an `--accent` of its own changes nothing.
 */
function withOwnValues(palette: string): string {
  return palette
    .replaceAll(/(?<=[{;]\s*)--([\w-]+):\s*([^;}]+)/g, '--$1: var(--ledgerline-$1, $2) !important')
    .replace(/(?<=[{;]\s*)font-family:\s*([^;}]+)/, 'font-family: var(--ledgerline-font, $1)');
}

/**
 * The reset, the theme and the element's own rules. A rem depends on the root of the host page, which may be set to
 * 62.5 %. So lengths in rem become multiples of `--rem`, which is the text size that the viewer chose.
 */
export function styleSheetOf(css: string, remPixels: number): CSSStyleSheet {
  const palette = /:root\s*\{[^}]*\}/;
  const shared = theme.replace(palette, withOwnValues).replaceAll(':root', ':host');
  const rules = `${reset}${shared}${css}:host { --rem: ${remPixels}px; }`;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules.replace(/(?<![\w.])(-?(?:\d*\.)?\d+)rem\b/g, 'calc($1 * var(--rem))'));
  return sheet;
}

/** The text size that the viewer chose in the browser, even if the host page has changed it. */
export function remPixelsOf(root: ShadowRoot): number {
  const probe = document.createElement('span');
  probe.style.fontSize = 'medium';
  root.append(probe);
  const pixels = Number.parseFloat(getComputedStyle(probe).fontSize) || 16;
  probe.remove();
  return pixels;
}
