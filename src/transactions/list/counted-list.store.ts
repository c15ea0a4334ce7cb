/**
 * Lists whose blocks are counted one by one, and remembered: by amount, facet, search, or any of them together.
 * Why and how: docs/decisions/0006-every-filter-at-any-size.md. The first four parameters are those of every statement
 * about blocks.
 */
import { array, type Database, type DatabaseRow, type ReadStatement } from '../../db/database.ts';
import { CallerGone, queryTooSlow } from '../../errors.ts';
import { maxMillionths, minMillionths } from '../amount.ts';
import { BlockCounts } from './block-counts.ts';
import { countTerms, isCountedByTerms, rowSeparator } from './block-terms.ts';
import {
  coveredEnd,
  coveredStart,
  filterBounds,
  isCut,
  listedBetween,
  pageOfKeys,
  rangeParameters,
  touchedBlocks,
  type BlockQuery,
  type ListRow,
  type Parameters,
} from './block-list.store.ts';
import { findPlaces, makeSlices, type CountedBlock, type PagePlace, type RowKey } from './block-places.ts';
import { facetKeys, hasTimeAndAmountOnly, hasTimeAndFacetsOnly, hasTimeAndSearchOnly, type Filter } from '../filter.ts';
import {
  matchesAmounts,
  matchesRow,
  matchesSearch,
  matchParameters,
  patternOf,
  searchedIn,
  searchOf,
  searchParameter,
} from './row-matches.ts';
import { sqlRowSeparator } from './transaction-blocks.store.ts';

/**
 * Matching rows of a block whose keys are remembered. If there are more, a page is found quickly by reading the rows.
 */
const maxKeys = 30;

/**
 * The blocks of a list, newest first, with their stored number of matching rows if they have one. $5 is the only facet
 * of the filter; null if there is none or more than one.
 */
const blocksStatement = `
with ${filterBounds}
select b.start_time::text as start_time, b.version::text as version, b.row_count, ${isCut} as is_cut,
  case when $5::text is not null and b.facets is not null and not ${isCut} then coalesce((b.facets ->> $5)::int, 0) end as rows,
  (select transaction_count from users where id = $1) as total,
  (select transaction_event_count from users where id = $1) as list_version
from ${touchedBlocks} order by b.start_time desc`;

/**
 * Counts the matching rows of some blocks ($5) row by row, except in a block that has none for certain: because it
 * lacks one of the facets ($13), or the text. If a block has only a few, their keys are returned too.
 */
const countRowsStatement = `
with ${filterBounds}
select b.start_time::text as start_time, counted.rows, counted.keys
from transaction_blocks b cross join lateral (
  select count(*)::int as rows, json_agg(json_build_array(m.time_stamp, m.transaction_id) order by m.place) filter (where m.place <= ${maxKeys}) as keys
  from (
    select t.time_stamp, t.transaction_id, row_number() over (order by t.time_stamp desc, t.transaction_id desc) as place
    from transactions t
    where ${listedBetween(coveredStart, coveredEnd)} and ${matchesRow(6)}
      and coalesce(${matchesSearch('b.words', '$12')}, true)
      and coalesce(b.facets ?& $13::text[], true)
  ) m
) counted
where b.individual_id = $1 and b.start_time = any($5::text[]::timestamptz[])`;

/**
 * Counts the rows of some blocks ($5) whose amount lies between $6 and $7, or in millionths between $8 and $9, by two
 * binary searches in each block. Concatenation with an empty array loads the amounts into memory, so that they are not
 * fetched for each search.
 */
const countAmountsStatement = `
with ${filterBounds}
select b.start_time::text as start_time, case when ${isCut} or b.amounts is null then (
    select count(*)::int from transactions t where ${listedBetween(coveredStart, coveredEnd)} and ${matchesAmounts(6)}
  ) else (
    select width_bucket($9::bigint, s.amounts) - width_bucket($8::bigint - 1, s.amounts)
    from (select b.amounts || '{}'::bigint[] as amounts offset 0) s
  ) + (select count(*)::int from unnest(b.recent) a where a between $8::bigint and $9::bigint) end as rows
from transaction_blocks b where b.individual_id = $1 and b.start_time = any($5::text[]::timestamptz[])`;

/**
 * The terms of some blocks ($5), if they have them and all their rows are listed. A node of the release before empties
 * only `words` when rows are added.
 */
const termsStatement = `
with ${filterBounds}
select b.start_time::text as start_time, b.terms
from transaction_blocks b
where b.individual_id = $1 and b.start_time = any($5::text[]::timestamptz[])
  and b.terms is not null and b.words is not null and not ${isCut}`;

/**
 * Counts the rows of some blocks ($5) that match a search ($6), if a block stores the texts of its rows and all its rows
 * are listed. For a search without a pattern the texts are split at each match. A piece between two matches contains a
 * gap if the matches are in different rows. As a column, and not as a table, the pieces are not stored before they are
 * counted.
 */
const countWordsStatement = `
with ${filterBounds}
select b.start_time::text as start_time, case when ${patternOf('$6')} is null then (
    select case when cardinality(w.pieces) <= 1 then 0 else 1 + (
      select count(*)::int from (select unnest(w.pieces[2 : cardinality(w.pieces) - 1]) as piece offset 0) between_matches
      where piece collate "C" like '%' || ${sqlRowSeparator} || '%') end
    from (select string_to_array(${searchedIn('b.words', '$6')}, ${searchOf('$6')}) as pieces offset 0) w
  ) else (
    select count(*)::int from unnest(string_to_array(b.words, ${sqlRowSeparator})) as w (words)
    where ${matchesSearch('w.words', '$6')}
  ) end as rows
from transaction_blocks b
where b.individual_id = $1 and b.start_time = any($5::text[]::timestamptz[]) and b.words is not null and not ${isCut}`;

/** A page ($5 rows) that starts in the newest of the given blocks ($7), after $6 matching rows. */
const placedPage = (matches: string) => `
with ${filterBounds}, keys as materialized (
  select k.time_stamp, k.transaction_id
  from transaction_blocks b cross join lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${listedBetween(coveredStart, coveredEnd)} and ${matches}
    order by t.time_stamp desc, t.transaction_id desc
    limit $5 + $6::bigint
  ) k
  where b.individual_id = $1 and b.start_time = any($7::text[]::timestamptz[])
  order by k.time_stamp desc, k.transaction_id desc
  limit $5 offset $6::bigint
)
select (${pageOfKeys}) as page`;

/** The index of the list contains the amounts: with a filter by amount only, the rows before the page are not read. */
const placedByAmountStatement = placedPage(matchesAmounts(8));
const placedStatement = placedPage(matchesRow(8));

/** A page whose keys are known: $2 the times, $3 the ids. */
const knownPageStatement = `
with keys as materialized (
  select * from unnest($2::text[]::timestamptz[], $3::text[]) as k (time_stamp, transaction_id)
)
select (${pageOfKeys}) as page`;

/**
 * The number of rows that one statement counts by the rows themselves, by their texts or by their amounts, so that no
 * statement takes long.
 */
const rowsPerStatement = 100_000;
const textsPerStatement = 300_000;
const amountsPerStatement = 5_000_000;
/**
 * How long a caller waits. The counts that were made until then are kept, and the next request continues from there.
 */
const maxCountingMilliseconds = 60_000;

/** Any list of an individual with blocks; undefined for one that has none. */
export function createCountedList(db: Database) {
  const counts = new BlockCounts();

  /** Each block is counted once for a filter, and again only when it has changed. */
  return (query: BlockQuery): Promise<ListRow | undefined> =>
    db.snapshot(async (read) => {
      const reader = createCountingReader(read, query);
      const { blocks, total, version } = await reader.readBlocks();
      if (blocks.length === 0) return undefined;
      const known = counts.of(query.individualId, query.filter);
      for (const block of blocks) Object.assign(block, known.get(block));
      await reader.countByContents(blocks, known.set);
      await reader.countRows(blocks.filter(isMissing), known.set);
      const place = findPlaces(blocks, query.offset, query.size);
      // A page from several blocks with few rows each: their keys are read now, and remembered.
      if (place.blocks.length > 1) {
        const sparse = place.blocks.filter(({ rows, keys }) => rows! <= maxKeys && !keys);
        await reader.countRows(sparse, known.set);
      }
      return { total, version, count: place.count, page: await reader.readPage(place) };
    }, query.owner);
}

/** What a statement returns for a block. */
interface Counted {
  rows: number;
  keys: RowKey[] | null;
}

const isMissing = ({ rows }: CountedBlock): boolean => rows === undefined;

interface Contents {
  statement: string;
  parameters: Parameters;
  rowsPerStatement: number;
  /** The number of matching rows of a block. */
  countOf(row: DatabaseRow): number;
}

/** How blocks are counted by what they store, if there is a way for the filter. What the first leaves is for the next. */
function contentsFor(filter: Filter): Contents[] {
  const countOf = ({ rows }: DatabaseRow) => rows as number;
  if (hasTimeAndAmountOnly(filter)) {
    const parameters = amountParameters(filter);
    return [{ statement: countAmountsStatement, parameters, rowsPerStatement: amountsPerStatement, countOf }];
  }
  const { search } = filter;
  if (!hasTimeAndSearchOnly(filter) || !search || search.includes(rowSeparator)) return [];
  const parameters = [searchParameter(filter)];
  const byTexts = { statement: countWordsStatement, parameters, rowsPerStatement: textsPerStatement, countOf };
  if (!isCountedByTerms(search)) return [byTexts];
  const byTerms = { statement: termsStatement, parameters: [], rowsPerStatement };
  return [{ ...byTerms, countOf: ({ terms }) => countTerms(terms as string, search) }, byTexts];
}

/** The statements of a list whose blocks are counted one by one, on one snapshot. */
function createCountingReader(read: ReadStatement, query: BlockQuery) {
  const { filter, owner } = query;
  const range = rangeParameters(query);
  const facets = facetKeys(filter);
  const begun = performance.now();

  function stopIfLate(): void {
    if (owner.signal?.aborted) throw new CallerGone();
    if (performance.now() - begun > maxCountingMilliseconds) throw queryTooSlow();
  }

  async function readSlice(statement: string, slice: readonly CountedBlock[], more: Parameters) {
    const starts = array(slice.map(({ startTime }) => startTime));
    const found = new Map((await read(statement, [...range, starts, ...more])).map((row) => [row.start_time, row]));
    return slice.map((block) => ({ block, row: found.get(block.startTime) }));
  }

  return {
    async readBlocks(): Promise<{ blocks: CountedBlock[]; total: number; version: number }> {
      const onlyFacet = facets.length === 1 && hasTimeAndFacetsOnly(filter) ? facets[0]! : null;
      const found = await read(blocksStatement, [...range, onlyFacet]);
      const blocks = found.map(({ start_time, version, row_count, is_cut, rows }) => ({
        startTime: start_time,
        version: is_cut ? null : version,
        rowCount: row_count,
        rows: rows ?? undefined,
      }));
      return { blocks, total: found[0]?.total, version: found[0]?.list_version };
    },

    /**
     * Also reads the keys if a block has only a few matching rows. Calls `onCounted` after each statement, so that the
     * counts are kept if a later statement fails.
     */
    async countRows(blocks: readonly CountedBlock[], onCounted: (block: CountedBlock) => void): Promise<void> {
      for (const slice of makeSlices(blocks, rowsPerStatement)) {
        stopIfLate();
        const more = [...matchParameters(filter), array(facets)];
        for (const { block, row } of await readSlice(countRowsStatement, slice, more)) {
          const { rows, keys } = row as unknown as Counted;
          block.rows = rows;
          block.keys = rows <= maxKeys ? (keys ?? []) : undefined;
          onCounted(block);
        }
      }
    },

    /**
     * Counts by the amounts or the texts that blocks store, if the filter has nothing else. Some blocks may stay
     * uncounted.
     */
    async countByContents(blocks: readonly CountedBlock[], onCounted: (block: CountedBlock) => void): Promise<void> {
      for (const { statement, parameters, rowsPerStatement: rowsPerSlice, countOf } of contentsFor(filter)) {
        for (const slice of makeSlices(blocks.filter(isMissing), rowsPerSlice)) {
          stopIfLate();
          for (const { block, row } of await readSlice(statement, slice, parameters)) {
            if (!row) continue;
            block.rows = countOf(row);
            onCounted(block);
          }
        }
      }
    },

    async readPage({ blocks, skip }: PagePlace): Promise<string | null> {
      if (blocks.length === 0) return null;
      const { size } = query;
      if (blocks.every(({ keys }) => keys)) {
        const keys = blocks.flatMap((block) => block.keys!).slice(skip, skip + size);
        const [row] = await read(knownPageStatement, [
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
      const [row] = await read(statement, [...range, size, skip, starts, ...matched]);
      return row!.page;
    },
  };
}

function amountParameters({ amountFrom, amountTo }: Filter): Parameters {
  return [amountFrom ?? null, amountTo ?? null, minMillionths(amountFrom), maxMillionths(amountTo)];
}
