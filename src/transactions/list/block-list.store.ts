/**
 * The blocks of individuals that have them, and lists by time only. A block that lies entirely inside the filter's time
 * range has a stored count; the rows of a block that is cut are counted. Why and how:
 * docs/decisions/0001-list-at-any-size.md.
 *
 * In every statement $1 is the individual, $2 the last sequence number that counts, $3 the start of the time range and
 * $4 its exclusive end.
 */
import type { Owner } from '../../sharing/slots.ts';
import { instantAfter } from '../../values/instant.ts';
import type { Filter } from '../filter.ts';

export type Parameters = (string | number | null)[];

export interface BlockQuery {
  individualId: number;
  filter: Filter;
  upTo: number;
  size: number;
  offset: number;
  owner: Owner;
}

export interface ListRow {
  total: number;
  /** How often the rows of the individual had changed. */
  version: number;
  count: number;
  page: string | null;
}

/** With the counts of the range, which are passed to the statement of the next page; null for a list of all times. */
export interface TimeListRow extends ListRow {
  counts: string | null;
}

/** The number of rows of the individual, and how often they have changed: an updated row changes only the latter. */
export const totalAndVersion = 'u.transaction_count as total, u.transaction_event_count as version';

/**
 * Changes with every change of the rows. After a sandbox was emptied, the same id may be used again, with another time
 * of creation.
 */
const rowsVersion = `concat(u.created_at, ' ', u.transaction_event_count)`;

/** Parsed once: parsing them for each block took longer than the other parts of the statement together. */
export const filterBounds =
  'bounds as materialized (select $3::text::timestamptz as low, $4::text::timestamptz as high)';
const filterStart = '(select low from bounds)';
const filterEnd = '(select high from bounds)';

const isAllTimes = `(${filterStart} = '-infinity' and ${filterEnd} = 'infinity')`;

/** The blocks that overlap the filter's time range. */
export const touchedBlocks = `
  transaction_blocks b
  where b.individual_id = $1 and b.start_time < ${filterEnd} and b.start_time >= (
    select max(start_time) from transaction_blocks where individual_id = $1 and start_time <= ${filterStart})`;

/** The part of a block that the filter's time range covers. */
export const coveredStart = `greatest(b.start_time, ${filterStart})`;
export const coveredEnd = `least(b.end_time, ${filterEnd})`;
/** The block extends beyond the filter's time range. Only the first and the last block of `touchedBlocks` can. */
const reachesBeyond = `(b.start_time < ${filterStart} or b.end_time > ${filterEnd})`;
const outermostBlocks = `
  transaction_blocks b
  where b.individual_id = $1 and b.start_time in (
    (select max(start_time) from transaction_blocks where individual_id = $1 and start_time <= ${filterStart}),
    (select max(start_time) from transaction_blocks where individual_id = $1 and start_time < ${filterEnd}))`;
/** The block has rows outside the filter's time range, or rows that are newer than the pinned list. */
export const isCut = `(b.last_seq > $2 or ${reachesBeyond})`;

export const listedBetween = (first: string, end: string) =>
  `t.individual_id = $1 and t.time_stamp >= ${first} and t.time_stamp < ${end} and t.seq <= $2`;

/**
 * Each key is looked up separately: the plan of a join, made while the table was small, would be kept while the table
 * grows.
 */
export const pageOfKeys = `
  select string_agg(t.body, ',' order by k.time_stamp desc, k.transaction_id desc)
  from keys k cross join lateral (
    select body from transactions
    where individual_id = $1 and time_stamp = k.time_stamp and transaction_id = k.transaction_id
    offset 0
  ) t`;

/**
 * A list by time only. The count of an unfiltered list is known; only a count in a time range adds up all blocks. The
 * search for the page then starts from the nearer end of the list, and within its block from the nearer end of the
 * block: `newer` and `older` are the numbers of the block's rows before and after the page. They are negative if the
 * page continues in the next block. $5 is the size of the page, $6 the number of rows before it, $7 the `counts` of an
 * earlier page of the same list, or null.
 */
export const timeListStatement = `
with ${filterBounds}, reaching as materialized (
  select b.start_time, b.version, coalesce(
    ($7::text::jsonb ->> concat(b.start_time, ' ', b.version))::int,
    (select count(*)::int from transactions t where ${listedBetween(coveredStart, coveredEnd)})) as rows
  from ${outermostBlocks} and ${reachesBeyond}
), counted as not materialized (
  select b.start_time, ${coveredStart} as lower, ${coveredEnd} as upper, case
    when ${reachesBeyond} then (select r.rows from reaching r where r.start_time = b.start_time)
    when b.last_seq > $2 then (select count(*)::int from transactions t where ${listedBetween('b.start_time', 'b.end_time')})
    else b.row_count end as rows
  from ${touchedBlocks}
), listed as materialized (
  select ${totalAndVersion}, case
    when ${isAllTimes} then least(u.transaction_count, $2)
    when $7::text::jsonb ->> 'of' = ${rowsVersion} then ($7::text::jsonb ->> 'count')::int
    else coalesce((select sum(rows)::int from counted), 0) end as count,
    ${rowsVersion} as rows_version
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
  order by start_time desc limit 1)
  union all
  (select lower, upper, through - (select older + size from page), (select older from page) - through + rows
  from (
    select *, sum(rows) over (order by start_time rows unbounded preceding) as through from counted
  ) from_oldest
  where (select is_old from page) and through > (select older from page)
  order by start_time limit 1)
), keys as materialized (
  (select t.time_stamp, t.transaction_id
  from place p, lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${listedBetween(filterStart, 'p.upper')}
    order by t.time_stamp desc, t.transaction_id desc
    offset p.newer limit (select size from page)
  ) t where p.newer >= 0 and (p.older < 0 or p.newer <= p.older))
  union all
  (select t.time_stamp, t.transaction_id
  from place p, lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${listedBetween('p.lower', filterEnd)}
    order by t.time_stamp, t.transaction_id
    offset p.older limit (select size from page)
  ) t where p.older >= 0 and (p.newer < 0 or p.older < p.newer))
)
select total, version, count, (${pageOfKeys}) as page,
  case when not ${isAllTimes} then (
    select coalesce(jsonb_object_agg(concat(r.start_time, ' ', r.version), r.rows), '{}') from reaching r
  ) || jsonb_build_object('of', rows_version, 'count', count) end::text as counts
from listed`;

/** The first four parameters. */
export function rangeParameters({ individualId, upTo, filter: { from, to } }: BlockQuery): Parameters {
  return [individualId, upTo, from ?? '-infinity', to ? instantAfter(to) : 'infinity'];
}
