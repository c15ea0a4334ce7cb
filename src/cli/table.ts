import { printable } from '../formats/printable.ts';

/** Prints rows under their headings, in columns as wide as they need. */
export function table(rows: (string | number | null)[][]): void {
  const lines = rows.map((row) => row.map((cell) => printable(String(cell ?? ''))));
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  for (const cells of lines) {
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}
