/**
 * The statements that record transactions. If the tables are distributed, each statement is limited to the individuals
 * of one shard (`inShard`); without a shard it is about all.
 */
import { array, type DatabaseTransaction, type Statement } from '../../db/database.ts';
import { inShard, type Shard } from '../../db/citus/shards.ts';
import type { EventCounts, TransactionEvent } from './record-events.ts';
import type { BatchPlan, StoredRow } from './record-rules.ts';
import { copiedColumns, copyLine, escaped, type Row } from '../row.ts';
import type { NumberedRow } from '../list/transaction-blocks.store.ts';
import { foldCase, readTransaction, searchText } from '../transaction.ts';

/** How many transactions each individual has. */
export type Counts = Map<number, number>;

export interface LockedIndividual {
  id: number;
  transaction_count: number;
  transaction_event_count: number;
}

/** Because of the row lock, sequence numbers follow the order of commits. */
export function lockIndividuals(sql: DatabaseTransaction, ids: readonly number[]): Promise<LockedIndividual[]> {
  return sql<LockedIndividual[]>`
    select id, transaction_count, transaction_event_count from users
    where id = any(${array(ids)}::int[]) order by id for no key update`.execute();
}

/**
 * The same on Citus. A row lock alone does not keep its shard from being moved: the lock would stay with the old copy,
 * and another transaction would lock the new one. Only a write keeps it, even if it changes no row: Citus locks the
 * place of the shard for it until the commit. For one individual a real write costs less, since Citus plans it faster.
 */
export function lockInShard(sql: DatabaseTransaction, shard: Shard): Promise<LockedIndividual[]> {
  if (shard.length === 1) {
    return sql<LockedIndividual[]>`
      update users set transaction_count = transaction_count where id = ${shard[0]!}
      returning id, transaction_count, transaction_event_count`.execute();
  }
  return sql<LockedIndividual[]>`
    with place as (
      update users set transaction_count = transaction_count where id = any(${array(shard)}::int[]) and transaction_count < 0
    )
    select id, transaction_count, transaction_event_count from users
    where id = any(${array(shard)}::int[]) order by id for no key update`.execute();
}

/**
 * Stored rows by key. Sent directly after the lock, and so executed after it was granted: no other transaction can
 * change these rows now. The statement is written so that each key can only be looked up in the primary key. The reason
 * is that a plan made while the table was small is kept while the table grows: a join would read the whole table, and a
 * lookup by half of the key all rows of an individual.
 */
export async function readStored(sql: DatabaseTransaction, rows: readonly Row[]): Promise<Map<string, StoredRow>> {
  const found = await sql<FoundRow[]>`
    select k.individual_id || ' ' || k.transaction_id as key, t.body, t.seq, d.details
    from unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[]) as k (individual_id, transaction_id)
    cross join lateral (
      select individual_id, seq, body from transactions
      where (transaction_id, individual_id) >= (k.transaction_id, k.individual_id)
        and (transaction_id, individual_id) <= (k.transaction_id, k.individual_id)
      offset 0
    ) t
    left join lateral (
      select details from transaction_details
      where (individual_id, seq) >= (t.individual_id, t.seq) and (individual_id, seq) <= (t.individual_id, t.seq)
      offset 0
    ) d on true`.execute();
  return storedByKey(found);
}

/** The same on Citus, which needs the individuals in the statement and plans it each time. */
export async function readStoredInShard(
  sql: DatabaseTransaction,
  rows: readonly Row[],
  shard: Shard,
): Promise<Map<string, StoredRow>> {
  const found = await sql<FoundRow[]>`
    select k.individual_id || ' ' || k.transaction_id as key, t.body, t.seq, t.details
    from unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[]) as k (individual_id, transaction_id)
    cross join lateral (
      select s.body, s.seq, d.details
      from transactions s left join transaction_details d
        on d.individual_id = s.individual_id and d.seq = s.seq and d.individual_id = any(${array(shard)}::int[])
      where s.transaction_id = k.transaction_id and s.individual_id = k.individual_id
        and s.individual_id = any(${array(shard)}::int[])
      offset 0
    ) t`.execute();
  return storedByKey(found);
}

interface FoundRow {
  key: string;
  body: string;
  seq: number;
  details: string | null;
}

function storedByKey(rows: readonly FoundRow[]): Map<string, StoredRow> {
  return new Map(rows.map(({ key, body, seq, details }) => [key, { body, seq, details: details ?? undefined }]));
}

/** From this number of rows on, COPY is faster than INSERT: it takes half the work, but two more round trips. */
export const minCopiedRows = 50;
const copiedCharacters = 128 * 1024;

/** What a row has besides the columns that it came with. */
const numberedColumns = 'seq, recorded_at, created_commit, touched_commit';

/** The rows may belong to several shards. */
export async function copyTransactions(
  sql: DatabaseTransaction,
  rows: readonly NumberedRow[],
  now: Date,
): Promise<void> {
  const recordedAt = now.toISOString();
  const detailed = rows.filter(hasDetails);
  await sql.copy(
    sql`copy transactions (${sql.unsafe(copiedColumns)}, ${sql.unsafe(numberedColumns)}) from stdin`,
    inPieces(rows, ({ row, seq, commit }) => `${copyLine(row)}\t${seq}\t${recordedAt}\t${commit}\t${commit}\n`),
  );
  if (detailed.length === 0) return;
  await sql.copy(
    sql`copy transaction_details (individual_id, seq, details) from stdin`,
    inPieces(detailed, ({ row, seq }) => `${row.individualId}\t${seq}\t${escaped(row.details!)}\n`),
  );
}

const hasDetails = ({ row }: NumberedRow) => row.details !== undefined;

/** The lines of a COPY in pieces, so that PostgreSQL processes one while the next is being written. */
function* inPieces<T>(items: readonly T[], lineOf: (item: T) => string): Generator<string> {
  let text = '';
  for (const item of items) {
    text += lineOf(item);
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
    array(transactions.map((transaction) => foldCase(transaction[name])));
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

export function insertFew(
  sql: DatabaseTransaction,
  numbered: readonly NumberedRow[],
  now: Date,
  shard: Shard | undefined,
): Statement[] {
  const detailed = numbered.filter(hasDetails);
  const details = detailed.map(({ row, seq }) => ({ individualId: row.individualId, seq, details: row.details }));
  return [insertRows(sql, numbered, now, shard), ...changeDetails(sql, details, shard)];
}

function insertRows(
  sql: DatabaseTransaction,
  numbered: readonly NumberedRow[],
  now: Date,
  shard: Shard | undefined,
): Statement {
  if (shard && numbered.length === 1) return insertOne(sql, numbered[0]!, now);
  const rows = numbered.map(({ row }) => row);
  const numbers = array(numbered.map(({ seq }) => seq));
  const commits = array(numbered.map(({ commit }) => commit));
  const names = `${copiedColumns}, seq, created_commit`;
  const given = sql`unnest(${columns(sql, rows)}, ${numbers}::int[], ${commits}::int[]) as n (${sql.unsafe(names)})`;
  return sql`
    insert into transactions (${sql.unsafe(copiedColumns)}, ${sql.unsafe(numberedColumns)})
    select ${shard ? sql`u.id` : sql`n.individual_id`}, ${sql.unsafe(ofRows(copiedColumns))},
      n.seq, ${now}::timestamptz, n.created_commit, n.created_commit
    from ${given} ${shard ? sql`join users u on u.id = n.individual_id where true ${inShard(sql, 'u.id', shard)}` : sql``}`;
}

/**
 * All columns except the individual. That has to come from a distributed table, so that the worker does the insert
 * without the coordinator.
 */
const ofRows = (names: string) =>
  names
    .split(', ')
    .slice(1)
    .map((name) => `n.${name}`)
    .join(', ');

/** On Citus: Citus has a fast path for planning a statement about one row by its key. */
function insertOne(sql: DatabaseTransaction, { row, seq, commit }: NumberedRow, now: Date): Statement {
  const { individualId, transactionId, timeStamp, amount, body } = row;
  const transaction = readTransaction(individualId, body);
  return sql`
    insert into transactions (${sql.unsafe(copiedColumns)}, ${sql.unsafe(numberedColumns)})
    values (${individualId}, ${transactionId}, ${timeStamp}::text::timestamptz, ${amount}::text::numeric,
      ${foldCase(transaction.currency)}, ${foldCase(transaction.transactionType)}, ${foldCase(transaction.transactionCategory)},
      ${foldCase(transaction.transactionStatus)}, ${searchText(transaction)}, ${body}, ${seq}, ${now}::timestamptz,
      ${commit}, ${commit})`;
}

export interface CounterChange {
  ids: readonly number[];
  counts: Counts;
  eventCounts: EventCounts;
}

export function writeCounts(
  sql: DatabaseTransaction,
  { ids, counts, eventCounts }: CounterChange,
  shard: Shard | undefined,
): Statement {
  if (shard && ids.length === 1) {
    return sql`
      update users set transaction_count = ${counts.get(ids[0]!)!}, transaction_event_count = ${eventCounts.get(ids[0]!)!}
      where id = ${ids[0]!}`;
  }
  return sql`
    update users u set transaction_count = n.count, transaction_event_count = n.event_count
    from unnest(${array(ids)}::int[], ${array(ids.map((id) => counts.get(id)!))}::int[],
      ${array(ids.map((id) => eventCounts.get(id)!))}::int[]) as n (id, count, event_count)
    where u.id = n.id ${inShard(sql, 'u.id', shard)}`;
}

/** On Citus the number in the outbox is the event's own sequence number: see docs/decisions/0004-events.md. */
export function writeEvents(
  sql: DatabaseTransaction,
  events: readonly TransactionEvent[],
  now: Date,
  shard: Shard | undefined,
): Statement {
  if (shard && events.length === 1) {
    const { individualId, sequence, type, data } = events[0]!;
    return sql`
      insert into user_event_outbox (id, user_id, sequence, type, at, data)
      values (${sequence}, ${individualId}, ${sequence}, ${type}, ${now}, ${data}::text::json)`;
  }
  const given = sql`unnest(
      ${array(events.map(({ individualId }) => individualId))}::int[],
      ${array(events.map(({ sequence }) => sequence))}::int[],
      ${array(events.map(({ type }) => type))}::text[],
      ${array(events.map(({ data }) => data))}::text[]
    )`;
  if (shard) {
    return sql`
      insert into user_event_outbox (id, user_id, sequence, type, at, data)
      select n.sequence, u.id, n.sequence, n.type, ${now}::timestamptz, n.data::json
      from ${given} as n (user_id, sequence, type, data) join users u on u.id = n.user_id
      where true ${inShard(sql, 'u.id', shard)}`;
  }
  return sql`
    insert into user_event_outbox (user_id, sequence, type, at, data)
    select n.user_id, n.sequence, n.type, ${now}, n.data::json
    from ${given} with ordinality as n (user_id, sequence, type, data, place)
    order by n.place`;
}

/** On Citus, for several shards: one statement instead of one for each shard. */
export function copyDistributedEvents(
  sql: DatabaseTransaction,
  events: readonly TransactionEvent[],
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  return sql.copy(
    sql`copy user_event_outbox (id, user_id, sequence, type, at, data) from stdin`,
    inPieces(
      events,
      ({ individualId, sequence, type, data }) =>
        `${sequence}\t${individualId}\t${sequence}\t${type}\t${at}\t${escaped(data)}\n`,
    ),
  );
}

export interface TouchedRow {
  row: Row;
  commit: number;
  hasNewWords: boolean;
}

export function updateTransactions(
  sql: DatabaseTransaction,
  touched: readonly TouchedRow[],
  shard: Shard | undefined,
): Statement {
  const rows = touched.map(({ row }) => row);
  const commits = array(touched.map(({ commit }) => commit));
  const newWords = array(touched.map(({ hasNewWords }) => String(hasNewWords)));
  return sql`
    update transactions t set
      time_stamp = n.time_stamp, amount = n.amount, currency = n.currency, transaction_type = n.transaction_type,
      transaction_category = n.transaction_category, transaction_status = n.transaction_status,
      search_text = case when n.has_new_words then n.search_text else t.search_text end, body = n.body,
      touched_commit = n.touched_commit
    from unnest(${columns(sql, rows)}, ${commits}::int[], ${newWords}::boolean[])
      as n (${sql.unsafe(copiedColumns)}, touched_commit, has_new_words)
    where t.individual_id = n.individual_id and t.transaction_id = n.transaction_id
      ${inShard(sql, 't.individual_id', shard)}`;
}

export interface DetailChange {
  individualId: number;
  seq: number;
  /** Undefined if the row has none any more. */
  details: string | undefined;
}

export function changeDetails(
  sql: DatabaseTransaction,
  changes: readonly DetailChange[],
  shard: Shard | undefined,
): Statement[] {
  const removed = changes.filter(({ details }) => details === undefined);
  const put = changes.filter(({ details }) => details !== undefined);
  return [
    ...(removed.length > 0 ? [removeDetails(sql, removed, shard)] : []),
    ...(put.length > 0 ? [putDetails(sql, put, shard)] : []),
  ];
}

function removeDetails(sql: DatabaseTransaction, rows: readonly DetailChange[], shard: Shard | undefined): Statement {
  return sql`
    delete from transaction_details d
    using unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ seq }) => seq))}::int[]) as n (individual_id, seq)
    where d.individual_id = n.individual_id and d.seq = n.seq ${inShard(sql, 'd.individual_id', shard)}`;
}

function putDetails(sql: DatabaseTransaction, rows: readonly DetailChange[], shard: Shard | undefined): Statement {
  if (shard && rows.length === 1) {
    const { individualId, seq, details } = rows[0]!;
    return sql`
      insert into transaction_details (individual_id, seq, details) values (${individualId}, ${seq}, ${details!})
      on conflict (individual_id, seq) do update set details = excluded.details`;
  }
  const given = sql`unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ seq }) => seq))}::int[],
      ${array(rows.map(({ details }) => details!))}::text[]) as n (individual_id, seq, details)`;
  return sql`
    insert into transaction_details (individual_id, seq, details)
    select ${shard ? sql`u.id` : sql`n.individual_id`}, n.seq, n.details
    from ${given} ${shard ? sql`join users u on u.id = n.individual_id` : sql``}
    where true ${inShard(sql, 'u.id', shard)}
    on conflict (individual_id, seq) do update set details = excluded.details`;
}

export function keepReplaced(
  sql: DatabaseTransaction,
  rows: readonly BatchPlan['replaced'][number][],
  now: Date,
  shard: Shard | undefined,
): Statement {
  const given = sql`unnest(
      ${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[],
      ${array(rows.map(({ body }) => body))}::text[],
      ${array(rows.map(({ details }) => details ?? null))}::text[]
    ) with ordinality as r (individual_id, transaction_id, body, details, ordinality)`;
  return sql`
    insert into transaction_history (individual_id, transaction_id, version, replaced_at, body, details)
    select ${shard ? sql`u.id` : sql`r.individual_id`}, r.transaction_id,
      coalesce((
        select max(h.version) from transaction_history h
        where h.individual_id = r.individual_id and h.transaction_id = r.transaction_id
          ${inShard(sql, 'h.individual_id', shard)}
      ), 0) + row_number() over (partition by r.individual_id, r.transaction_id order by r.ordinality),
      ${now}, r.body, r.details
    from ${given} ${shard ? sql`join users u on u.id = r.individual_id where true ${inShard(sql, 'u.id', shard)}` : sql``}`;
}
