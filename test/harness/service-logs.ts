/** What the services of a file have logged as wrong during a test: the report of one that fails shows it. */

/** The lines of each service, and how many there were when the test began. */
const logs = new Map<string[], number>();

export function followLog(lines: string[]): void {
  logs.set(lines, 0);
}

export function beginTest(): void {
  for (const lines of logs.keys()) logs.set(lines, lines.length);
}

export function forgetLogs(): void {
  logs.clear();
}

const maxLines = 20;

/** The last of the lines that are no ordinary ones. */
export function readWarnings(): string {
  const added = [...logs].flatMap(([lines, before]) => lines.slice(before));
  const warnings = added.filter((line) => !/"level":"(debug|info)"/.test(line));
  return warnings.slice(-maxLines).join('');
}
