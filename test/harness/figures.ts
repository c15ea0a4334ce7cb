/** What a test has measured on its way, for bench/availability.js, which runs it and reports it. */
import { appendFileSync } from 'node:fs';

const file = process.env.FIGURES_FILE;

/** Whether a test runs to measure: at full length, then. */
export const isMeasured = file !== undefined;

export function noteFigures(name: string, figures: Record<string, number>): void {
  if (file) appendFileSync(file, `${JSON.stringify({ name, ...figures })}\n`);
}
