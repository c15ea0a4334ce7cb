/** The state of a message, in one word. */
import type { LoggedMessage } from '../../client/index.ts';
import { t } from './texts.ts';

const marks: Record<string, string> = {
  stopped: 'mark-bad',
  refused: 'mark-bad',
  unavailable: 'mark-bad',
  failed: 'mark-bad',
  unknown: 'mark-warn',
  expired: 'mark-warn',
  accepted: 'mark-plain',
  delivered: 'mark-plain',
};

export function StateMark({ message: { outcome } }: { message: LoggedMessage }) {
  const name = (t.messages.states as Record<string, string>)[outcome] ?? outcome;
  return <span class={`state-mark ${marks[outcome] ?? ''}`}>{name}</span>;
}

/** The purpose and the state of the confirmation that the code is for; null if it is for none. */
export function confirmationText({ confirmation }: LoggedMessage): string | null {
  if (!confirmation) return null;
  const { purpose, state } = confirmation;
  return `${purpose}: ${(t.messages.confirmationStates as Record<string, string>)[state] ?? state}`;
}
