/** The statements by which transactions get in: one batch is one transaction. */
import { array, type Database, type Sent, type Transaction as DatabaseTransaction } from '../db/database.ts';
import { keyOf, planBatch, type BatchPlan, type RecordPlanResult } from './record-rules.ts';
import {
  addToBlocks,
  cutBlocks,
  defaultBlockSizes,
  makeBlocks,
  type BlockedRow,
  type BlockSizes,
} from './transaction-blocks.store.ts';
import { fold, readTransaction, searchText, writeTransaction, type Transaction } from './transaction.ts';

export type RecordStore = ReturnType<typeof createRecordStore>;

interface NumberedTransaction extends Transaction {
  seq: number;
}

/** How many transactions each individual has. */
type Counts = Map<number, number>;

export function createRecordStore(db: Database, sizes: BlockSizes = defaultBlockSizes) {
  return {
    /** All writes about an individual wait for each other, and individuals are taken in the order of their ids. */
    async recordBatch(rows: readonly Transaction[], now: Date): Promise<RecordPlanResult[]> {
      return db.transaction(async (sql) => {
        const ids = [...new Set(rows.map(({ individualId }) => individualId))].sort((a, b) => a - b);
        const [before, standing] = await Promise.all([lockIndividuals(sql, ids), readStanding(sql, rows)]);
        const plan = planBatch(rows, (id) => before.has(id), standing);
        const after = new Map(before);
        const created = plan.created.map((transaction) => numbered(transaction, after));
        await Promise.all([
          ...(created.length > 0 ? [insertTransactions(sql, created), writeCounts(sql, before, after)] : []),
          ...(plan.updated.length > 0
            ? [
                updateTransactions(
                  sql,
                  plan.updated.map(({ to }) => to),
                ),
              ]
            : []),
          ...(plan.replaced.length > 0 ? [keepReplaced(sql, plan.replaced, now)] : []),
          ...writeBlocks(sql, created, plan.updated, before, after, sizes),
        ]);
        return plan.results;
      });
    },
  };
}

function numbered(transaction: Transaction, counts: Counts): NumberedTransaction {
  const seq = counts.get(transaction.individualId)! + 1;
  counts.set(transaction.individualId, seq);
  return { ...transaction, seq };
}

/** The row lock is what makes sequence numbers follow the order of commits. */
async function lockIndividuals(sql: DatabaseTransaction, ids: number[]): Promise<Counts> {
  const rows = await sql`
    select id, transaction_count from users where id = any(${array(ids)}::int[]) order by id for no key update`.execute();
  return new Map(rows.map(({ id, transaction_count }) => [id, transaction_count]));
}

/** Sent right behind the lock, and so read after it was granted: nobody else can change these rows now. */
async function readStanding(sql: DatabaseTransaction, rows: readonly Transaction[]): Promise<Map<string, Transaction>> {
  const found = await sql`
    select t.individual_id, t.body
    from unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[]) as k (individual_id, transaction_id)
    join transactions t using (individual_id, transaction_id)`.execute();
  const standing = found.map(({ individual_id, body }) => readTransaction(individual_id, body));
  return new Map(standing.map((transaction) => [keyOf(transaction), transaction]));
}

/** The columns of some rows, as arrays for unnest. */
function columns(sql: DatabaseTransaction, rows: readonly Transaction[]) {
  return sql`
    ${array(rows.map(({ individualId }) => individualId))}::int[],
    ${array(rows.map(({ transactionId }) => transactionId))}::text[],
    ${array(rows.map(({ timeStamp }) => timeStamp))}::text[]::timestamptz[],
    ${array(rows.map(({ amount }) => amount))}::text[]::numeric[],
    ${array(rows.map(({ currency }) => fold(currency)))}::text[],
    ${array(rows.map(({ transactionType }) => fold(transactionType)))}::text[],
    ${array(rows.map(({ transactionCategory }) => fold(transactionCategory)))}::text[],
    ${array(rows.map(({ transactionStatus }) => fold(transactionStatus)))}::text[],
    ${array(rows.map(searchText))}::text[],
    ${array(rows.map(writeTransaction))}::text[]`;
}

function insertTransactions(sql: DatabaseTransaction, rows: readonly NumberedTransaction[]): Sent {
  return sql`
    insert into transactions (
      individual_id, transaction_id, time_stamp, amount, currency, transaction_type,
      transaction_category, transaction_status, search_text, body, seq)
    select * from unnest(${columns(sql, rows)}, ${array(rows.map(({ seq }) => seq))}::int[])`.execute();
}

function writeCounts(sql: DatabaseTransaction, before: Counts, after: Counts): Sent {
  const grown = [...after].filter(([id, count]) => count > before.get(id)!);
  return sql`
    update users u set transaction_count = n.count
    from unnest(${array(grown.map(([id]) => id))}::int[], ${array(grown.map(([, count]) => count))}::int[]) as n (id, count)
    where u.id = n.id`.execute();
}

function updateTransactions(sql: DatabaseTransaction, rows: readonly Transaction[]): Sent {
  return sql`
    update transactions t set
      time_stamp = n.time_stamp, amount = n.amount, currency = n.currency, transaction_type = n.transaction_type,
      transaction_category = n.transaction_category, transaction_status = n.transaction_status,
      search_text = n.search_text, body = n.body
    from unnest(${columns(sql, rows)}) as n (
      individual_id, transaction_id, time_stamp, amount, currency, transaction_type,
      transaction_category, transaction_status, search_text, body)
    where t.individual_id = n.individual_id and t.transaction_id = n.transaction_id`.execute();
}

function keepReplaced(sql: DatabaseTransaction, rows: readonly Transaction[], now: Date): Sent {
  return sql`
    insert into transaction_history (individual_id, transaction_id, version, replaced_at, body)
    select r.individual_id, r.transaction_id,
      coalesce((
        select max(h.version) from transaction_history h
        where h.individual_id = r.individual_id and h.transaction_id = r.transaction_id
      ), 0) + row_number() over (partition by r.individual_id, r.transaction_id order by r.ordinality),
      ${now}, r.body
    from unnest(
      ${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[],
      ${array(rows.map(writeTransaction))}::text[]
    ) with ordinality as r (individual_id, transaction_id, body, ordinality)`.execute();
}

/** Nothing, for individuals that are small before and after. */
function writeBlocks(
  sql: DatabaseTransaction,
  created: readonly BlockedRow[],
  updated: BatchPlan['updated'],
  before: Counts,
  after: Counts,
  sizes: BlockSizes,
): Sent[] {
  const isLarge = (counts: Counts, id: number) => counts.get(id)! > sizes.blocksAbove;
  const touched = new Set([...created, ...updated.map(({ to }) => to)].map(({ individualId }) => individualId));
  const large = [...touched].filter((id) => isLarge(after, id));
  if (large.length === 0) return [];
  const grown = large.filter((id) => !isLarge(before, id));
  const added = created.filter(({ individualId }) => isLarge(before, individualId));
  const moved = updated
    .filter(
      ({ from, to }) =>
        isLarge(before, to.individualId) && (from.timeStamp !== to.timeStamp || from.amount !== to.amount),
    )
    .flatMap(({ from, to }) => [from, to]);
  return [
    ...(grown.length > 0 ? [makeBlocks(sql, grown)] : []),
    ...(added.length > 0 ? [addToBlocks(sql, added)] : []),
    cutBlocks(sql, large, moved, sizes),
  ];
}
