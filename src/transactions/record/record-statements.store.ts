/**
 * The statements that record transactions. If the tables are distributed, each statement is limited to the individuals
 * of one shard (`inShard`); without a shard it is about all.
 */
import { copyInto } from '../../db/copy.ts';
import { array, type DatabaseTransaction, type Statement } from '../../db/database.ts';
import { inShard, type Shard } from '../../db/citus/shards.ts';
import type { EventCounts, TransactionEvent } from './record-events.ts';
import type { BatchPlan } from './record-rules.ts';
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
 * Bodies by key. Sent directly after the lock, and so executed after it was granted: no other transaction can change
 * these rows now. The statement is written so that each key can only be looked up in the primary key. The reason is
 * that a plan made while the table was small is kept while the table grows: a join would read the whole table, and a
 * lookup by half of the key all rows of an individual.
 */
export async function readStanding(sql: DatabaseTransaction, rows: readonly Row[]): Promise<Map<string, string>> {
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
  return bodiesByKey(found);
}

/** The same on Citus, which needs the individuals in the statement and plans it each time. */
export async function readStandingOf(
  sql: DatabaseTransaction,
  rows: readonly Row[],
  shard: Shard,
): Promise<Map<string, string>> {
  const found = await sql`
    select k.individual_id || ' ' || k.transaction_id as key, t.body
    from unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[]) as k (individual_id, transaction_id)
    cross join lateral (
      select body from transactions
      where transaction_id = k.transaction_id and individual_id = k.individual_id
        and individual_id = any(${array(shard)}::int[])
      offset 0
    ) t`.execute();
  return bodiesByKey(found);
}

function bodiesByKey(rows: readonly Record<string, string>[]): Map<string, string> {
  return new Map(rows.map(({ key, body }) => [key!, body!]));
}

/** From this number of rows on, COPY is faster than INSERT: it takes half the work, but two more round trips. */
export const minCopiedRows = 50;
const copiedCharacters = 128 * 1024;

/** The rows may belong to several shards. */
export function copyTransactions(sql: DatabaseTransaction, rows: readonly NumberedRow[], now: Date): Promise<void> {
  return copyInto(
    sql`copy transactions (${sql.unsafe(copiedColumns)}, seq, recorded_at) from stdin`,
    copyTexts(rows, now),
  );
}

function* copyTexts(rows: readonly NumberedRow[], now: Date): Generator<string> {
  const recordedAt = now.toISOString();
  yield* inPieces(rows, ({ row, seq }) => copyLine(row, seq, recordedAt));
}

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
): Statement {
  if (shard && numbered.length === 1) return insertOne(sql, numbered[0]!, now);
  const rows = numbered.map(({ row }) => row);
  const numbers = array(numbered.map(({ seq }) => seq));
  if (!shard) {
    return sql`
      insert into transactions (${sql.unsafe(copiedColumns)}, seq, recorded_at)
      select *, ${now}::timestamptz from unnest(${columns(sql, rows)}, ${numbers}::int[])`;
  }
  const names = `${copiedColumns}, seq`;
  return sql`
    insert into transactions (${sql.unsafe(names)}, recorded_at)
    select u.id, ${sql.unsafe(ofRows(names))}, ${now}::timestamptz
    from unnest(${columns(sql, rows)}, ${numbers}::int[]) as n (${sql.unsafe(names)}) join users u on u.id = n.individual_id
    where true ${inShard(sql, 'u.id', shard)}`;
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
function insertOne(sql: DatabaseTransaction, { row, seq }: NumberedRow, now: Date): Statement {
  const { individualId, transactionId, timeStamp, amount, body } = row;
  const transaction = readTransaction(individualId, body);
  return sql`
    insert into transactions (${sql.unsafe(copiedColumns)}, seq, recorded_at)
    values (${individualId}, ${transactionId}, ${timeStamp}::text::timestamptz, ${amount}::text::numeric,
      ${foldCase(transaction.currency)}, ${foldCase(transaction.transactionType)}, ${foldCase(transaction.transactionCategory)},
      ${foldCase(transaction.transactionStatus)}, ${searchText(transaction)}, ${body}, ${seq}, ${now}::timestamptz)`;
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

export function writeEvents(
  sql: DatabaseTransaction,
  events: readonly TransactionEvent[],
  now: Date,
  shard: Shard | undefined,
): Statement {
  if (shard) return writeDistributedEvents(sql, events, now, shard);
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

/** On Citus the number in the outbox is the event's own sequence number: see docs/decisions/0004-events.md. */
function writeDistributedEvents(
  sql: DatabaseTransaction,
  events: readonly TransactionEvent[],
  now: Date,
  shard: Shard,
): Statement {
  if (events.length === 1) {
    const { individualId, sequence, type, data } = events[0]!;
    return sql`
      insert into user_event_outbox (id, user_id, sequence, type, at, data)
      values (${sequence}, ${individualId}, ${sequence}, ${type}, ${now}, ${data}::text::json)`;
  }
  return sql`
    insert into user_event_outbox (id, user_id, sequence, type, at, data)
    select n.sequence, u.id, n.sequence, n.type, ${now}::timestamptz, n.data::json
    from unnest(
      ${array(events.map(({ individualId }) => individualId))}::int[],
      ${array(events.map(({ sequence }) => sequence))}::int[],
      ${array(events.map(({ type }) => type))}::text[],
      ${array(events.map(({ data }) => data))}::text[]
    ) as n (user_id, sequence, type, data) join users u on u.id = n.user_id
    where true ${inShard(sql, 'u.id', shard)}`;
}

/** On Citus, for several shards: one statement instead of one for each shard. */
export function copyDistributedEvents(
  sql: DatabaseTransaction,
  events: readonly TransactionEvent[],
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  return copyInto(
    sql`copy user_event_outbox (id, user_id, sequence, type, at, data) from stdin`,
    inPieces(
      events,
      ({ individualId, sequence, type, data }) =>
        `${sequence}\t${individualId}\t${sequence}\t${type}\t${at}\t${escaped(data)}\n`,
    ),
  );
}

export function updateTransactions(
  sql: DatabaseTransaction,
  rows: readonly Row[],
  shard: Shard | undefined,
): Statement {
  return sql`
    update transactions t set
      time_stamp = n.time_stamp, amount = n.amount, currency = n.currency, transaction_type = n.transaction_type,
      transaction_category = n.transaction_category, transaction_status = n.transaction_status,
      search_text = n.search_text, body = n.body
    from unnest(${columns(sql, rows)}) as n (${sql.unsafe(copiedColumns)})
    where t.individual_id = n.individual_id and t.transaction_id = n.transaction_id
      ${inShard(sql, 't.individual_id', shard)}`;
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
      ${array(rows.map(({ body }) => body))}::text[]
    ) with ordinality as r (individual_id, transaction_id, body, ordinality)`;
  return sql`
    insert into transaction_history (individual_id, transaction_id, version, replaced_at, body)
    select ${shard ? sql`u.id` : sql`r.individual_id`}, r.transaction_id,
      coalesce((
        select max(h.version) from transaction_history h
        where h.individual_id = r.individual_id and h.transaction_id = r.transaction_id
          ${inShard(sql, 'h.individual_id', shard)}
      ), 0) + row_number() over (partition by r.individual_id, r.transaction_id order by r.ordinality),
      ${now}, r.body
    from ${given} ${shard ? sql`join users u on u.id = r.individual_id where true ${inShard(sql, 'u.id', shard)}` : sql``}`;
}
