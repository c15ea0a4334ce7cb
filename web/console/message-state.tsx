/** The state of a message, in one word. */
import type { LoggedMessage } from '../../client/index.ts';
import { stateMark } from '../ui/state-mark.ts';
import { t } from './texts.ts';

const kinds: Record<string, 'good' | 'warn' | 'bad' | ''> = {
  stopped: 'bad',
  refused: 'bad',
  unavailable: 'bad',
  failed: 'bad',
  unknown: 'warn',
  expired: 'warn',
  accepted: '',
  delivered: '',
};

export function StateMark({ message: { outcome } }: { message: LoggedMessage }) {
  const name = (t.messages.states as Record<string, string>)[outcome] ?? outcome;
  return <span class={stateMark(kinds[outcome] ?? 'good')}>{name}</span>;
}

/** The purpose and the state of the confirmation that the code is for; null if it is for none. */
export function confirmationText({ confirmation }: LoggedMessage): string | null {
  if (!confirmation) return null;
  const { purpose, state } = confirmation;
  return `${purpose}: ${(t.messages.confirmationStates as Record<string, string>)[state] ?? state}`;
}
