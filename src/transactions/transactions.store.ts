/** The statements about transactions. The database joins the JSON of a page, and it is passed on unchanged. */
import { BoundedCache, textBytes } from '../sharing/bounded-cache.ts';
import type { Database, DatabaseRow, Sql } from '../db/database.ts';
import { errorCode } from '../db/failures.ts';
import { invalidFields } from '../errors.ts';
import type { Owner } from '../sharing/slots.ts';
import { firstInstant, lastInstant } from '../values/instant.ts';
import { timeZoneMessage } from '../values/time-zone.ts';
import {
  rangeParameters,
  timeListStatement,
  totalAndVersion,
  type BlockQuery,
  type ListRow,
  type TimeListRow,
} from './list/block-list.store.ts';
import { createCountedList } from './list/counted-list.store.ts';
import { hasTimeAndAmountOnly, hasTimeOnly, isUnfiltered, offsetOf, type Filter, type Page } from './filter.ts';
import type { Period } from './period.ts';
import { createStepwiseList } from './list/stepwise-list.store.ts';
import { matchesRow, matchParameters } from './list/row-matches.ts';
import { defaultBlockSizes, type BlockSizes } from './list/transaction-blocks.store.ts';

/** Pages of all the rows up to a sequence number. The count is stored: see users.transaction_count. */
export const listStatement = `
select ${totalAndVersion}, least(u.transaction_count, $4) as count, (
  select string_agg(body, ',') from (
    select body from transactions
    where individual_id = $1 and seq <= $4
    order by time_stamp desc, transaction_id desc
    limit $2 offset $3::bigint
  ) page
) as page
from users u where u.id = $1`;

const matches = `
  u.transaction_count <= $14 and u.id = $1 and t.individual_id = $1 and t.seq <= $4
  and t.time_stamp between $5::text::timestamptz and $6::text::timestamptz
  and ${matchesRow(7)}`;

/** Reads every row of the individual. For an individual with more than $14 rows it reads none. */
export const filteredListStatement = `
select ${totalAndVersion},
  (select count(*)::int from transactions t where ${matches}) as count,
  (select string_agg(body, ',') from (
    select body from transactions t where ${matches}
    order by time_stamp desc, transaction_id desc
    limit $2 offset $3::bigint
  ) page) as page
from users u where u.id = $1`;

/**
 * Rejected and cancelled transactions are counted, but moved no money. A time zone may move a row out of the years that
 * dates have: it belongs to the first or the last day then.
 */
const sumStatement = `
with matched as (
  select t.time_stamp, t.currency, t.transaction_category as category,
    case when t.transaction_status in ('rejected', 'cancelled') then 0 else t.amount end as amount
  from users u join transactions t on t.individual_id = u.id where ${matches}
), summed as (
  select date_trunc($2::text,
      least(greatest(time_stamp at time zone $3::text, '0001-01-01'), '9999-12-31')) as period, currency, count(*) as rows,
    coalesce(sum(amount) filter (where category = 'credit'), 0) as money_in,
    coalesce(sum(amount) filter (where category = 'debit'), 0) as money_out,
    coalesce(sum(amount) filter (where category not in ('credit', 'debit')), 0) as other
  from matched group by 1, 2
)
select ${totalAndVersion}, coalesce((select sum(rows)::int from summed), 0) as count, (
  select string_agg(
    format('{"from":"%s","currency":"%s","count":%s,"moneyIn":%s,"moneyOut":%s,"other":%s}',
      to_char(period, 'YYYY-MM-DD'), upper(currency), rows, money_in, money_out, other),
    ',' order by period desc, currency)
  from summed) as page
from users u where u.id = $1`;

/** In the order of the list, or its reverse, and with a limit: so PostgreSQL scans the index and sorts nothing. */
const exportStatement = (columns: string, order: 'asc' | 'desc' = 'desc') => `
select ${columns} from users u join transactions t on t.individual_id = u.id where ${matches}
order by t.time_stamp ${order}, t.transaction_id ${order}
limit $2 offset $3::bigint`;

/**
 * The JSON of a row of the individual $1, with its details. A subquery looks them up in the key; a join might be planned
 * to read them all. Citus needs the individual in it.
 */
export const detailedBody = `with_details(t.body, (
    select d.details from transaction_details d where d.individual_id = $1 and d.seq = t.seq))`;

const exportedAtOnce = 1000;

/** No individual has more rows than this. */
const everyRow = 2_147_483_647;

/**
 * SQLSTATE 22023: invalid_parameter_value. The only parameter that comes from a caller and can cause it is the time
 * zone.
 */
const invalidParameter = '22023';

export interface ListedPage {
  /** The items' JSON, separated by commas. */
  items: string;
  count: number;
  /** All rows of the individual, whatever the filter: the sequence number of the newest. */
  total: number;
  /** How often the rows of the individual had changed. It only grows. */
  version: number;
}

/** Some rows, as JSON, and how often the list had changed. */
export interface ReadRows {
  bodies: string[];
  version: number;
}

/** The rows of an individual to read, and the caller. */
export interface RowsQuery {
  individualId: number;
  filter: Filter;
  /** The sequence number of the last row that counts; absent: all rows. */
  upTo?: number | undefined;
  /** For reads of all rows, not for pages. */
  isOldestFirst?: boolean;
  /** Whether the rows have their details. For reads of all rows, not for pages. */
  hasDetails?: boolean | undefined;
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

/** About 80,000 large individuals. A forgotten one only costs a second statement. */
const maxLargeBytes = 8 * 1024 * 1024;

/** About 10,000 ranges. */
const maxRangeBytes = 8 * 1024 * 1024;

export function createTransactionsStore(db: Database, sizes: BlockSizes = defaultBlockSizes) {
  /** Individuals that were found to have blocks. It is only a hint: the result of a statement decides. */
  const large = new BoundedCache<number, true>(maxLargeBytes);

  /** A statement that searches texts is run for its owner, with a slot for long work: texts may be long. */
  function list<T extends ListRow = ListRow>(
    statement: string,
    parameters: (string | number | null)[],
    owner?: Owner,
  ): PromiseLike<T[]> {
    const send = (sql: Sql) => sql.unsafe<T[]>(statement, parameters, { prepare: true });
    return owner ? db.long(send, owner) : send(db.read);
  }

  /**
   * How many rows a time range has, in total and in the blocks that it cuts, as the database returned it. A client that
   * pages through a range needs these counts for every page. The database compares versions: the total is used while
   * the individual's rows have not changed, the count of a block while that block has not changed.
   */
  const rangeCounts = new BoundedCache<string, string>(maxRangeBytes);
  const listCounted = createCountedList(db);
  const listStepwise = createStepwiseList(db);

  async function listByTime(query: BlockQuery): Promise<ListRow | undefined> {
    const inSteps = db.isDistributed ? await listStepwise(query) : undefined;
    if (inSteps) return inSteps;
    const parameters = rangeParameters(query);
    const range = parameters.join(' ');
    const [row] = await list<TimeListRow>(timeListStatement, [
      ...parameters,
      ...[query.size, query.offset, rangeCounts.use(range) ?? null],
    ]);
    if (row?.counts) rangeCounts.set(range, row.counts, textBytes(row.counts));
    return row;
  }

  async function listByBlocks({ individualId, page, filter, upTo = everyRow, owner }: ListQuery) {
    const query = { individualId, filter, upTo, size: page.size, offset: offsetOf(page), owner };
    const row = hasTimeOnly(filter) ? await listByTime(query) : await listCounted(query);
    if (row && row.total > sizes.blocksAbove) large.set(individualId, true, 0);
    else large.delete(individualId);
    return row;
  }

  async function listRows(query: ListQuery): Promise<ListRow | undefined> {
    const { individualId, filter } = query;
    if (isUnfiltered(filter) || large.get(individualId)) {
      const row = await listByBlocks(query);
      if (row && row.total > sizes.blocksAbove) return row;
    }
    const parameters = [...pageParameters(query), ...filterParameters(filter), sizes.blocksAbove];
    const reader = hasTimeAndAmountOnly(filter) ? undefined : query.owner;
    const [row] = await list(filteredListStatement, parameters, reader);
    return row && row.total > sizes.blocksAbove ? listByBlocks(query) : row;
  }

  function streamRows<T>(query: RowsQuery, statement: string, read: (row: DatabaseRow) => T): AsyncIterable<T[]> {
    const { individualId, filter, upTo = everyRow, owner } = query;
    const parameters = [individualId, everyRow, 0, upTo, ...filterParameters(filter), everyRow];
    return db.stream({ statement, parameters, rowsAtOnce: exportedAtOnce, read }, owner);
  }

  return {
    async listPage(query: ListQuery): Promise<ListedPage | undefined> {
      const isSimple = isUnfiltered(query.filter) && offsetOf(query.page) <= sizes.blocksAbove;
      const row = isSimple ? (await list(listStatement, pageParameters(query)))[0] : await listRows(query);
      return row && asPage(row);
    },

    /** The time zones of PostgreSQL may be older than those of the runtime, and lack one of them. */
    async sumPeriods(query: SumQuery): Promise<ListedPage | undefined> {
      const { individualId, filter, by, timeZone, upTo = everyRow, owner } = query;
      const all = [individualId, by, timeZone, upTo, ...filterParameters(filter), everyRow];
      try {
        const [row] = await list(sumStatement, all, owner);
        return row && asPage(row);
      } catch (error) {
        if (errorCode(error) !== invalidParameter) throw error;
        throw invalidFields({ TimeZone: [timeZoneMessage.replace('{0}', 'TimeZone')] });
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

    /** The JSON of all matching rows, in parts, from one snapshot. */
    readAll: (query: RowsQuery): AsyncIterable<string[]> =>
      streamRows(query, exportStatement(bodyOf(query), orderOf(query)), ({ body }) => String(body)),

    /** The same, each piece with how often the rows had changed. */
    async *readVersioned(query: RowsQuery): AsyncIterable<ReadRows> {
      const columns = `${bodyOf(query)}, u.transaction_event_count as version`;
      const statement = exportStatement(columns, orderOf(query));
      const read = ({ body, version }: DatabaseRow) => ({ body: String(body), version: Number(version) });
      for await (const rows of streamRows(query, statement, read)) {
        yield { bodies: rows.map(({ body }) => body), version: rows[0]!.version };
      }
    },

    /** With their details. Up to two, since two are enough to know that the id is ambiguous. */
    async findTransactions(transactionId: string, individualId?: number): Promise<string[]> {
      const rows = await db.read`
        select with_details(t.body, d.details) as body
        from transactions t join users u on u.id = t.individual_id
          left join transaction_details d on d.individual_id = t.individual_id and d.seq = t.seq
        where t.transaction_id = ${transactionId}
          ${individualId === undefined ? [] : [db.read`and t.individual_id = ${individualId}`]}
        limit 2`;
      return rows.map(({ body }) => body);
    },
  };
}

function orderOf({ isOldestFirst }: RowsQuery): 'asc' | 'desc' {
  return isOldestFirst ? 'asc' : 'desc';
}

function bodyOf({ hasDetails }: RowsQuery): string {
  return hasDetails ? `${detailedBody} as body` : 't.body';
}

function asPage({ page, count, total, version }: ListRow): ListedPage {
  return { items: page ?? '', count, total, version };
}

function pageParameters({ individualId, page, upTo = everyRow }: ListQuery): number[] {
  return [individualId, page.size, offsetOf(page), upTo];
}

function filterParameters(filter: Filter): (string | null)[] {
  return [filter.from ?? firstInstant, filter.to ?? lastInstant, ...matchParameters(filter)];
}
