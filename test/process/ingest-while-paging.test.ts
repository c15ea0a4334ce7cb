/** Two nodes record rows while readers of both page: every page and count agrees with a brute-force model. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type postgres from 'postgres';
import { startNodes, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

interface SentRow {
  individualId: number;
  transactionId: string;
  amount: string;
  currency: string;
  timeStamp: string;
  transactionStatus: string;
  senderName: string;
}

interface Page {
  transactionIds: string[];
  count: number;
  asOf: string;
}

/** A list that was read with one asOf while rows arrived, to be read again when they are all there. */
interface PinnedList {
  individualId: number;
  asOf: string;
  filter: Filter;
  transactionIds: string[];
}

type Filter = Record<string, string>;
type Client = ReturnType<typeof openClient>;

const pageSize = 200;
const batchSize = 60;

const timeOf = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();

/** These fields never change once a row is there, so that a list by them stays still under an asOf. */
const stableFilters: Filter[] = [
  {},
  { timestampFrom: timeOf(300), timestampTo: timeOf(700) },
  { search: 'ada' },
  { currency: 'USD' },
];
const changingFilters: Filter[] = [
  { transactionStatus: 'Pending' },
  { amountFrom: '20', amountTo: '40' },
  { amountFrom: '30', timestampFrom: timeOf(500) },
];

function openClient({ call: post }: Service) {
  return {
    createUser: async (): Promise<number> => (await post('/User', {})).json.id,
    async record(transactions: SentRow[]): Promise<string[]> {
      const { status, json } = await post('/app/record-transactions', { transactions });
      expect(status).toBe(200);
      return json.results.map(({ result }: { result: string }) => result);
    },
    /** Undefined while the individual has no transactions. */
    async readPage(individualId: number, dataBatch: number, filter: Filter, asOf?: string): Promise<Page | undefined> {
      const body = { individualId, dataBatch, dataBatchCount: pageSize, ...filter, ...(asOf && { asOf }) };
      const { status, json, headers } = await post('/app/get-all-transactions', body);
      if (status === 404) return undefined;
      expect(status).toBe(200);
      const transactionIds = json.transactions.map(({ transactionId }: SentRow) => transactionId);
      return { transactionIds, count: json.transactionCount, asOf: headers.get('as-of')! };
    },
  };
}

/** Every row of the file once, in an order that puts old times after new ones. */
function makeRows(individualIds: number[], rowsEach: number): SentRow[] {
  return Array.from({ length: individualIds.length * rowsEach }, (_, index) => ({
    individualId: individualIds[index % individualIds.length]!,
    transactionId: `t${index}`,
    amount: `${(index * 31) % 60}.50`,
    currency: index % 3 === 0 ? 'USD' : 'EUR',
    // Several rows of an individual have the same time.
    timeStamp: timeOf((index * 7919) % 1000),
    transactionStatus: index % 4 === 0 ? 'Pending' : 'Accepted',
    senderName: index % 5 === 0 ? 'Ada Park' : 'Grace Lee',
  }));
}

/** What a pending row becomes. */
function settle(row: SentRow): SentRow {
  return row.transactionStatus === 'Pending' ? { ...row, amount: '33.00', transactionStatus: 'Accepted' } : row;
}

/** Records rows, settles every second batch after it, and sends some rows of others that never change. */
async function write(client: Client, rows: SentRow[], repeated: SentRow[]): Promise<string[]> {
  const results: string[] = [];
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    results.push(...(await client.record([...batch, ...repeated.slice(start, start + 10)])));
    if (isSettled(start)) results.push(...(await client.record(batch.map(settle))));
  }
  return results;
}

const isSettled = (start: number) => (start / batchSize) % 2 === 0;
const finalState = (rows: SentRow[]) =>
  rows.map((row, index) => (isSettled(index - (index % batchSize)) ? settle(row) : row));

/** All pages of a list, each of which must have the same count. */
async function walk(client: Client, individualId: number, filter: Filter, asOf: string): Promise<string[]> {
  const walked: string[] = [];
  for (let dataBatch = 1; ; dataBatch += 1) {
    const page = (await client.readPage(individualId, dataBatch, filter, asOf))!;
    walked.push(...page.transactionIds);
    expect(page.asOf).toBe(asOf);
    const left = Math.max(page.count - dataBatch * pageSize, 0);
    expect(walked).toHaveLength(page.count - left);
    if (left === 0) return walked;
  }
}

/** Reads until it is told to stop, and at least once; counts never fall. What it read with asOf is the result. */
async function readWhile(isWriting: () => boolean, client: Client, individualIds: number[]): Promise<PinnedList[]> {
  const pinned: PinnedList[] = [];
  const counts = new Map<string, number>();
  for (let round = 0; isWriting() || round < individualIds.length; round += 1) {
    const individualId = individualIds[round % individualIds.length]!;
    for (const filter of stableFilters) {
      const page = await client.readPage(individualId, 1, filter);
      if (!page) continue;
      const key = `${individualId} ${JSON.stringify(filter)}`;
      expect(page.count).toBeGreaterThanOrEqual(counts.get(key) ?? 0);
      counts.set(key, page.count);
      expect(new Set(page.transactionIds).size).toBe(Math.min(page.count, pageSize));
      const transactionIds = await walk(client, individualId, filter, page.asOf);
      expect(transactionIds).toHaveLength(page.count);
      pinned.push({ individualId, asOf: page.asOf, filter, transactionIds });
    }
    for (const filter of changingFilters) await client.readPage(individualId, 1, filter);
    await sleep(sized(10, 0));
  }
  return pinned;
}

function isSelected(row: SentRow, filter: Filter): boolean {
  const amount = Number(row.amount);
  return (
    (!filter.timestampFrom || row.timeStamp >= filter.timestampFrom) &&
    (!filter.timestampTo || row.timeStamp <= filter.timestampTo) &&
    (!filter.amountFrom || amount >= Number(filter.amountFrom)) &&
    (!filter.amountTo || amount <= Number(filter.amountTo)) &&
    (!filter.search || row.senderName.toLowerCase().includes(filter.search)) &&
    (!filter.currency || row.currency === filter.currency) &&
    (!filter.transactionStatus || row.transactionStatus === filter.transactionStatus)
  );
}

/** Newest first, then by transactionId, descending. */
function listModel(rows: SentRow[], individualId: number, filter: Filter): string[] {
  const order = (row: SentRow) => `${row.timeStamp} ${row.transactionId}`;
  return rows
    .filter((row) => row.individualId === individualId && isSelected(row, filter))
    .sort((a, b) => (order(a) < order(b) ? 1 : -1))
    .map(({ transactionId }) => transactionId);
}

async function startTwo() {
  const [one, two] = (await startNodes(2)) as [Service, Service];
  return { sql: one.sql, clients: [openClient(one), openClient(two)] as const };
}

/** The order of commits: which row of an individual is the how manieth. */
async function readNumbers(sql: postgres.Sql, individualId: number): Promise<Map<string, number>> {
  const rows = await sql`select transaction_id, seq from transactions where individual_id = ${individualId}`;
  return new Map(rows.map(({ transaction_id, seq }) => [transaction_id, seq]));
}

it('two nodes record rows while readers page: every page and count is exact, with and without asOf', async () => {
  const { sql, clients } = await startTwo();
  const [one, two] = clients;
  const [onlyOne, onlyTwo, shared] = [await one.createUser(), await two.createUser(), await one.createUser()];
  // The one that both record becomes large enough for blocks.
  const ofOne = makeRows([onlyOne, shared, shared, shared], 360);
  const ofTwo = makeRows([onlyTwo, shared, shared, shared], 360).map((row) => ({
    ...row,
    transactionId: `u${row.transactionId}`,
  }));
  const unchanged = (rows: SentRow[]) => rows.filter(({ transactionStatus }) => transactionStatus === 'Accepted');

  let isWriting = true;
  const readers = clients.map((client) => readWhile(() => isWriting, client, [shared, onlyOne, onlyTwo]));
  const writers = [write(one, ofOne, unchanged(ofTwo)), write(two, ofTwo, unchanged(ofOne))];
  const results = (await Promise.all(writers).finally(() => (isWriting = false))).flat();
  const pinned = (await Promise.all(readers)).flat();

  const rows = [...finalState(ofOne), ...finalState(ofTwo)];
  expect(results.filter((result) => result === 'created')).toHaveLength(rows.length);
  expect(results.filter((result) => result === 'conflict')).toEqual([]);

  for (const individualId of [onlyOne, onlyTwo, shared]) {
    const numbers = await readNumbers(sql, individualId);
    expect([...numbers.values()].sort((a, b) => a - b)).toEqual(Array.from(numbers, (_, index) => index + 1));
    for (const filter of [...stableFilters, ...changingFilters]) {
      const { asOf } = (await one.readPage(individualId, 1, filter))!;
      expect(await walk(two, individualId, filter, asOf)).toEqual(listModel(rows, individualId, filter));
    }
    const lists = pinned.filter((list) => list.individualId === individualId);
    for (const { asOf, filter, transactionIds } of lists) {
      // An asOf without a filter tells how many rows there were, and so which.
      const { count } = (await two.readPage(individualId, 1, {}, asOf))!;
      const present = rows.filter((row) => (numbers.get(row.transactionId) ?? Infinity) <= count);
      expect(transactionIds).toEqual(listModel(present, individualId, filter));
    }
    const last = lists.at(-1)!;
    expect(await walk(two, individualId, last.filter, last.asOf)).toEqual(last.transactionIds);
  }
  expect(new Set(pinned.map(({ asOf }) => asOf)).size).toBeGreaterThan(3);
}, 180_000);
