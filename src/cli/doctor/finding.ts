/** What a check found: one line, with the cause and what to do. */
import { ConfigError } from '../../config/load.ts';
import { StartError } from '../../errors.ts';

export interface Finding {
  check: string;
  level: 'ok' | 'warning' | 'problem';
  /** What was found. */
  text: string;
  /** What to do about it. */
  cure?: string;
}

export const okFinding = (check: string, text: string): Finding => ({ check, level: 'ok', text });
export const warningFinding = (check: string, text: string, cure: string): Finding => ({
  check,
  level: 'warning',
  text,
  cure,
});
export const problemFinding = (check: string, text: string, cure: string): Finding => ({
  check,
  level: 'problem',
  text,
  cure,
});

/** What a check found, or the problem because of which it threw what a start would throw. */
export async function findingOf(check: string, cure: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof StartError || error instanceof ConfigError)) throw error;
    return problemFinding(check, error.message, cure);
  }
}

const marks = { ok: '✓', warning: '!', problem: '✗' };

export function describeFinding({ check, level, text, cure }: Finding): string {
  return `${marks[level]} ${check}: ${text}${cure ? ` ${cure}` : ''}`;
}
