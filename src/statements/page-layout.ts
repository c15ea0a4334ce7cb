/** The positions and styles that all documents share, and the rows of their tables. */
import type { Box, Style, Typesetter } from './typesetter.ts';

export const left = 48;
export const width = 499;
export const top = 56;
export const bottom = 770;
export const lineHeight = 12;
export const rowGap = 7;
export const grey = '#5c5c5c';
const ruleColor = '#c8c8c8';
const bandColor = '#f2f2f2';
export const headingStyle: Style = { weight: 'bold' };
export const noteStyle: Style = { size: 7.5, color: grey };
export const brandStyle: Style = { weight: 'bold', size: 11, color: grey };

export type Structure = ReturnType<PDFKit.PDFDocument['struct']>;

/** A piece of a line, and its place. */
export interface Span {
  text: string;
  style: Style;
  box: Box;
}

/** Each line has its pieces in the order in which they are read. */
export type Cell = Span[][];

/** A cell with a text that is broken into lines if it is too long. */
export function cellOf(type: Typesetter, box: Box, text: string, style: Style = {}): Cell {
  return type.breakLines(text, box.width, style).map((line) => [{ text: line, style, box }]);
}

/** A cell with one line, in smaller letters if they would not fit. For amounts and dates, which must not be cut. */
export function fittedCell(type: Typesetter, box: Box, text: string, style: Style = {}): Cell {
  return text === '' ? [] : [[{ text, box, style: type.fit(text, box.width, style) }]];
}

export interface TableRow {
  table: Structure;
  /** The kind of each cell: a header or a value. */
  kinds: ('TH' | 'TD')[];
  cells: readonly Cell[];
  y: number;
  /** Whether the row stands out from the others. */
  isBand?: boolean;
}

/** Returns the position of the next row. */
export function drawTableRow(type: Typesetter, { table, kinds, cells, y, isBand }: TableRow): number {
  const { document } = type;
  const next = y + heightOf(cells);
  const ruleAt = next - rowGap / 2 - 1;
  if (isBand) type.drawBand(y - rowGap / 2 - 1, left, width, ruleAt - y + rowGap / 2 + 1, bandColor);
  const row = document.struct('TR');
  table.add(row);
  cells.forEach((lines, index) => {
    const cell = document.struct(kinds[index] ?? kinds.at(-1)!, {}, () => {
      lines.forEach((spans, line) => {
        for (const { text, box, style } of spans) type.drawLine(text, box, y + line * lineHeight, style);
      });
    });
    row.add(cell);
  });
  row.end();
  type.drawRule(ruleAt, left, width, ruleColor);
  return next;
}

export function heightOf(cells: readonly Cell[]): number {
  return Math.max(1, ...cells.map((lines) => lines.length)) * lineHeight + rowGap;
}

/** `Page {page} of {pages}`, with the figures. */
export function numberPage(template: string, page: number, pages: number): string {
  return template.replace('{page}', String(page)).replace('{pages}', String(pages));
}

/** Below the text of a page. */
export function drawFooter(type: Typesetter, name: string, page: string): void {
  const y = bottom + 24;
  const pageWidth = type.widthOf(page, noteStyle);
  const nameWidth = width - pageWidth - 12;
  type.asArtifact(() => {
    type.drawLine(type.shorten(name, nameWidth, noteStyle), { x: left, width: nameWidth }, y, noteStyle);
    type.drawLine(page, { x: left + width - pageWidth, width: pageWidth }, y, noteStyle);
  });
}
