/** How rows of a status look. */
import type { Transaction } from '../../../client/index.ts';

/** How a status looks. One that the screen does not know is neither good nor bad. */
export function statusKindOf({ transactionStatus }: Transaction): 'good' | 'warn' | 'bad' | '' {
  const status = transactionStatus.toLowerCase();
  if (status === 'accepted') return 'good';
  if (status === 'pending') return 'warn';
  return ['rejected', 'cancelled', 'reversed'].includes(status) ? 'bad' : '';
}

/** Whether the sums leave it out, because no money moved. */
export function isVoid({ transactionStatus }: Transaction): boolean {
  return ['rejected', 'cancelled'].includes(transactionStatus.toLowerCase());
}
