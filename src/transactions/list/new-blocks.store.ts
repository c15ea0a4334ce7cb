/**
 * Blocks that are made of the rows of a batch alone, without reading them back: an import in the order of time, in
 * either direction, puts all its rows beside those that are stored. They are what `cutBlocks` would make.
 */
import { array, type DatabaseTransaction, type Statement } from '../../db/database.ts';
import { inShard, type Shard } from '../../db/citus/shards.ts';
import { inMillionths } from '../amount.ts';
import { facetGroupOf, facetsOf, searchTextOf } from '../row.ts';
import { facetKeys } from '../filter.ts';
import { rowSeparator, writeTerms } from './block-terms.ts';
import { maxFacets, maxWordsBytes, type ChangedTimeRange, type NumberedRow } from './transaction-blocks.store.ts';

/** The part of a block, at one of its ends, that has room for all rows of a batch and contains no other row. */
export interface Gap {
  individualId: number;
  /** Of the block. */
  blockStart: string;
  start: string;
  end: string;
}

interface Placed {
  /** Has so many new rows in its changed time range that rebuilding the blocks there is cheaper than updating them. */
  isDense: boolean;
  gap: Gap | undefined;
}

/** Where the new rows of some individuals belong. */
export async function placeRanges(
  sql: DatabaseTransaction,
  ranges: readonly ChangedTimeRange[],
  shard: Shard | undefined,
): Promise<Map<number, Placed>> {
  if (ranges.length === 0) return new Map();
  const edge = (which: 'min' | 'max') => sql`(
    select ${sql.unsafe(which)}(t.time_stamp) from transactions t
    where t.individual_id = b.individual_id and t.time_stamp >= b.start_time and t.time_stamp < b.end_time
      ${inShard(sql, 't.individual_id', shard)})`;
  const rows = await sql`
    select n.individual_id, n.rows >= (
        select sum(b.row_count) from transaction_blocks b
        where b.individual_id = n.individual_id and b.start_time <= n.last and b.end_time > n.first
          ${inShard(sql, 'b.individual_id', shard)}) as is_dense,
      b.start_time::text as block_start,
      case when b.newest < n.first then n.first when b.oldest > n.last then b.start_time end::text as gap_start,
      case when b.newest < n.first then b.end_time when b.oldest > n.last then b.oldest end::text as gap_end,
      b.end_time > n.last as is_one_block
    from unnest(
      ${array(ranges.map(({ individualId }) => individualId))}::int[],
      ${array(ranges.map(({ first }) => first))}::text[]::timestamptz[],
      ${array(ranges.map(({ last }) => last))}::text[]::timestamptz[],
      ${array(ranges.map(({ rows: count }) => count))}::int[]
    ) as n (individual_id, first, last, rows)
    cross join lateral (
      select b.start_time, b.end_time, ${edge('min')} as oldest, ${edge('max')} as newest
      from transaction_blocks b
      where b.individual_id = n.individual_id and b.start_time <= n.first and b.end_time > n.first
        ${inShard(sql, 'b.individual_id', shard)}
      offset 0
    ) b`;
  return new Map(
    rows.map(({ individual_id, is_dense, is_one_block, block_start, gap_start, gap_end }) => [
      individual_id,
      {
        isDense: is_dense,
        gap:
          is_one_block && gap_start !== null
            ? { individualId: individual_id, blockStart: block_start, start: gap_start, end: gap_end }
            : undefined,
      },
    ]),
  );
}

export interface NewBlock {
  individualId: number;
  start: string;
  end: string;
  rows: number;
  lastSeq: number;
  /** Null where a block has none: see the columns of transaction_blocks. */
  amounts: string | null;
  facets: string | null;
  words: string | null;
  terms: string | null;
}

/** Cuts the rows of one individual into blocks of `size` rows and more, which fill the gap. */
export function makeNewBlocks(
  { individualId, start, end }: Gap,
  rows: readonly NumberedRow[],
  size: number,
): NewBlock[] {
  const pieces = cutPieces(inTimeOrder(rows), size);
  return pieces.map((piece, index) => ({
    individualId,
    start: index === 0 ? start : piece[0]!.row.timeStamp,
    end: pieces[index + 1]?.[0]!.row.timeStamp ?? end,
    rows: piece.length,
    lastSeq: piece.reduce((last, { seq }) => Math.max(last, seq), 0),
    amounts: orderedAmounts(piece),
    facets: countedFacets(piece),
    ...wordsAndTerms(piece),
  }));
}

function inTimeOrder(rows: readonly NumberedRow[]): readonly NumberedRow[] {
  const compare = (a: NumberedRow, b: NumberedRow) =>
    a.row.timeStamp < b.row.timeStamp ? -1 : Number(a.row.timeStamp > b.row.timeStamp);
  const isOrdered = rows.every((row, index) => index === 0 || compare(rows[index - 1]!, row) <= 0);
  return isOrdered ? rows : rows.toSorted(compare);
}

/** Rows of the same time stay in one piece. */
function cutPieces(rows: readonly NumberedRow[], size: number): NumberedRow[][] {
  const pieces: NumberedRow[][] = [];
  const length = Math.ceil(rows.length / Math.max(1, Math.floor(rows.length / size)));
  for (let from = 0; from < rows.length; from += pieces.at(-1)!.length) {
    let to = Math.min(from + length, rows.length);
    while (to < rows.length && rows[to]!.row.timeStamp === rows[to - 1]!.row.timeStamp) to += 1;
    pieces.push(rows.slice(from, to));
  }
  return pieces;
}

function orderedAmounts(rows: readonly NumberedRow[]): string | null {
  const amounts = new BigInt64Array(rows.length);
  for (const [index, { row }] of rows.entries()) {
    const amount = inMillionths(row.amount);
    if (amount === null) return null;
    amounts[index] = BigInt(amount);
  }
  return `{${amounts.sort().join(',')}}`;
}

function countedFacets(rows: readonly NumberedRow[]): string | null {
  const groups = new Map<string, { first: NumberedRow; count: number }>();
  for (const each of rows) {
    const name = facetGroupOf(each.row);
    const group = groups.get(name);
    if (group) group.count += 1;
    else groups.set(name, { first: each, count: 1 });
  }
  const counts = new Map<string, number>();
  for (const { first, count } of groups.values()) {
    for (const key of facetKeys(facetsOf(first.row))) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts.size > maxFacets ? null : JSON.stringify(Object.fromEntries(counts));
}

function wordsAndTerms(rows: readonly NumberedRow[]): Pick<NewBlock, 'words' | 'terms'> {
  const texts = rows.map(({ row }) => searchTextOf(row));
  const words = texts.join(rowSeparator);
  const isTooLong = Buffer.byteLength(words) - (texts.length - 1) > maxWordsBytes;
  if (isTooLong || texts.some((text) => text.includes(rowSeparator))) return { words: null, terms: null };
  return { words, terms: writeTerms(words, texts.length) };
}

/** The blocks with the gaps keep their rows, and the new blocks take the gaps. */
export function insertNewBlocks(
  sql: DatabaseTransaction,
  gaps: readonly Gap[],
  blocks: readonly NewBlock[],
  version: string,
  shard: Shard | undefined,
): Statement[] {
  const column = <T>(items: readonly T[], read: (item: T) => string | number | null) => array(items.map(read));
  return [
    sql`
      update transaction_blocks b set
        start_time = case when g.gap_start = b.start_time then g.gap_end else b.start_time end,
        end_time = case when g.gap_start = b.start_time then b.end_time else g.gap_start end,
        version = ${version}::bigint
      from unnest(
        ${column(gaps, ({ individualId }) => individualId)}::int[],
        ${column(gaps, ({ blockStart }) => blockStart)}::text[]::timestamptz[],
        ${column(gaps, ({ start }) => start)}::text[]::timestamptz[],
        ${column(gaps, ({ end }) => end)}::text[]::timestamptz[]
      ) as g (individual_id, block_start, gap_start, gap_end)
      where b.individual_id = g.individual_id and b.start_time = g.block_start
        ${inShard(sql, 'b.individual_id', shard)}`,
    sql`
      insert into transaction_blocks (individual_id, start_time, end_time, row_count, last_seq, amounts, facets, words, terms, version)
      select ${shard ? sql`u.id` : sql`n.individual_id`}, n.start_time, n.end_time, n.row_count, n.last_seq,
        n.amounts::bigint[], n.facets::jsonb, n.words, n.terms, ${version}::bigint
      from unnest(
        ${column(blocks, ({ individualId }) => individualId)}::int[],
        ${column(blocks, ({ start }) => start)}::text[]::timestamptz[],
        ${column(blocks, ({ end }) => end)}::text[]::timestamptz[],
        ${column(blocks, ({ rows }) => rows)}::int[],
        ${column(blocks, ({ lastSeq }) => lastSeq)}::int[],
        ${column(blocks, ({ amounts }) => amounts)}::text[],
        ${column(blocks, ({ facets }) => facets)}::text[],
        ${column(blocks, ({ words }) => words)}::text[],
        ${column(blocks, ({ terms }) => terms)}::text[]
      ) as n (individual_id, start_time, end_time, row_count, last_seq, amounts, facets, words, terms)
      ${shard ? sql`join users u on u.id = n.individual_id where true ${inShard(sql, 'u.id', shard)}` : sql``}`,
  ];
}
