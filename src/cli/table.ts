import { printable } from '../formats/printable.ts';

type Cell = string | number | Date | null;

type CellName<Row> = { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row];

/** By heading: the member of a row that is shown, or a function that makes the cell. */
type Columns<Row> = Record<string, CellName<Row> | ((row: Row) => Cell)>;

/** Prints rows under their headings, in columns as wide as they need. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): void {
  const cellsOf = (row: Row) =>
    Object.values(columns).map((column) => textOf(typeof column === 'function' ? column(row) : (row[column] as Cell)));
  const lines = [Object.keys(columns), ...rows.map(cellsOf)];
  const widths = Object.keys(columns).map((_, place) => Math.max(...lines.map((cells) => cells[place]!.length)));
  for (const cells of lines) {
    console.log(
      cells
        .map((cell, place) => cell.padEnd(widths[place]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

function textOf(cell: Cell): string {
  return printable(cell instanceof Date ? cell.toISOString() : String(cell ?? ''));
}
