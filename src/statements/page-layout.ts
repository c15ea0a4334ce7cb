/** The positions and styles that all documents share, and the rows of their tables. */
import type { Box, Style, Typesetter } from './typesetter.ts';

export const left = 48;
export const width = 499;
export const top = 56;
export const bottom = 770;
export const lineHeight = 12;
export const rowGap = 6;
export const grey = '#5c5c5c';
const ruleColor = '#c8c8c8';
export const headingStyle: Style = { weight: 'bold' };
export const noteStyle: Style = { size: 7.5, color: grey };

export type Structure = ReturnType<PDFKit.PDFDocument['struct']>;

export interface Cell {
  box: Box;
  lines: { text: string; style: Style }[];
}

/** A cell with texts that are broken into lines if they are too long. */
export function cellOf(type: Typesetter, box: Box, ...texts: [text: string, style: Style][]): Cell {
  const lines = texts.flatMap(([text, style]) =>
    type.breakLines(text, box.width, style).map((line) => ({ text: line, style })),
  );
  return { box, lines };
}

export interface TableRow {
  table: Structure;
  /** The kind of each cell: a header or a value. */
  kinds: ('TH' | 'TD')[];
  cells: readonly Cell[];
  y: number;
}

/** Returns the position of the next row. */
export function drawTableRow(type: Typesetter, { table, kinds, cells, y }: TableRow): number {
  const { document } = type;
  const row = document.struct('TR');
  table.add(row);
  cells.forEach(({ box, lines }, index) => {
    const cell = document.struct(kinds[index] ?? kinds.at(-1)!, {}, () => {
      lines.forEach(({ text, style }, line) => type.drawLine(text, box, y + line * lineHeight, style));
    });
    row.add(cell);
  });
  row.end();
  const next = y + heightOf(cells);
  type.drawRule(next - rowGap / 2 - 1, left, width, ruleColor);
  return next;
}

export function heightOf(cells: readonly Cell[]): number {
  return Math.max(1, ...cells.map(({ lines }) => lines.length)) * lineHeight + rowGap;
}
