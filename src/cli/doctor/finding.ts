/** What a check found: one line, with the cause and what to do. */
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

const marks = { ok: '✓', warning: '!', problem: '✗' };

export function describeFinding({ check, level, text, cure }: Finding): string {
  return `${marks[level]} ${check}: ${text}${cure ? ` ${cure}` : ''}`;
}
