/** What becomes of a row that comes in, given the row that stands. */
import { sameAmount } from './amount.ts';
import { fold, words, type Transaction } from './transaction.ts';

export type RecordResult = 'created' | 'duplicate' | 'updated' | 'conflict';

const finalStatuses = new Set(['accepted', 'rejected', 'reversed', 'cancelled']);

export function decide(standing: Transaction | undefined, incoming: Transaction): RecordResult {
  if (!standing) return 'created';
  const moneyChanged =
    !sameAmount(standing.amount, incoming.amount) ||
    standing.currency !== incoming.currency ||
    standing.timeStamp !== incoming.timeStamp;
  const wordsChanged = words.some((word) => standing[word] !== incoming[word]);
  if (!moneyChanged && !wordsChanged) return 'duplicate';
  const status = fold(standing.transactionStatus);
  // Only a pending row may still change its money: cards clear at other amounts.
  if (moneyChanged && status !== 'pending') return 'conflict';
  // What is settled does not become pending again, however late the news of that comes.
  if (finalStatuses.has(status) && fold(incoming.transactionStatus) === 'pending') return 'duplicate';
  return 'updated';
}

export interface BatchPlan {
  results: RecordPlanResult[];
  created: Transaction[];
  /** The last state of each row that changed, with the state that stood before the batch. */
  updated: { from: Transaction; to: Transaction }[];
  /** Every state that was replaced, oldest first. */
  replaced: Transaction[];
}

export type RecordPlanResult = RecordResult | 'unknown-individual';

export function keyOf({ individualId, transactionId }: Pick<Transaction, 'individualId' | 'transactionId'>): string {
  return `${individualId} ${transactionId}`;
}

/** Rows of one key apply in order: each meets what the one before it left. */
export function planBatch(
  rows: readonly Transaction[],
  isKnown: (individualId: number) => boolean,
  standing: ReadonlyMap<string, Transaction>,
): BatchPlan {
  const current = new Map(standing);
  const createdKeys = new Map<string, Transaction>();
  const updatedKeys = new Map<string, Transaction>();
  const replaced: Transaction[] = [];
  const results = rows.map((row): RecordPlanResult => {
    if (!isKnown(row.individualId)) return 'unknown-individual';
    const key = keyOf(row);
    const before = current.get(key);
    const result = decide(before, row);
    if (result === 'created') createdKeys.set(key, row);
    if (result === 'updated') {
      replaced.push(before!);
      if (createdKeys.has(key)) createdKeys.set(key, row);
      else updatedKeys.set(key, row);
    }
    if (result === 'created' || result === 'updated') current.set(key, row);
    return result;
  });
  return {
    results,
    created: [...createdKeys.values()],
    updated: [...updatedKeys].map(([key, to]) => ({ from: standing.get(key)!, to })),
    replaced,
  };
}
