/** The statements by which transactions get in: one batch is one transaction. */
import { randomInt } from 'node:crypto';
import { copyInto } from '../db/copy.ts';
import type { Owner } from '../slots.ts';
import { array, type Database, type Statement, type Transaction as DatabaseTransaction } from '../db/database.ts';
import { eventsOfBatch, type EventCounts, type TransactionEvent } from './record-events.ts';
import { planBatch, type BatchPlan, type RecordPlanResult } from './record-rules.ts';
import {
  addToBlocks,
  cutBlocks,
  defaultBlockSizes,
  findDense,
  makeBlocks,
  type NumberedRow,
  type ChangedRow,
  type Stretch,
  type BlockSizes,
} from './transaction-blocks.store.ts';
import { copiedColumns, copyLine, type Row } from './row.ts';
import { fold, readTransaction, searchText } from './transaction.ts';

export type RecordStore = ReturnType<typeof createRecordStore>;

/** How many transactions each individual has. */
type Counts = Map<number, number>;

export interface RecordStoreOptions {
  sizes?: BlockSizes | undefined;
  /** Demo data makes no events. */
  writesEvents?: boolean;
}

export function createRecordStore(
  db: Database,
  { sizes = defaultBlockSizes, writesEvents = true }: RecordStoreOptions = {},
) {
  return {
    /** All writes about an individual wait for each other, and individuals are taken in the order of their ids. */
    recordBatch: (rows: readonly Row[], now: Date, owner?: Owner): Promise<RecordPlanResult[]> =>
      db.transaction(async (sql) => {
        const { plan, counts, eventCounts } = await planUnderLock(sql, rows);
        const events = writesEvents ? eventsOfBatch(plan, eventCounts) : [];
        await writePlan(sql, plan, { before: counts, eventCounts, events }, sizes, now);
        return plan.results;
      }, owner),

    /** What would become of the rows, if nothing else of the same stream had been recorded before them. */
    tryBatch: (rows: readonly Row[]): Promise<RecordPlanResult[]> =>
      db.transaction(async (sql) => (await planUnderLock(sql, rows)).plan.results),
  };
}

async function planUnderLock(
  sql: DatabaseTransaction,
  rows: readonly Row[],
): Promise<{ plan: BatchPlan; counts: Counts; eventCounts: EventCounts }> {
  const ids = [...new Set(rows.map(({ individualId }) => individualId))].sort((a, b) => a - b);
  const [locked, standing] = await Promise.all([lockIndividuals(sql, ids), readStanding(sql, rows)]);
  const counts = new Map(locked.map(({ id, transaction_count }) => [id, transaction_count]));
  const eventCounts = new Map(locked.map(({ id, transaction_event_count }) => [id, transaction_event_count]));
  return { plan: planBatch(rows, (id) => counts.has(id), standing), counts, eventCounts };
}

/** The counters of the individuals: transactions before the batch, and events with those of the batch. */
interface Counters {
  before: Counts;
  eventCounts: EventCounts;
  events: readonly TransactionEvent[];
}

async function writePlan(
  sql: DatabaseTransaction,
  { created, updated, replaced }: BatchPlan,
  { before, eventCounts, events }: Counters,
  sizes: BlockSizes,
  now: Date,
): Promise<void> {
  const after = new Map(before);
  const fresh = created.map((row) => ({ row, seq: nextNumber(row.individualId, after) }));
  const dense = await denseStretches(sql, fresh, before, sizes);
  const inserted = insertTransactions(sql, fresh, now);
  // The other statements' texts are made while the rows go in.
  const writes = [
    ...(fresh.length > 0 || events.length > 0 ? [writeCounts(sql, touched(fresh, events), after, eventCounts)] : []),
    ...(events.length > 0 ? [writeEvents(sql, events, now)] : []),
    ...(updated.length > 0
      ? [
          updateTransactions(
            sql,
            updated.map(({ to }) => to),
          ),
        ]
      : []),
    ...(replaced.length > 0 ? [keepReplaced(sql, replaced, now)] : []),
    ...writeBlocks(sql, fresh, updated, before, after, dense, sizes),
  ];
  await inserted;
  await Promise.all(writes.map((statement) => statement.execute()));
}

function nextNumber(individualId: number, counts: Counts): number {
  const number = counts.get(individualId)! + 1;
  counts.set(individualId, number);
  return number;
}

/** The row lock is what makes sequence numbers follow the order of commits. */
async function lockIndividuals(sql: DatabaseTransaction, ids: number[]) {
  return sql<{ id: number; transaction_count: number; transaction_event_count: number }[]>`
    select id, transaction_count, transaction_event_count from users
    where id = any(${array(ids)}::int[]) order by id for no key update`.execute();
}

/**
 * Bodies by key. Sent right behind the lock, and so read after it was granted: nobody else can change these rows now.
 * Written so that each key can only be looked up in the primary key, since a plan made while the table was small is
 * kept while it grows: a join would read all of it, and either half of the key alone all rows of an individual.
 */
async function readStanding(sql: DatabaseTransaction, rows: readonly Row[]): Promise<Map<string, string>> {
  const found = await sql`
    select k.individual_id || ' ' || k.transaction_id as key, t.body
    from unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[]) as k (individual_id, transaction_id)
    cross join lateral (
      select body from transactions
      where (transaction_id, individual_id) >= (k.transaction_id, k.individual_id)
        and (transaction_id, individual_id) <= (k.transaction_id, k.individual_id)
      offset 0
    ) t`.execute();
  return new Map(found.map(({ key, body }) => [key, body]));
}

/** From so many rows on COPY is faster than INSERT: it takes half the work, but two more round trips. */
const minCopiedRows = 50;
const copiedCharacters = 128 * 1024;

async function insertTransactions(sql: DatabaseTransaction, rows: readonly NumberedRow[], now: Date): Promise<void> {
  if (rows.length >= minCopiedRows) {
    await copyInto(
      sql`copy transactions (${sql.unsafe(copiedColumns)}, seq, recorded_at) from stdin`,
      copyTexts(rows, now),
    );
  } else if (rows.length > 0) await insertFew(sql, rows, now);
}

/** In pieces, so that PostgreSQL takes one while the next is written. */
function* copyTexts(rows: readonly NumberedRow[], now: Date): Generator<string> {
  const recordedAt = now.toISOString();
  let text = '';
  for (const { row, seq } of rows) {
    text += copyLine(row, seq, recordedAt);
    if (text.length < copiedCharacters) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** The columns of some rows, as arrays for unnest. */
function columns(sql: DatabaseTransaction, rows: readonly Row[]) {
  const transactions = rows.map(({ individualId, body }) => readTransaction(individualId, body));
  const folded = (name: 'currency' | 'transactionType' | 'transactionCategory' | 'transactionStatus') =>
    array(transactions.map((transaction) => fold(transaction[name])));
  return sql`
    ${array(rows.map(({ individualId }) => individualId))}::int[],
    ${array(rows.map(({ transactionId }) => transactionId))}::text[],
    ${array(rows.map(({ timeStamp }) => timeStamp))}::text[]::timestamptz[],
    ${array(rows.map(({ amount }) => amount))}::text[]::numeric[],
    ${folded('currency')}::text[], ${folded('transactionType')}::text[],
    ${folded('transactionCategory')}::text[], ${folded('transactionStatus')}::text[],
    ${array(transactions.map(searchText))}::text[],
    ${array(rows.map(({ body }) => body))}::text[]`;
}

function insertFew(sql: DatabaseTransaction, rows: readonly NumberedRow[], now: Date): Statement {
  return sql`
    insert into transactions (${sql.unsafe(copiedColumns)}, seq, recorded_at)
    select *, ${now}::timestamptz from unnest(${columns(
      sql,
      rows.map(({ row }) => row),
    )}, ${array(rows.map(({ seq }) => seq))}::int[])`;
}

/** The individuals whose counters have changed. */
function touched(fresh: readonly NumberedRow[], events: readonly TransactionEvent[]): number[] {
  return [...new Set([...fresh.map(({ row }) => row.individualId), ...events.map(({ individualId }) => individualId)])];
}

function writeCounts(sql: DatabaseTransaction, ids: number[], counts: Counts, eventCounts: EventCounts): Statement {
  return sql`
    update users u set transaction_count = n.count, transaction_event_count = n.event_count
    from unnest(${array(ids)}::int[], ${array(ids.map((id) => counts.get(id)!))}::int[],
      ${array(ids.map((id) => eventCounts.get(id)!))}::int[]) as n (id, count, event_count)
    where u.id = n.id`;
}

function writeEvents(sql: DatabaseTransaction, events: readonly TransactionEvent[], now: Date): Statement {
  return sql`
    insert into user_event_outbox (user_id, sequence, type, at, data)
    select n.user_id, n.sequence, n.type, ${now}, n.data::json
    from unnest(
      ${array(events.map(({ individualId }) => individualId))}::int[],
      ${array(events.map(({ sequence }) => sequence))}::int[],
      ${array(events.map(({ type }) => type))}::text[],
      ${array(events.map(({ data }) => data))}::text[]
    ) with ordinality as n (user_id, sequence, type, data, place)
    order by n.place`;
}

function updateTransactions(sql: DatabaseTransaction, rows: readonly Row[]): Statement {
  return sql`
    update transactions t set
      time_stamp = n.time_stamp, amount = n.amount, currency = n.currency, transaction_type = n.transaction_type,
      transaction_category = n.transaction_category, transaction_status = n.transaction_status,
      search_text = n.search_text, body = n.body
    from unnest(${columns(sql, rows)}) as n (${sql.unsafe(copiedColumns)})
    where t.individual_id = n.individual_id and t.transaction_id = n.transaction_id`;
}

function keepReplaced(sql: DatabaseTransaction, rows: BatchPlan['replaced'], now: Date): Statement {
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
      ${array(rows.map(({ body }) => body))}::text[]
    ) with ordinality as r (individual_id, transaction_id, body, ordinality)`;
}

/** Nothing, for individuals that are small before and after. */
function writeBlocks(
  sql: DatabaseTransaction,
  created: readonly NumberedRow[],
  updated: BatchPlan['updated'],
  before: Counts,
  after: Counts,
  dense: readonly Stretch[],
  sizes: BlockSizes,
): Statement[] {
  const isLarge = (counts: Counts, id: number) => counts.get(id)! > sizes.blocksAbove;
  const touched = new Set(
    [...created.map(({ row }) => row), ...updated.map(({ to }) => to)].map(({ individualId }) => individualId),
  );
  const large = [...touched].filter((id) => isLarge(after, id));
  if (large.length === 0) return [];
  const grown = large.filter((id) => !isLarge(before, id));
  const remade = new Set(dense.map(({ individualId }) => individualId));
  const added = created.filter(({ row }) => isLarge(before, row.individualId) && !remade.has(row.individualId));
  const changed = updated
    .filter(({ to }) => isLarge(before, to.individualId))
    .map(({ from, to }) => ({ from, to, after: readTransaction(to.individualId, to.body) }));
  const isMoved = ({ from, to }: ChangedRow) => from.timeStamp !== to.timeStamp || from.amount !== to.amount;
  const moved = changed
    .filter(isMoved)
    .flatMap(({ from, to }) => [from, to])
    .map(({ individualId, timeStamp }) => ({ individualId, first: timeStamp, last: timeStamp, rows: 1 }));
  const changedInPlace = changed.filter((row) => !isMoved(row));
  const version = String(randomInt(maxVersion));
  return [
    ...(grown.length > 0 ? [makeBlocks(sql, grown, version)] : []),
    ...(added.length + changedInPlace.length > 0 ? [addToBlocks(sql, added, changedInPlace, sizes, version)] : []),
    cutBlocks(sql, large, [...moved, ...dense], sizes, version),
  ];
}

/** The largest range that randomInt has. */
const maxVersion = 2 ** 48 - 1;

/** Where the new rows of large individuals lie so close together that their blocks are made anew. */
async function denseStretches(
  sql: DatabaseTransaction,
  created: readonly NumberedRow[],
  before: Counts,
  sizes: BlockSizes,
): Promise<Stretch[]> {
  const stretches = new Map<number, Stretch>();
  for (const {
    row: { individualId, timeStamp },
  } of created) {
    if (before.get(individualId)! <= sizes.blocksAbove) continue;
    const known = stretches.get(individualId);
    if (!known) stretches.set(individualId, { individualId, first: timeStamp, last: timeStamp, rows: 1 });
    else {
      known.rows += 1;
      if (timeStamp < known.first) known.first = timeStamp;
      if (timeStamp > known.last) known.last = timeStamp;
    }
  }
  const many = [...stretches.values()].filter(({ rows }) => rows >= sizes.leastBlock / 4);
  if (many.length === 0) return [];
  const dense = await findDense(sql, many);
  return many.filter(({ individualId }) => dense.has(individualId));
}
