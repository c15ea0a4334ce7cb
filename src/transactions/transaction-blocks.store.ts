/**
 * The index of counts for individuals with many transactions. Every statement here runs in the transaction
 * that writes the rows, under the lock of the individual, so that no reader ever sees one without the other.
 * Why and how: docs/decisions/0001-list-at-any-size.md.
 */
import { array, type Statement, type Transaction as DatabaseTransaction } from '../db/database.ts';
import { inMillionths } from './amount.ts';
import type { Instant } from './instant.ts';
import type { Row } from './row.ts';

export interface BlockSizes {
  /** Individuals with more rows than this have blocks; the others are listed without. */
  blocksAbove: number;
  /** A block is cut again when it holds twice what it should: so many rows, or more for a large individual. */
  leastBlock: number;
}

export const defaultBlockSizes: BlockSizes = { blocksAbove: 2000, leastBlock: 1000 };

/** Amounts are compared as millionths in a bigint. One that does not fit turns the order of its block off. */
const millionths = (amount: string) => `(${amount} * 1000000)::bigint`;
const tooLarge = '9223372036854.775807';

/** Adding up blocks costs about as much as walking through half of one: that is where both are least. */
const blockSize = (count: string, least: string) => `greatest(${least}::int, (3 * sqrt(${count}))::int)`;

/** How many amounts may wait unordered. */
const maxRecent = 500;

export interface NumberedRow {
  row: Row;
  seq: number;
}

/** A stretch of an individual's time in which rows have come or changed. */
export interface Stretch {
  individualId: number;
  first: Instant;
  last: Instant;
  rows: number;
}

/** An individual that has just grown past the threshold gets one block for everything, which is then cut. */
export function makeBlocks(sql: DatabaseTransaction, ids: number[]): Statement {
  return sql`
    insert into transaction_blocks (individual_id, start_time, end_time, row_count, last_seq)
    select id, '-infinity', 'infinity', transaction_count, transaction_count
    from users where id = any(${array(ids)}::int[])`;
}

/** Of some stretches those where so much is new that making the blocks anew is less work than adding to them. */
export async function findDense(sql: DatabaseTransaction, stretches: readonly Stretch[]): Promise<Set<number>> {
  const rows = await sql`
    select n.individual_id
    from unnest(
      ${array(stretches.map(({ individualId }) => individualId))}::int[],
      ${array(stretches.map(({ first }) => first))}::text[]::timestamptz[],
      ${array(stretches.map(({ last }) => last))}::text[]::timestamptz[],
      ${array(stretches.map(({ rows: count }) => count))}::int[]
    ) as n (individual_id, first, last, rows)
    where n.rows >= (
      select sum(b.row_count) from transaction_blocks b
      where b.individual_id = n.individual_id and b.start_time <= n.last and b.end_time > n.first)`;
  return new Set(rows.map(({ individual_id }) => individual_id));
}

/** Counts new rows in the blocks they fall into. One that is to be cut now gets its amounts in order then. */
export function addToBlocks(
  sql: DatabaseTransaction,
  rows: readonly NumberedRow[],
  { leastBlock }: BlockSizes,
): Statement {
  return sql.unsafe(
    `with added as (
       select * from unnest($1::int[], $2::text[]::timestamptz[], $3::bigint[], $4::int[])
         as r (individual_id, time_stamp, amount, seq)
     ), starts as (
       select individual_id, array_agg(start_time order by start_time) as times
       from transaction_blocks where individual_id in (select individual_id from added) group by individual_id
     ), grown as (
       select a.individual_id, s.times[width_bucket(a.time_stamp, s.times)] as start_time,
         count(*)::int as rows, max(a.seq) as last_seq, bool_or(a.amount is null) as too_large,
         array_agg(a.amount) as amounts
       from added a join starts s using (individual_id)
       group by 1, 2
     )
     update transaction_blocks b set
       row_count = b.row_count + g.rows,
       last_seq = g.last_seq,
       amounts = case
         when g.too_large or b.amounts is null or b.row_count + g.rows > 2 * ${blockSize('u.transaction_count', '$5')} then null
         when cardinality(b.recent) + g.rows > ${maxRecent}
           then array(select a from unnest(b.amounts || b.recent || g.amounts) a order by a)
         else b.amounts end,
       recent = case
         when g.too_large or b.amounts is null or cardinality(b.recent) + g.rows > ${maxRecent} then '{}'
         else b.recent || g.amounts end
     from grown g join users u on u.id = g.individual_id
     where b.individual_id = g.individual_id and b.start_time = g.start_time`,
    [
      array(rows.map(({ row }) => row.individualId)),
      array(rows.map(({ row }) => row.timeStamp)),
      array(rows.map(({ row }) => inMillionths(row.amount))),
      array(rows.map(({ seq }) => seq)),
      leastBlock,
    ],
    { prepare: true },
  );
}

/** Makes blocks anew from their rows: those of the stretches, and those that have grown too large, which are cut. */
export function cutBlocks(
  sql: DatabaseTransaction,
  ids: number[],
  stretches: readonly Stretch[],
  { leastBlock }: BlockSizes,
): Statement {
  return sql.unsafe(
    `with torn as (
       delete from transaction_blocks b using users u
       where b.individual_id = any($1::int[]) and u.id = b.individual_id
         and (b.row_count > 2 * ${blockSize('u.transaction_count', '$2')} or exists (
           select from unnest($3::int[], $4::text[]::timestamptz[], $5::text[]::timestamptz[]) as s (individual_id, first, last)
           where s.individual_id = b.individual_id and s.last >= b.start_time and s.first < b.end_time))
       returning b.individual_id, b.start_time, b.end_time, ${blockSize('u.transaction_count', '$2')} as size
     ), placed as (
       select b.individual_id, b.start_time, b.end_time, t.time_stamp, t.amount, t.seq,
         (rank() over (partition by b.individual_id, b.start_time order by t.time_stamp) - 1) / b.size as piece
       from torn b left join lateral (
         select time_stamp, amount, seq from transactions
         where individual_id = b.individual_id and time_stamp >= b.start_time and time_stamp < b.end_time
         offset 0
       ) t on true
     ), pieces as (
       select individual_id, end_time, case when piece = 0 then start_time else min(time_stamp) end as start_time,
         count(seq)::int as rows, coalesce(max(seq), 0) as last_seq,
         case when not coalesce(bool_or(amount >= ${tooLarge}), false)
           then coalesce(array_agg(${millionths('amount')} order by amount) filter (where amount < ${tooLarge}), '{}') end as amounts
       from placed group by individual_id, placed.start_time, end_time, piece
     )
     insert into transaction_blocks (individual_id, start_time, end_time, row_count, last_seq, amounts)
     select individual_id, start_time,
       coalesce(lead(start_time) over (partition by individual_id, end_time order by start_time), end_time),
       rows, last_seq, amounts
     from pieces`,
    [
      array(ids),
      leastBlock,
      array(stretches.map(({ individualId }) => individualId)),
      array(stretches.map(({ first }) => first)),
      array(stretches.map(({ last }) => last)),
    ],
    { prepare: true },
  );
}
