/** The statements about transactions. A page's JSON is joined by the database and passed on untouched. */
import { array, type Database, type Transaction as DatabaseTransaction } from '../db/database.ts';
import { isUnfiltered, offsetOf, type Filter, type Page } from './filter.ts';
import { firstInstant, lastInstant } from './instant.ts';
import { keyOf, planBatch, type BatchPlan, type RecordPlanResult } from './record-rules.ts';
import { fold, readTransaction, searchText, writeTransaction, type Transaction } from './transaction.ts';

/** Pages of all the rows up to a sequence number. The count needs no counting: see users.transaction_count. */
export const listStatement = `
select least(u.transaction_count, $4) as count, u.transaction_count as total, (
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
  individual_id = $1 and seq <= $4
  and time_stamp between $5::text::timestamptz and $6::text::timestamptz
  and ($7::numeric is null or amount >= $7::numeric)
  and ($8::numeric is null or amount <= $8::numeric)
  and ($9::text is null or transaction_type = $9)
  and ($10::text is null or transaction_category = $10)
  and ($11::text is null or transaction_status = $11)
  and ($12::text is null or currency = $12)
  and ($13::text is null or strpos(search_text, $13) > 0)`;

export const filteredListStatement = `
select u.transaction_count as total,
  (select count(*)::int from transactions where ${matches}) as count,
  (select string_agg(body, ',') from (
    select body from transactions where ${matches}
    order by time_stamp desc, transaction_id desc
    limit $2 offset $3::bigint
  ) page) as page
from users u where u.id = $1`;

/** No individual has more rows than this. */
const everyRow = 2_147_483_647;

export interface ListedPage {
  /** The items' JSON, separated by commas. */
  items: string;
  count: number;
  /** All rows of the individual, whatever the filter: the sequence number of the newest. */
  total: number;
}

export type TransactionsStore = ReturnType<typeof createTransactionsStore>;

export function createTransactionsStore(db: Database) {
  return {
    async listPage(individualId: number, page: Page, filter: Filter, upTo?: number): Promise<ListedPage | undefined> {
      const common = [individualId, page.size, offsetOf(page), upTo ?? everyRow];
      const [row] = isUnfiltered(filter)
        ? await db.sql.unsafe(listStatement, common, { prepare: true })
        : await db.long.unsafe(filteredListStatement, [...common, ...filterParameters(filter)], { prepare: true });
      return row && { items: row.page ?? '', count: row.count, total: row.total };
    },

    /** Up to two, since two are enough to know that the id alone does not tell. */
    async findTransactions(transactionId: string, individualId?: number): Promise<string[]> {
      const rows = await db.sql`
        select body from transactions
        where transaction_id = ${transactionId}
          and (${individualId ?? null}::int is null or individual_id = ${individualId ?? null})
        limit 2`;
      return rows.map(({ body }) => body);
    },

    /** One batch, one transaction: all writes about an individual wait for each other in the order of ids. */
    async recordBatch(rows: readonly Transaction[], now: Date): Promise<RecordPlanResult[]> {
      return db.long.begin(async (sql) => {
        const ids = [...new Set(rows.map(({ individualId }) => individualId))].sort((a, b) => a - b);
        const [counts, standing] = await Promise.all([lockIndividuals(sql, ids), readStanding(sql, rows)]);
        const plan = planBatch(rows, (id) => counts.has(id), standing);
        await writePlan(sql, plan, counts, now);
        return plan.results;
      });
    },
  };
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

/** The row lock is what makes sequence numbers follow the order of commits. */
async function lockIndividuals(sql: DatabaseTransaction, ids: number[]): Promise<Map<number, number>> {
  const rows = await sql`
    select id, transaction_count from users where id = any(${array(ids)}::int[]) order by id for no key update`;
  return new Map(rows.map(({ id, transaction_count }) => [id, transaction_count]));
}

/** Sent right behind the lock, and so read after it was granted: nobody else can change these rows now. */
async function readStanding(sql: DatabaseTransaction, rows: readonly Transaction[]): Promise<Map<string, Transaction>> {
  const found = await sql`
    select t.individual_id, t.body
    from unnest(${array(rows.map(({ individualId }) => individualId))}::int[],
      ${array(rows.map(({ transactionId }) => transactionId))}::text[]) as k (individual_id, transaction_id)
    join transactions t using (individual_id, transaction_id)`;
  const standing = found.map(({ individual_id, body }) => readTransaction(individual_id, body));
  return new Map(standing.map((transaction) => [keyOf(transaction), transaction]));
}

async function writePlan(
  sql: DatabaseTransaction,
  { created, updated, replaced }: BatchPlan,
  counts: Map<number, number>,
  now: Date,
): Promise<void> {
  const writes: Promise<unknown>[] = [];
  if (created.length > 0) {
    const numbered = created.map((transaction) => {
      const seq = counts.get(transaction.individualId)! + 1;
      counts.set(transaction.individualId, seq);
      return { transaction, seq };
    });
    const touched = [...new Set(created.map(({ individualId }) => individualId))];
    writes.push(
      sql`
        insert into transactions (
          individual_id, transaction_id, time_stamp, amount, currency, transaction_type,
          transaction_category, transaction_status, search_text, body, seq)
        select * from unnest(${columns(sql, created)}, ${array(numbered.map(({ seq }) => seq))}::int[])`,
      sql`
        update users u set transaction_count = n.count
        from unnest(${array(touched)}::int[], ${array(touched.map((id) => counts.get(id)!))}::int[]) as n (id, count)
        where u.id = n.id`,
    );
  }
  if (updated.length > 0) {
    writes.push(sql`
      update transactions t set
        time_stamp = n.time_stamp, amount = n.amount, currency = n.currency, transaction_type = n.transaction_type,
        transaction_category = n.transaction_category, transaction_status = n.transaction_status,
        search_text = n.search_text, body = n.body
      from unnest(${columns(
        sql,
        updated.map(({ to }) => to),
      )}) as n (
        individual_id, transaction_id, time_stamp, amount, currency, transaction_type,
        transaction_category, transaction_status, search_text, body)
      where t.individual_id = n.individual_id and t.transaction_id = n.transaction_id`);
  }
  if (replaced.length > 0) {
    writes.push(sql`
      insert into transaction_history (individual_id, transaction_id, version, replaced_at, body)
      select r.individual_id, r.transaction_id,
        coalesce((
          select max(h.version) from transaction_history h
          where h.individual_id = r.individual_id and h.transaction_id = r.transaction_id
        ), 0) + row_number() over (partition by r.individual_id, r.transaction_id order by r.ordinality),
        ${now}, r.body
      from unnest(
        ${array(replaced.map(({ individualId }) => individualId))}::int[],
        ${array(replaced.map(({ transactionId }) => transactionId))}::text[],
        ${array(replaced.map(writeTransaction))}::text[]
      ) with ordinality as r (individual_id, transaction_id, body, ordinality)`);
  }
  await Promise.all(writes);
}

/** The columns of some rows, as arrays for unnest. */
function columns(sql: DatabaseTransaction, rows: readonly Transaction[]) {
  return sql`
    ${array(rows.map(({ individualId }) => individualId))}::int[],
    ${array(rows.map(({ transactionId }) => transactionId))}::text[],
    ${array(rows.map(({ timeStamp }) => timeStamp))}::timestamptz[],
    ${array(rows.map(({ amount }) => amount))}::numeric[],
    ${array(rows.map(({ currency }) => fold(currency)))}::text[],
    ${array(rows.map(({ transactionType }) => fold(transactionType)))}::text[],
    ${array(rows.map(({ transactionCategory }) => fold(transactionCategory)))}::text[],
    ${array(rows.map(({ transactionStatus }) => fold(transactionStatus)))}::text[],
    ${array(rows.map(searchText))}::text[],
    ${array(rows.map(writeTransaction))}::text[]`;
}
