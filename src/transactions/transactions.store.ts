/** The statements about transactions. A page's JSON is joined by the database and passed on untouched. */
import type { Database, Row, Sql } from '../db/database.ts';
import { errorCode } from '../db/failures.ts';
import type { Owner } from '../slots.ts';
import { minMillionths, maxMillionths } from './amount.ts';
import { hasAmount, isNarrow, isUnfiltered, offsetOf, type Filter, type Page } from './filter.ts';
import { firstInstant, instantAfter, lastInstant } from './instant.ts';
import type { Period } from './period.ts';
import { defaultBlockSizes, type BlockSizes } from './transaction-blocks.store.ts';

/** All rows of the individual, and how often they have changed: a row that is updated changes only the latter. */
const standing = 'u.transaction_count as total, u.transaction_event_count as version';

/** Pages of all the rows up to a sequence number. The count needs no counting: see users.transaction_count. */
export const listStatement = `
select least(u.transaction_count, $4) as count, ${standing}, (
  select string_agg(body, ',') from (
    select body from transactions
    where individual_id = $1 and seq <= $4
    order by time_stamp desc, transaction_id desc
    limit $2 offset $3::bigint
  ) page
) as page
from users u where u.id = $1`;

/** As text first: the driver would pass a timestamp through a Date, which has no microseconds. */
const matches = `
  u.transaction_count <= $14 and u.id = $1 and individual_id = $1 and seq <= $4
  and time_stamp between $5::text::timestamptz and $6::text::timestamptz
  and ($7::numeric is null or amount >= $7::numeric)
  and ($8::numeric is null or amount <= $8::numeric)
  and ($9::text is null or transaction_type = $9)
  and ($10::text is null or transaction_category = $10)
  and ($11::text is null or transaction_status = $11)
  and ($12::text is null or currency = $12)
  and ($13::text is null or strpos(search_text, $13) > 0)`;

/** Looks at every row of the individual, and so at none of one that has more than $14. */
export const filteredListStatement = `
select ${standing},
  (select count(*)::int from transactions where ${matches}) as count,
  (select string_agg(body, ',') from (
    select body from transactions where ${matches}
    order by time_stamp desc, transaction_id desc
    limit $2 offset $3::bigint
  ) page) as page
from users u where u.id = $1`;

/** Read from their text once: done for each block it took longer than all the rest. */
const low = '(select low from bounds)';
const high = '(select high from bounds)';

/** The blocks of which the filter's time covers all or a part. */
const touchedBlocks = `
  transaction_blocks b
  where b.individual_id = $1 and b.start_time < ${high} and b.start_time >= (
    select max(start_time) from transaction_blocks where individual_id = $1 and start_time <= ${low})`;

const lower = `greatest(b.start_time, ${low})`;
const upper = `least(b.end_time, ${high})`;
/** It has rows that the filter leaves out, or that came after those the list is pinned to. */
const isCut = `(b.last_seq > $4 or b.start_time < ${low} or b.end_time > ${high})`;

const listedBetween = (first: string, end: string) =>
  `t.individual_id = $1 and t.time_stamp >= ${first} and t.time_stamp < ${end} and t.seq <= $4`;

/** Each key is looked up by itself: a join planned while the table was small would be kept while it grows. */
const pageOfKeys = `
  select string_agg(t.body, ',' order by k.time_stamp desc, k.transaction_id desc)
  from keys k cross join lateral (
    select body from transactions
    where individual_id = $1 and time_stamp = k.time_stamp and transaction_id = k.transaction_id
    offset 0
  ) t`;

/**
 * The same for an individual that has blocks, where no amount is asked for. A block that lies wholly inside the
 * filter is counted by what it knows; one that is cut, by its rows. Only a count in a time range adds up all blocks.
 * The page is then looked for from the nearer end of the list, and in its block from the nearer end of the block:
 * `newer` and `older` say how many of the block's rows lie before and behind it, less than none where the page
 * runs on into the next block. $6 is exclusive here.
 */
export const blockListStatement = `
with bounds as materialized (
  select $5::text::timestamptz as low, $6::text::timestamptz as high
), counted as not materialized (
  select b.start_time, ${lower} as lower, ${upper} as upper,
    case when ${isCut} then (
      select count(*)::int from transactions t where ${listedBetween(lower, upper)}
    ) else b.row_count end as rows
  from ${touchedBlocks}
), listed as materialized (
  select ${standing}, case
    when ${low} = '-infinity' and ${high} = 'infinity' then least(u.transaction_count, $4)
    else coalesce((select sum(rows)::int from counted), 0) end as count
  from users u where u.id = $1
), page as materialized (
  select least($2, count - $3::bigint) as size, greatest(0, count - $3::bigint - $2) as older,
    count > $3::bigint and count > 2 * $3::bigint as is_new, count > $3::bigint and count <= 2 * $3::bigint as is_old
  from listed
), place as materialized (
  (select lower, upper, $3::bigint - through + rows as newer, through - $3::bigint - (select size from page) as older
  from (
    select *, sum(rows) over (order by start_time desc rows unbounded preceding) as through from counted
  ) from_newest
  where (select is_new from page) and through > $3::bigint
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

const matchesBetween = (first: string, end: string) => `
  ${listedBetween(first, end)}
  and ($7::numeric is null or t.amount >= $7::numeric) and ($8::numeric is null or t.amount <= $8::numeric)`;

/**
 * The same where amounts are asked for: a whole block is counted by its amounts. The blocks added up, newest first,
 * say in which of them the page begins and ends, and only there rows are walked through.
 * $9 and $10 are the amounts in millionths.
 */
export const amountListStatement = `
with bounds as materialized (
  select $5::text::timestamptz as low, $6::text::timestamptz as high
), counted as (
  select b.start_time, ${lower} as lower, ${upper} as upper,
    case when ${isCut} or b.amounts is null then (
      select count(*)::int from transactions t where ${matchesBetween(lower, upper)}
    ) else width_bucket($10::bigint, b.amounts) - width_bucket($9::bigint - 1, b.amounts)
      + case when b.recent = '{}' then 0 else (
          select count(*)::int from unnest(b.recent) a where a between $9::bigint and $10::bigint) end
    end as rows
  from ${touchedBlocks}
), ranked as materialized (
  select lower, upper, rows, sum(rows) over (order by start_time desc) as through from counted
), keys as materialized (
  select k.time_stamp, k.transaction_id
  from ranked r, lateral (
    select t.time_stamp, t.transaction_id from transactions t
    where ${matchesBetween('r.lower', 'r.upper')}
    order by t.time_stamp desc, t.transaction_id desc
    offset greatest(0, $3::bigint - r.through + r.rows)
    limit least($2, $3::bigint + $2 - r.through + r.rows)
  ) k
  where r.rows > 0 and r.through > $3::bigint and r.through - r.rows < $3::bigint + $2
  order by k.time_stamp desc, k.transaction_id desc
  limit $2
)
select ${standing}, coalesce((select max(through)::int from ranked), 0) as count, (${pageOfKeys}) as page
from users u where u.id = $1`;

/** What was rejected or cancelled is counted, but moved no money. */
const sumStatement = `
with matched as (
  select t.time_stamp, t.currency, t.transaction_category as category,
    case when t.transaction_status in ('rejected', 'cancelled') then 0 else t.amount end as amount
  from users u join transactions t on t.individual_id = u.id where ${matches}
), summed as (
  select date_trunc($2::text, time_stamp at time zone $3::text) as period, currency, count(*) as rows,
    coalesce(sum(amount) filter (where category = 'credit'), 0) as money_in,
    coalesce(sum(amount) filter (where category = 'debit'), 0) as money_out,
    coalesce(sum(amount) filter (where category not in ('credit', 'debit')), 0) as other
  from matched group by 1, 2
)
select ${standing}, coalesce((select sum(rows)::int from summed), 0) as count, (
  select string_agg(
    format('{"from":"%s","currency":"%s","count":%s,"moneyIn":%s,"moneyOut":%s,"other":%s}',
      to_char(period, 'YYYY-MM-DD'), upper(currency), rows, money_in, money_out, other),
    ',' order by period desc, currency)
  from summed) as page
from users u where u.id = $1`;

/** With the order of the list and a limit, so that the index is walked along and nothing is sorted. */
const exportStatement = (columns: string) => `
select ${columns} from users u join transactions t on t.individual_id = u.id where ${matches}
order by t.time_stamp desc, t.transaction_id desc
limit $2 offset $3::bigint`;

const exportedAtOnce = 1000;

/** No individual has more rows than this. */
const everyRow = 2_147_483_647;

/** SQLSTATE 22023: invalid_parameter_value, of which the only one that is not ours is the time zone. */
const invalidParameter = '22023';

interface ListRow {
  total: number;
  version: number;
  count: number;
  page: string | null;
}

export interface ListedPage {
  /** The items' JSON, separated by commas. */
  items: string;
  count: number;
  /** All rows of the individual, whatever the filter: the sequence number of the newest. */
  total: number;
  /** How often the rows of the individual had changed. It only grows. */
  version: number;
}

/** Some rows, as JSON, of a list that had changed so often. */
export interface ReadRows {
  bodies: string[];
  version: number;
}

/** Which rows of an individual are meant, and who wants them. */
export interface RowsQuery {
  individualId: number;
  filter: Filter;
  /** The sequence number of the last row that counts; absent: all rows. */
  upTo?: number | undefined;
  /** The caller has seen an earlier part of this list, and named it by its token. */
  isPinned?: boolean;
  owner: Owner;
}

export interface ListQuery extends RowsQuery {
  page: Page;
}

export interface SumQuery extends RowsQuery {
  by: Period;
  timeZone: string;
}

export type TransactionsStore = ReturnType<typeof createTransactionsStore>;

/** So many large individuals are remembered as such; forgetting one costs a second statement, no more. */
const maxRemembered = 100_000;

export function createTransactionsStore(db: Database, sizes: BlockSizes = defaultBlockSizes) {
  /** Individuals seen to have blocks. A hint only: what a statement finds is what counts. */
  const large = new Set<number>();

  function remember(individualId: number): void {
    if (large.size >= maxRemembered) large.clear();
    large.add(individualId);
  }

  /** A statement that may take long names its owner. */
  function run(
    owner: Owner | undefined,
    statement: string,
    parameters: (string | number | null)[],
  ): PromiseLike<ListRow[]> {
    const send = (sql: Sql) => sql.unsafe<ListRow[]>(statement, parameters, { prepare: true });
    return owner ? db.long(send, owner) : send(db.read);
  }

  async function listByBlocks(query: ListQuery): Promise<ListRow | undefined> {
    const { individualId, filter, owner } = query;
    const parameters = [...pageParameters(query), ...timeParameters(filter)];
    const [row] = hasAmount(filter)
      ? await run(owner, amountListStatement, [...parameters, ...amountParameters(filter)])
      : await run(undefined, blockListStatement, parameters);
    if (row && row.total > sizes.blocksAbove) remember(individualId);
    else large.delete(individualId);
    return row;
  }

  async function listRows(query: ListQuery): Promise<ListRow | undefined> {
    const { individualId, page, filter, owner } = query;
    const common = pageParameters(query);
    const unfiltered = isUnfiltered(filter);
    if (unfiltered && offsetOf(page) <= sizes.blocksAbove) {
      const [row] = await run(undefined, listStatement, common);
      return row;
    }
    const byBlocks = isNarrow(filter);
    if (byBlocks && (unfiltered || large.has(individualId))) {
      const row = await listByBlocks(query);
      if (!row || row.total > sizes.blocksAbove) return row;
    }
    // A narrow filter reads few rows; any other may read all rows of the individual.
    const limit = byBlocks ? sizes.blocksAbove : everyRow;
    const reader = byBlocks ? undefined : owner;
    const [row] = await run(reader, filteredListStatement, [...common, ...filterParameters(filter), limit]);
    return row && row.total > limit ? listByBlocks(query) : row;
  }

  function streamRows<T>(query: RowsQuery, statement: string, read: (row: Row) => T): AsyncIterable<T[]> {
    const { individualId, filter, upTo = everyRow, owner } = query;
    const parameters = [individualId, everyRow, 0, upTo, ...filterParameters(filter), everyRow];
    return db.stream({ statement, parameters, rowsAtOnce: exportedAtOnce, read }, owner);
  }

  return {
    async listPage(query: ListQuery): Promise<ListedPage | undefined> {
      const row = await listRows(query);
      return row && asPage(row);
    },

    /** The time zones of PostgreSQL may be older than those of the runtime, and lack one of them. */
    async sumPeriods(query: SumQuery): Promise<ListedPage | 'unknown-time-zone' | undefined> {
      const { individualId, filter, by, timeZone, upTo = everyRow, owner } = query;
      const all = [individualId, by, timeZone, upTo, ...filterParameters(filter), everyRow];
      try {
        const [row] = await run(owner, sumStatement, all);
        return row && asPage(row);
      } catch (error) {
        if (errorCode(error) === invalidParameter) return 'unknown-time-zone';
        throw error;
      }
    },

    async readVersion(individualId: number): Promise<number | undefined> {
      const [row] = await db.read`select transaction_event_count as version from users where id = ${individualId}`;
      return row?.version;
    },

    async countAll(individualId: number): Promise<number | undefined> {
      const [row] = await db.read`select transaction_count from users where id = ${individualId}`;
      return row?.transaction_count;
    },

    /** The JSON of all that match, some at a time, from one snapshot. */
    readAll: (query: RowsQuery): AsyncIterable<string[]> =>
      streamRows(query, exportStatement('t.body'), ({ body }) => String(body)),

    /** The same, each piece with how often the rows had changed. */
    async *readVersioned(query: RowsQuery): AsyncIterable<ReadRows> {
      const statement = exportStatement('t.body, u.transaction_event_count as version');
      const read = ({ body, version }: Row) => ({ body: String(body), version: Number(version) });
      for await (const rows of streamRows(query, statement, read)) {
        yield { bodies: rows.map(({ body }) => body), version: rows[0]!.version };
      }
    },

    /** Up to two, since two are enough to know that the id alone does not tell. */
    async findTransactions(transactionId: string, individualId?: number): Promise<string[]> {
      const rows = await db.read`
        select t.body from transactions t join users u on u.id = t.individual_id
        where t.transaction_id = ${transactionId}
          and (${individualId ?? null}::int is null or t.individual_id = ${individualId ?? null})
        limit 2`;
      return rows.map(({ body }) => body);
    },
  };
}

function asPage({ page, count, total, version }: ListRow): ListedPage {
  return { items: page ?? '', count, total, version };
}

function pageParameters({ individualId, page, upTo = everyRow }: ListQuery): number[] {
  return [individualId, page.size, offsetOf(page), upTo];
}

function filterParameters(filter: Filter): (string | null)[] {
  return [
    filter.from ?? firstInstant,
    filter.to ?? lastInstant,
    filter.amountFrom ?? null,
    filter.amountTo ?? null,
    filter.transactionType ?? null,
    filter.transactionCategory ?? null,
    filter.transactionStatus ?? null,
    filter.currency ?? null,
    filter.search ?? null,
  ];
}

function timeParameters({ from, to }: Filter): string[] {
  return [from ?? '-infinity', to ? instantAfter(to) : 'infinity'];
}

function amountParameters({ amountFrom, amountTo }: Filter): (string | null)[] {
  return [amountFrom ?? null, amountTo ?? null, minMillionths(amountFrom), maxMillionths(amountTo)];
}
