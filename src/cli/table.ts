/** Prints rows under their headings, in columns as wide as they need. */
export function table(rows: (string | number | null)[][]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => String(cell ?? '').padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}
