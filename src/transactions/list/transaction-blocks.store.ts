/**
 * The index of counts for individuals with many transactions. Every statement here runs in the transaction that writes
 * the rows, under the lock of the individual, so that readers always see rows and counts that agree. Why and how:
 * docs/decisions/0001-list-at-any-size.md.
 */
import { setImmediate } from 'node:timers/promises';
import { array, type Database, type DatabaseRow, type DatabaseTransaction, type Statement } from '../../db/database.ts';
import type { Shard } from '../../db/citus/shards.ts';
import type { Instant } from '../../values/instant.ts';
import { inMillionths } from '../amount.ts';
import { facetsOf, type Row } from '../row.ts';
import { foldedFacets, type Facets, type Transaction } from '../transaction.ts';
import { rowSeparator, writeTerms } from './block-terms.ts';

export interface BlockSizes {
  /** Individuals with more rows than this have blocks; the others are listed without. */
  blocksAbove: number;
  /**
   * The smallest size of a block, in rows; for a large individual blocks are larger. A block is cut when it has twice
   * its size.
   */
  leastBlock: number;
}

export const defaultBlockSizes: BlockSizes = { blocksAbove: 2000, leastBlock: 1000 };

/** Amounts are compared as millionths in a bigint. If an amount does not fit, its block has no ordered amounts. */
const millionths = (amount: string) => `(${amount} * 1000000)::bigint`;
const tooLarge = '9223372036854.775807';

/**
 * A list in a time range adds up blocks and counts the rows of two that it cuts; other filters list all blocks. Smaller
 * blocks would make the former cheaper and the latter more expensive: see bench/profile.md.
 */
const blockSize = (count: string, least: string) => `greatest(${least}::int, (1.5 * sqrt(${count}))::int)`;

/** The same of a known count. */
export const blockSizeOf = (count: number, { leastBlock }: BlockSizes) =>
  Math.max(leastBlock, Math.round(1.5 * Math.sqrt(count)));

/** Maximum number of amounts of a block that are not ordered yet. */
const maxRecent = 500;

/** Maximum number of different values of type, category, status and currency, taken together, that a block counts. */
export const maxFacets = 200;

/** If a block has more text than this, its rows are read instead. */
export const maxWordsBytes = 2 ** 20;

export const sqlRowSeparator = `chr(${rowSeparator.codePointAt(0)})`;

export interface NumberedRow {
  row: Row;
  seq: number;
  /** The number of the commit that writes it. */
  commit: number;
}

/** A row before and after a change. */
export interface ChangedRow {
  from: Transaction;
  to: Row;
  hasNewWords: boolean;
}

/** A time range in which rows of an individual were added or changed. */
export interface ChangedTimeRange {
  individualId: number;
  first: Instant;
  last: Instant;
  rows: number;
}

/** A change to a block: a new row (1), or for a changed row its new values (1) or its old values (-1). */
interface BlockChange {
  individualId: number;
  timeStamp: Instant;
  facets: Facets;
  rows: 1 | -1;
  /** For a new row only. */
  seq: number | null;
  millionths: string | null;
  hasNewWords: boolean;
}

const newRow = ({ row, seq }: NumberedRow): BlockChange => ({
  individualId: row.individualId,
  timeStamp: row.timeStamp,
  facets: facetsOf(row),
  rows: 1,
  seq,
  millionths: inMillionths(row.amount),
  hasNewWords: true,
});

function formsOf({ from, to, hasNewWords }: ChangedRow, after: Transaction): BlockChange[] {
  const { individualId, timeStamp } = to;
  const common = { individualId, timeStamp, seq: null, millionths: null, hasNewWords };
  return [
    { facets: foldedFacets(from), rows: -1, ...common },
    { facets: foldedFacets(after), rows: 1, ...common },
  ];
}

/** An individual that has just grown past the threshold gets one block for everything, which is then cut. */
export function makeBlocks(sql: DatabaseTransaction, ids: number[], version: string): Statement {
  return sql`
    insert into transaction_blocks (individual_id, start_time, end_time, row_count, last_seq, version)
    select id, '-infinity', 'infinity', transaction_count, transaction_count, ${version}::bigint
    from users where id = any(${array(ids)}::int[])`;
}

const facetColumns = 'transaction_type, transaction_category, transaction_status, currency';

/** Each value with its name, in the form of a block's facets; see `facetKeys`. */
const facetKeysOf = (alias: string) => `lateral (values ('type=' || ${alias}.transaction_type),
  ('category=' || ${alias}.transaction_category), ('status=' || ${alias}.transaction_status), ('currency=' || ${alias}.currency)) as k (key)`;

/** The sum of a block's counts and the changes. */
const addedFacets = (known: string, changes: string) => `(
  select case when count(*) <= ${maxFacets} then coalesce(jsonb_object_agg(key, rows), '{}') end
  from (
    select key, sum(value::int) as rows
    from (select * from jsonb_each_text(${known}) union all select * from jsonb_each_text(${changes})) counted
    group by key having sum(value::int) <> 0
  ) summed)`;

/**
 * Counts new rows, and changes of rows that keep their position, in the blocks that contain them. If a block is cut
 * now, its amounts are ordered by the cut.
 */
export function addToBlocks(
  sql: DatabaseTransaction,
  created: readonly NumberedRow[],
  changed: readonly (ChangedRow & { after: Transaction })[],
  { leastBlock }: BlockSizes,
  version: string,
  shard: Shard | undefined,
): Statement {
  const changes = [...created.map(newRow), ...changed.flatMap((change) => formsOf(change, change.after))];
  const facet = (name: keyof Facets) => array(changes.map(({ facets }) => facets[name]));
  return sql.unsafe(
    `with changed as (
       select * from unnest($1::int[], $2::text[]::timestamptz[], $3::bigint[], $4::int[],
         $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::boolean[])
         as r (individual_id, time_stamp, amount, seq, ${facetColumns}, rows, has_new_words)
     ), starts as (
       select individual_id, array_agg(start_time order by start_time) as times
       from transaction_blocks where ${shard ? 'individual_id = any($13::int[])' : 'individual_id in (select individual_id from changed)'}
       group by individual_id
     ), placed as materialized (
       select c.*, s.times[width_bucket(c.time_stamp, s.times)] as start_time from changed c join starts s using (individual_id)
     ), facets as (
       select individual_id, start_time, jsonb_object_agg(key, rows) as counts
       from (
         select p.individual_id, p.start_time, k.key, sum(p.rows) as rows
         from placed p cross join ${facetKeysOf('p')} group by 1, 2, 3
       ) summed where rows <> 0 group by individual_id, start_time
     ), grown as (
       select individual_id, start_time, count(seq)::int as rows, max(seq) as last_seq,
         coalesce(bool_or(amount is null) filter (where seq is not null), false) as too_large,
         coalesce(array_agg(amount) filter (where seq is not null), '{}') as amounts,
         bool_or(has_new_words) as has_new_words
       from placed group by individual_id, start_time
     )
     update transaction_blocks b set
       row_count = b.row_count + g.rows,
       last_seq = greatest(b.last_seq, g.last_seq),
       amounts = case
         when g.too_large or b.amounts is null or b.row_count + g.rows > 2 * ${blockSize('u.transaction_count', '$11')} then null
         when cardinality(b.recent) + g.rows > ${maxRecent}
           then array(select a from unnest(b.amounts || b.recent || g.amounts) a order by a)
         else b.amounts end,
       recent = case
         when g.too_large or b.amounts is null or cardinality(b.recent) + g.rows > ${maxRecent} then '{}'
         else b.recent || g.amounts end,
       facets = case
         when b.facets is null or f.counts is null then b.facets
         else ${addedFacets('b.facets', 'f.counts')} end,
       words = case when g.has_new_words then null else b.words end,
       terms = case when g.has_new_words then null else b.terms end,
       version = $12::bigint
     from grown g join users u on u.id = g.individual_id
       left join facets f on f.individual_id = g.individual_id and f.start_time = g.start_time
     where b.individual_id = g.individual_id and b.start_time = g.start_time
       ${shard ? 'and b.individual_id = any($13::int[]) and u.id = any($13::int[])' : ''}`,
    [
      array(changes.map(({ individualId }) => individualId)),
      array(changes.map(({ timeStamp }) => timeStamp)),
      array(changes.map((change) => change.millionths)),
      array(changes.map(({ seq }) => seq)),
      facet('transactionType'),
      facet('transactionCategory'),
      facet('transactionStatus'),
      facet('currency'),
      array(changes.map(({ rows }) => rows)),
      array(changes.map(({ hasNewWords }) => String(hasNewWords))),
      leastBlock,
      version,
      ...(shard ? [array(shard)] : []),
    ],
    { prepare: true },
  );
}

/**
 * Rebuilds blocks from their rows: those in the changed time ranges, and those that have grown too large, which are cut.
 * Returns the new blocks, which have no terms yet; on Citus none, where an insert that also returns rows was not tried.
 */
export function cutBlocks(
  sql: DatabaseTransaction,
  ids: number[],
  changedRanges: readonly ChangedTimeRange[],
  { leastBlock }: BlockSizes,
  version: string,
  shard: Shard | undefined,
): Statement {
  return sql.unsafe(
    `with removed as (
       delete from transaction_blocks b using users u
       where b.individual_id = any($1::int[]) and u.id = b.individual_id ${shard ? 'and u.id = any($1::int[])' : ''}
         and (b.row_count > 2 * ${blockSize('u.transaction_count', '$2')} or exists (
           select 1 from unnest($3::int[], $4::text[]::timestamptz[], $5::text[]::timestamptz[]) as s (individual_id, first, last)
           where s.individual_id = b.individual_id and s.last >= b.start_time and s.first < b.end_time))
       returning b.individual_id, b.start_time, b.end_time, ${blockSize('u.transaction_count', '$2')} as size
     ), placed as materialized (
       select b.individual_id, b.start_time as old_start, b.end_time, t.*,
         (rank() over (partition by b.individual_id, b.start_time order by t.time_stamp) - 1) / b.size as piece
       from removed b left join lateral (
         select time_stamp, amount, seq, ${facetColumns}, search_text from transactions
         where individual_id = b.individual_id and time_stamp >= b.start_time and time_stamp < b.end_time
           ${shard ? 'and individual_id = any($1::int[])' : ''}
         offset 0
       ) t on true
     ), facets as (
       select individual_id, old_start, piece, jsonb_object_agg(key, rows) as counts
       from (
         select c.individual_id, c.old_start, c.piece, k.key, sum(c.rows) as rows
         from (
           select individual_id, old_start, piece, ${facetColumns}, count(*) as rows
           from placed where seq is not null group by individual_id, old_start, piece, ${facetColumns}
         ) c cross join ${facetKeysOf('c')} group by 1, 2, 3, 4
       ) counted group by individual_id, old_start, piece having count(*) <= ${maxFacets}
     ), pieces as (
       select individual_id, old_start, piece, end_time,
         case when piece = 0 then old_start else min(time_stamp) end as start_time,
         count(seq)::int as rows, coalesce(max(seq), 0) as last_seq,
         case when not coalesce(bool_or(amount >= ${tooLarge}), false)
           then coalesce(array_agg(${millionths('amount')} order by amount) filter (where amount < ${tooLarge}), '{}') end as amounts,
         case when coalesce(sum(octet_length(search_text)), 0) <= ${maxWordsBytes}
           and not coalesce(bool_or(strpos(search_text, ${sqlRowSeparator}) > 0), false)
           then coalesce(string_agg(search_text, ${sqlRowSeparator}), '') end as words
       from placed group by individual_id, old_start, end_time, piece
     )
     insert into transaction_blocks (individual_id, start_time, end_time, row_count, last_seq, amounts, facets, words, version)
     select p.individual_id, p.start_time,
       coalesce(lead(p.start_time) over (partition by p.individual_id, p.end_time order by p.start_time), p.end_time),
       p.rows, p.last_seq, p.amounts, case when p.rows = 0 then '{}' else f.counts end, p.words, $6::bigint
     from pieces p left join facets f
       on f.individual_id = p.individual_id and f.old_start = p.old_start and f.piece = p.piece
     ${shard ? '' : 'returning individual_id, start_time::text, row_count, words, version::text'}`,
    [
      array(ids),
      leastBlock,
      array(changedRanges.map(({ individualId }) => individualId)),
      array(changedRanges.map(({ first }) => first)),
      array(changedRanges.map(({ last }) => last)),
      version,
    ],
    { prepare: true },
  );
}

/**
 * Gives blocks that were cut their terms, after the commit: making them would keep the individual locked. A block that
 * has changed since has another version, and stays without terms until it is cut again.
 */
export async function addTerms(db: Database, blocks: readonly DatabaseRow[]): Promise<void> {
  for (const { individual_id, start_time, row_count, words, version } of blocks) {
    if (words === null) continue;
    // Some thousand rows take some milliseconds.
    await setImmediate();
    const terms = writeTerms(words as string, row_count as number);
    if (terms === null) continue;
    await db.write`
      update transaction_blocks set terms = ${terms}
      where individual_id = ${individual_id} and start_time = ${start_time}::text::timestamptz
        and version = ${version}::text::bigint`;
  }
}
