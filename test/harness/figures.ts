/** What a test has measured on its way, for bench/availability.js, which runs it and reports it. */
import { appendFileSync } from 'node:fs';

export function noteFigures(name: string, figures: Record<string, number>): void {
  const file = process.env.FIGURES_FILE;
  if (file) appendFileSync(file, `${JSON.stringify({ name, ...figures })}\n`);
}
