/** Decides what to do with an incoming row, given the stored row. */
import { sameAmount } from '../amount.ts';
import { mergeDetails, sameDetails } from '../details/details.ts';
import { searchTextOf, type Row } from '../row.ts';
import { foldCase, readTransaction, searchText, textMembers, type Transaction } from '../transaction.ts';

export type RecordResult = 'created' | 'duplicate' | 'updated' | 'conflict';

const finalStatuses = new Set(['accepted', 'rejected', 'reversed', 'cancelled']);

export function decideRecordResult(
  stored: Transaction,
  incoming: Transaction,
  detailsChanged: boolean,
): Exclude<RecordResult, 'created'> {
  const moneyChanged =
    !sameAmount(stored.amount, incoming.amount) ||
    stored.currency !== incoming.currency ||
    stored.timeStamp !== incoming.timeStamp;
  const textChanged = textMembers.some((member) => stored[member] !== incoming[member]);
  if (!moneyChanged && !textChanged && !detailsChanged) return 'duplicate';
  const status = foldCase(stored.transactionStatus);
  // Only a pending row may still change its money: cards clear at other amounts.
  if (moneyChanged && status !== 'pending') return 'conflict';
  // A settled row does not become pending again: the pending row was sent late, and its details with it.
  if (finalStatuses.has(status) && foldCase(incoming.transactionStatus) === 'pending') return 'duplicate';
  return 'updated';
}

export type RecordPlanResult = RecordResult | 'unknown-individual';

/** A row as it is stored. */
export interface StoredRow {
  body: string;
  details: string | undefined;
  seq: number;
}

export interface UpdatedRow {
  /** The row before the batch. */
  from: Transaction;
  /** With all details that it has now. */
  to: Row;
  seq: number;
  bodyChanged: boolean;
  detailsChanged: boolean;
  /** If not, the stored search text stays as it is, also if another release has written it. Its block has the same. */
  hasNewWords: boolean;
}

export interface BatchPlan {
  results: RecordPlanResult[];
  created: Row[];
  /** Rows that replace another. */
  updated: UpdatedRow[];
  /** Every state that was replaced, oldest first. */
  replaced: Pick<Row, 'individualId' | 'transactionId' | 'body' | 'details'>[];
}

function keyOf({ individualId, transactionId }: Pick<Row, 'individualId' | 'transactionId'>): string {
  return `${individualId} ${transactionId}`;
}

/**
 * Rows of one key are applied in order: each is compared with the result of the one before. `stored` has the stored
 * rows by key.
 */
export function planBatch(
  rows: readonly Row[],
  isKnown: (individualId: number) => boolean,
  stored: ReadonlyMap<string, StoredRow>,
): BatchPlan {
  const changed = new Map<string, Row>();
  const replaced: BatchPlan['replaced'] = [];
  const results = rows.map((row): RecordPlanResult => {
    if (!isKnown(row.individualId)) return 'unknown-individual';
    const key = keyOf(row);
    const before = changed.get(key) ?? stored.get(key);
    const details = mergeDetails(before?.details, row.details);
    const result = before ? decideAgain(before, row, details) : 'created';
    if (result === 'updated') {
      const { individualId, transactionId } = row;
      replaced.push({ individualId, transactionId, body: before!.body, details: before!.details });
    }
    if (result === 'created' || result === 'updated') changed.set(key, withDetails(row, details));
    return result;
  });
  const created: Row[] = [];
  const updated: UpdatedRow[] = [];
  for (const [key, row] of changed) {
    const before = stored.get(key);
    if (before) updated.push(updatedRow(row, before));
    else created.push(row);
  }
  return { results, created, updated, replaced };
}

function decideAgain(
  before: Pick<StoredRow, 'body' | 'details'>,
  row: Row,
  details: string | undefined,
): Exclude<RecordResult, 'created'> {
  const detailsChanged = !sameDetails(before.details, details);
  // Most rows that are sent again are unchanged.
  if (before.body === row.body) return detailsChanged ? 'updated' : 'duplicate';
  const { individualId } = row;
  return decideRecordResult(
    readTransaction(individualId, before.body),
    readTransaction(individualId, row.body),
    detailsChanged,
  );
}

function withDetails(row: Row, details: string | undefined): Row {
  return row.details === details ? row : { ...row, details };
}

function updatedRow(row: Row, { body, details, seq }: StoredRow): UpdatedRow {
  const from = readTransaction(row.individualId, body);
  return {
    from,
    to: row,
    seq,
    bodyChanged: body !== row.body,
    detailsChanged: details !== row.details,
    hasNewWords: searchText(from) !== searchTextOf(row),
  };
}
