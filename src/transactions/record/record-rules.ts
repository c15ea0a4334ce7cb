/** Decides what to do with an incoming row, given the stored row. */
import { sameAmount } from '../amount.ts';
import type { Row } from '../row.ts';
import { foldCase, readTransaction, textMembers, type Transaction } from '../transaction.ts';

export type RecordResult = 'created' | 'duplicate' | 'updated' | 'conflict';

const finalStatuses = new Set(['accepted', 'rejected', 'reversed', 'cancelled']);

export function decideRecordResult(standing: Transaction, incoming: Transaction): Exclude<RecordResult, 'created'> {
  const moneyChanged =
    !sameAmount(standing.amount, incoming.amount) ||
    standing.currency !== incoming.currency ||
    standing.timeStamp !== incoming.timeStamp;
  const textChanged = textMembers.some((member) => standing[member] !== incoming[member]);
  if (!moneyChanged && !textChanged) return 'duplicate';
  const status = foldCase(standing.transactionStatus);
  // Only a pending row may still change its money: cards clear at other amounts.
  if (moneyChanged && status !== 'pending') return 'conflict';
  // A settled row does not become pending again: the pending row was sent late.
  if (finalStatuses.has(status) && foldCase(incoming.transactionStatus) === 'pending') return 'duplicate';
  return 'updated';
}

export type RecordPlanResult = RecordResult | 'unknown-individual';

export interface BatchPlan {
  results: RecordPlanResult[];
  created: Row[];
  /** Rows that replace another, and the stored row before the batch. */
  updated: { from: Transaction; to: Row }[];
  /** Every state that was replaced, oldest first. */
  replaced: Pick<Row, 'individualId' | 'transactionId' | 'body'>[];
}

export function keyOf({ individualId, transactionId }: Pick<Row, 'individualId' | 'transactionId'>): string {
  return `${individualId} ${transactionId}`;
}

/**
 * Rows of one key are applied in order: each is compared with the result of the one before. `standing` has the stored
 * bodies by key.
 */
export function planBatch(
  rows: readonly Row[],
  isKnown: (individualId: number) => boolean,
  standing: ReadonlyMap<string, string>,
): BatchPlan {
  const changed = new Map<string, Row>();
  const replaced: BatchPlan['replaced'] = [];
  const results = rows.map((row): RecordPlanResult => {
    if (!isKnown(row.individualId)) return 'unknown-individual';
    const { individualId, transactionId } = row;
    const key = keyOf(row);
    const body = changed.get(key)?.body ?? standing.get(key);
    // Most rows that are sent again are unchanged.
    if (body === row.body) return 'duplicate';
    const result =
      body === undefined
        ? 'created'
        : decideRecordResult(readTransaction(individualId, body), readTransaction(individualId, row.body));
    if (result === 'updated') replaced.push({ individualId, transactionId, body: body! });
    if (result === 'created' || result === 'updated') changed.set(key, row);
    return result;
  });
  const last = [...changed].map(([key, row]) => ({ row, before: standing.get(key) }));
  return {
    results,
    created: last.filter(({ before }) => before === undefined).map(({ row }) => row),
    updated: last.flatMap(({ row, before }) =>
      before === undefined ? [] : [{ from: readTransaction(row.individualId, before), to: row }],
    ),
    replaced,
  };
}
