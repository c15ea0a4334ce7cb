/** Writes CSV (RFC 4180) that a spreadsheet can open without running anything. */

/** A cell that starts with one of these is a formula to a spreadsheet; some take the full-width and small signs too. */
const formulaSigns = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B';
const hasFormulaSign = new RegExp(`[${formulaSigns}\t\r\n]`);

/**
 * Where a cell may start: at the start of the text, and after everything at which a spreadsheet may split a line. Excel
 * splits at semicolons in many countries, whatever the file means, and looks at quotes only where a cell starts. White
 * space and quotes before the sign may be dropped.
 */
const formulaStart = new RegExp(
  // The sign is looked for first: a long run of white space is then read once, and not again from each of its places.
  `(?=[${formulaSigns}])(?<=(?:^|[,;|\\t\\v\\f\\r\\n\\u0085\\u2028\\u2029])["\\s]*)`,
  'g',
);

/** The text with an apostrophe before everything that could start a formula: a spreadsheet then takes it as text. */
export function withoutFormulas(text: string): string {
  if (!hasFormulaSign.test(text)) return text;
  const safe = text.replace(formulaStart, "'");
  // Some spreadsheets split a cell that starts with a tab or a line break, or drop its start.
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe;
}

/** A record with its end. */
export function writeCsvRecord(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
