/**
 * Pages and counts of individuals that have blocks. A block that lies wholly inside the filter's time is counted by what
 * it knows; one that is cut, by its rows. Why and how: docs/decisions/0001-list-at-any-size.md and
 * 0006-every-filter-at-any-size.md.
 *
 * In every statement $1 is the individual, $2 the last sequence number that counts, $3 the first moment and $4 the moment
 * after the last.
 */
import { array, type Database, type Transaction } from '../db/database.ts';
import { CallerGone, queryTooLong } from '../errors.ts';
import type { Owner } from '../slots.ts';
import { maxMillionths, minMillionths } from './amount.ts';
import { BlockCounts } from './block-counts.ts';
import { hasTimeAndAmountOnly, hasTimeAndFacetsOnly, hasTimeOnly, type Filter } from './filter.ts';
import { instantAfter } from './instant.ts';
import { findPlaces, makeSlices, type CountedBlock, type PagePlace, type RowKey } from './block-places.ts';

export interface ListRow {
  total: number;
  /** How often the rows of the individual had changed. */
  version: number;
  count: number;
  page: string | null;
}

/** All rows of the individual, and how often they have changed: a row that is updated changes only the latter. */
export const standing = 'u.transaction_count as total, u.transaction_event_count as version';

/** Matching rows of a block whose keys are remembered. Where there are more, a page is soon found by reading them. */
const maxKeys = 30;

/** Read from their text once: done for each block it took longer than all the rest. */
const bounds = 'bounds as materialized (select $3::text::timestamptz as low, $4::text::timestamptz as high)';
const low = '(select low from bounds)';
const high = '(select high from bounds)';

/** The blocks of which the filter's time covers all or a part. */
const touchedBlocks = `
  transaction_blocks b
  where b.individual_id = $1 and b.start_time < ${high} and b.start_time >= (
    select max(start_time) from transaction_blocks where individual_id = $1 and start_time <= ${low})`;

const lower = `greatest(b.start_time, ${low})`;
const upper = `least(b.end_time, ${high})`;
/** It reaches beyond the filter's time. Two blocks at most do. */
const reachesBeyond = `(b.start_time < ${low} or b.end_time > ${high})`;
/** It has rows that the filter leaves out, or that came after those the list is pinned to. */
const isCut = `(b.last_seq > $2 or ${reachesBeyond})`;

const listedBetween = (first: string, end: string) =>
  `t.individual_id = $1 and t.time_stamp >= ${first} and t.time_stamp < ${end} and t.seq <= $2`;

/** Each key is looked up by itself: a join planned while the table was small would be kept while it grows. */
const pageOfKeys = `
  select string_agg(t.body, ',' order by k.time_stamp desc, k.transaction_id desc)
  from keys k cross join lateral (
    select body from transactions
    where individual_id = $1 and time_stamp = k.time_stamp and transaction_id = k.transaction_id
    offset 0
  ) t`;

/**
 * A list by time only. The count of an unfiltered list is known; only a count in a time range adds up all blocks.
 * The page is then looked for from the nearer end of the list, and in its block from the nearer end of the block:
 * `newer` and `older` say how many of the block's rows lie before and behind it, less than none where the page
 * runs on into the next block. $5 is the size of the page, $6 the number of rows before it.
 */
export const timeListStatement = `
with ${bounds}, reaching as materialized (
  select b.start_time, (select count(*)::int from transactions t where ${listedBetween(lower, upper)}) as rows
  from ${touchedBlocks} and ${reachesBeyond}
), counted as not materialized (
  select b.start_time, ${lower} as lower, ${upper} as upper, case
    when ${reachesBeyond} then (select r.rows from reaching r where r.start_time = b.start_time)
    when b.last_seq > $2 then (select count(*)::int from transactions t where ${listedBetween('b.start_time', 'b.end_time')})
    else b.row_count end as rows
  from ${touchedBlocks}
), listed as materialized (
  select ${standing}, case
    when ${low} = '-infinity' and ${high} = 'infinity' then least(u.transaction_count, $2)
    else coalesce((select sum(rows)::int from counted), 0) end as count
  from users u where u.id = $1
), page as materialized (
  select least($5, count - $6::bigint) as size, greatest(0, count - $6::bigint - $5) as older,
    count > $6::bigint and count > 2 * $6::bigint as is_new, count > $6::bigint and count <= 2 * $6::bigint as is_old
  from listed
), place as materialized (
  (select lower, upper, $6::bigint - through + rows as newer, through - $6::bigint - (select size from page) as older
  from (
    select *, sum(rows) over (order by start_time desc rows unbounded preceding) as through from counted
  ) from_newest
  where (select is_new from page) and through > $6::bigint
  limit 1)
  union all
  (select lower, upper, through - (select older + size from page), (select older from page) - through + rows
  from (
    select *, sum(rows) over (order by start_time rows unbounded preceding) as through from counted
  ) from_oldest
  where (select is_old from page) and through > (select older from page)
  limit 1)
), keys as materialized (
  (select t.time_stamp, t.transaction_id
  from place p, lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${listedBetween(low, 'p.upper')}
    order by t.time_stamp desc, t.transaction_id desc
    offset p.newer limit (select size from page)
  ) t where p.newer >= 0 and (p.older < 0 or p.newer <= p.older))
  union all
  (select t.time_stamp, t.transaction_id
  from place p, lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${listedBetween('p.lower', high)}
    order by t.time_stamp, t.transaction_id
    offset p.older limit (select size from page)
  ) t where p.older >= 0 and (p.newer < 0 or p.older < p.newer))
)
select total, version, count, (${pageOfKeys}) as page from listed`;

const facetsMatch = (alias: string, first: number) => `
  ($${first}::text is null or ${alias}.transaction_type = $${first})
  and ($${first + 1}::text is null or ${alias}.transaction_category = $${first + 1})
  and ($${first + 2}::text is null or ${alias}.transaction_status = $${first + 2})
  and ($${first + 3}::text is null or ${alias}.currency = $${first + 3})`;

const amountMatches = (first: number) => `
  ($${first}::numeric is null or t.amount >= $${first}::numeric)
  and ($${first + 1}::numeric is null or t.amount <= $${first + 1}::numeric)`;

/** Everything that can be asked for but the time: amounts, facets and search, from a parameter on. */
const allMatch = (first: number) => `
  ${amountMatches(first)}
  and ${facetsMatch('t', first + 2)}
  and ($${first + 6}::text is null or strpos(t.search_text, $${first + 6}) > 0)`;

/**
 * The blocks of a list, newest first, and how many of their rows match where a block knows it. $5 is the only facet that
 * is asked for; null where there is none, or more.
 */
const blocksStatement = `
with ${bounds}
select b.start_time::text as start_time, b.version::text as version, b.row_count, ${isCut} as is_cut,
  case when $5::text is not null and b.facets is not null and not ${isCut} then coalesce((b.facets ->> $5)::int, 0) end as rows,
  (select transaction_count from users where id = $1) as total,
  (select transaction_event_count from users where id = $1) as list_version
from ${touchedBlocks} order by b.start_time desc`;

/**
 * The rows of some blocks ($5) that match, one by one, except where a block knows that there are none: because it lacks
 * one of the facets ($13), or the text. Of a block with few of them also their keys.
 */
const countRowsStatement = `
with ${bounds}
select b.start_time::text as start_time, counted.rows, counted.keys
from transaction_blocks b cross join lateral (
  select count(*)::int as rows, json_agg(json_build_array(m.time_stamp, m.transaction_id) order by m.place) filter (where m.place <= ${maxKeys}) as keys
  from (
    select t.time_stamp, t.transaction_id, row_number() over (order by t.time_stamp desc, t.transaction_id desc) as place
    from transactions t
    where ${listedBetween(lower, upper)} and ${allMatch(6)}
      and coalesce($12::text is null or strpos(b.words, $12) > 0, true)
      and coalesce(b.facets ?& $13::text[], true)
  ) m
) counted
where b.individual_id = $1 and b.start_time = any($5::text[]::timestamptz[])`;

/**
 * The rows of some blocks ($5) whose amount lies between $6 and $7, or in millionths between $8 and $9, by two binary
 * searches in a block. Joined with an empty array the amounts are in memory, and are not fetched for each search.
 */
const countAmountsStatement = `
with ${bounds}
select b.start_time::text as start_time, case when ${isCut} or b.amounts is null then (
    select count(*)::int from transactions t where ${listedBetween(lower, upper)} and ${amountMatches(6)}
  ) else (
    select width_bucket($9::bigint, s.amounts) - width_bucket($8::bigint - 1, s.amounts)
    from (select b.amounts || '{}'::bigint[] as amounts offset 0) s
  ) + (select count(*)::int from unnest(b.recent) a where a between $8::bigint and $9::bigint) end as rows
from transaction_blocks b where b.individual_id = $1 and b.start_time = any($5::text[]::timestamptz[])`;

/** A page ($5 rows) that begins in the newest of some blocks ($7), behind so many of its rows that match ($6). */
const placedPage = (matches: string) => `
with ${bounds}, keys as materialized (
  select k.time_stamp, k.transaction_id
  from transaction_blocks b cross join lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${listedBetween(lower, upper)} and ${matches}
    order by t.time_stamp desc, t.transaction_id desc
    limit $5 + $6::bigint
  ) k
  where b.individual_id = $1 and b.start_time = any($7::text[]::timestamptz[])
  order by k.time_stamp desc, k.transaction_id desc
  limit $5 offset $6::bigint
)
select (${pageOfKeys}) as page`;

/** The index of the list holds the amounts: where only they are asked for, the rows before the page are not read. */
const placedByAmountStatement = placedPage(amountMatches(8));
const placedStatement = placedPage(allMatch(8));

/** A page whose keys are known: $2 the times, $3 the ids. */
const knownPageStatement = `
with keys as materialized (
  select * from unnest($2::text[]::timestamptz[], $3::text[]) as k (time_stamp, transaction_id)
)
select (${pageOfKeys}) as page`;

/** Rows that one statement reads, and rows whose amounts it searches, so that none takes long. */
const rowsPerStatement = 100_000;
const amountsPerStatement = 5_000_000;
/** What a caller waits for. Counts that were made until then are kept, and the next request goes on from there. */
const maxCountingMilliseconds = 60_000;

export interface BlockQuery {
  individualId: number;
  filter: Filter;
  upTo: number;
  size: number;
  offset: number;
  owner: Owner;
}

type Parameters = (string | number | null)[];

/** Lists of individuals with blocks. Undefined for an individual that has none. */
export function createBlockLists(db: Database) {
  const counts = new BlockCounts();

  async function listByTime(query: BlockQuery): Promise<ListRow | undefined> {
    const parameters = [...rangeParameters(query), query.size, query.offset];
    const [row] = await db.read.unsafe<ListRow[]>(timeListStatement, parameters, { prepare: true });
    return row;
  }

  /** Each block is counted once for a filter, and again only when it has changed. */
  const listCounted = (query: BlockQuery): Promise<ListRow | undefined> =>
    db.snapshot(async (sql) => {
      const reader = createCountingReader(sql, query);
      const { blocks, total, version } = await reader.readBlocks();
      if (blocks.length === 0) return undefined;
      const known = counts.of(query.individualId, query.filter);
      for (const block of blocks) Object.assign(block, known.get(block));
      const missing = blocks.filter(({ rows }) => rows === undefined);
      await (hasTimeAndAmountOnly(query.filter)
        ? reader.countAmounts(missing, known.set)
        : reader.countRows(missing, known.set));
      const place = findPlaces(blocks, query.offset, query.size);
      // A page from several blocks with few rows each: their keys are read now, and remembered.
      if (place.blocks.length > 1) {
        const sparse = place.blocks.filter(({ rows, keys }) => rows! <= maxKeys && !keys);
        await reader.countRows(sparse, known.set);
      }
      return { total, version, count: place.count, page: await reader.readPage(place) };
    }, query.owner);

  return function listByBlocks(query: BlockQuery): Promise<ListRow | undefined> {
    return hasTimeOnly(query.filter) ? listByTime(query) : listCounted(query);
  };
}

/** What a statement says of a block. */
interface Counted {
  rows: number;
  keys?: RowKey[] | null;
}

/** The statements of a list whose blocks are counted one by one, on one snapshot. */
function createCountingReader(sql: Transaction, query: BlockQuery) {
  const { filter, owner } = query;
  const range = rangeParameters(query);
  const facets = facetKeys(filter);
  const begun = performance.now();
  const run = (statement: string, parameters: Parameters) => sql.unsafe(statement, parameters, { prepare: true });

  function stopIfLate(): void {
    if (owner.signal?.aborted) throw new CallerGone();
    if (performance.now() - begun > maxCountingMilliseconds) throw queryTooLong();
  }

  async function readSlice(statement: string, slice: readonly CountedBlock[], more: Parameters) {
    const starts = array(slice.map(({ startTime }) => startTime));
    const found = new Map((await run(statement, [...range, starts, ...more])).map((row) => [row.start_time, row]));
    return slice.map((block) => ({ block, ...(found.get(block.startTime) as unknown as Counted) }));
  }

  return {
    async readBlocks(): Promise<{ blocks: CountedBlock[]; total: number; version: number }> {
      const onlyFacet = facets.length === 1 && hasTimeAndFacetsOnly(filter) ? facets[0]! : null;
      const found = await run(blocksStatement, [...range, onlyFacet]);
      const blocks = found.map(({ start_time, version, row_count, is_cut, rows }) => ({
        startTime: start_time,
        version: is_cut ? null : version,
        rowCount: row_count,
        rows: rows ?? undefined,
      }));
      return { blocks, total: found[0]?.total, version: found[0]?.list_version };
    },

    /** With the keys of rows that are few. What is counted is told at once, so that it is kept if a later part fails. */
    async countRows(blocks: readonly CountedBlock[], onCounted: (block: CountedBlock) => void): Promise<void> {
      for (const slice of makeSlices(blocks, rowsPerStatement)) {
        stopIfLate();
        const more = [...matchParameters(filter), array(facets)];
        for (const { block, rows, keys } of await readSlice(countRowsStatement, slice, more)) {
          block.rows = rows;
          block.keys = rows <= maxKeys ? (keys ?? []) : undefined;
          onCounted(block);
        }
      }
    },

    async countAmounts(blocks: readonly CountedBlock[], onCounted: (block: CountedBlock) => void): Promise<void> {
      for (const slice of makeSlices(blocks, amountsPerStatement)) {
        stopIfLate();
        for (const { block, rows } of await readSlice(countAmountsStatement, slice, amountParameters(filter))) {
          block.rows = rows;
          onCounted(block);
        }
      }
    },

    async readPage({ blocks, skip }: PagePlace): Promise<string | null> {
      if (blocks.length === 0) return null;
      const { size } = query;
      if (blocks.every(({ keys }) => keys)) {
        const keys = blocks.flatMap((block) => block.keys!).slice(skip, skip + size);
        const [row] = await run(knownPageStatement, [
          query.individualId,
          array(keys.map(([timeStamp]) => timeStamp)),
          array(keys.map(([, transactionId]) => transactionId)),
        ]);
        return row!.page;
      }
      const starts = array(blocks.map(({ startTime }) => startTime));
      const [statement, matched] = hasTimeAndAmountOnly(filter)
        ? [placedByAmountStatement, amountParameters(filter).slice(0, 2)]
        : [placedStatement, matchParameters(filter)];
      const [row] = await run(statement, [...range, size, skip, starts, ...matched]);
      return row!.page;
    },
  };
}

function rangeParameters({ individualId, upTo, filter: { from, to } }: BlockQuery): Parameters {
  return [individualId, upTo, from ?? '-infinity', to ? instantAfter(to) : 'infinity'];
}

function amountParameters({ amountFrom, amountTo }: Filter): Parameters {
  return [amountFrom ?? null, amountTo ?? null, minMillionths(amountFrom), maxMillionths(amountTo)];
}

function facetParameters({ transactionType, transactionCategory, transactionStatus, currency }: Filter): Parameters {
  return [transactionType ?? null, transactionCategory ?? null, transactionStatus ?? null, currency ?? null];
}

/** The facets that are asked for, by the names that blocks have for them. */
function facetKeys({ transactionType, transactionCategory, transactionStatus, currency }: Filter): string[] {
  return Object.entries({
    type: transactionType,
    category: transactionCategory,
    status: transactionStatus,
    currency,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** In the order of `allMatch`. */
function matchParameters(filter: Filter): Parameters {
  return [filter.amountFrom ?? null, filter.amountTo ?? null, ...facetParameters(filter), filter.search ?? null];
}
