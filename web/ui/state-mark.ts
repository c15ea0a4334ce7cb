/** The class of a state in one word: see state-mark.css. */
export function stateMark(kind: 'good' | 'warn' | 'bad' | ''): string {
  return kind === '' ? 'state-mark' : `state-mark is-${kind}`;
}
