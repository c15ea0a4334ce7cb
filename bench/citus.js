/**
 * The same service on a Citus and on one PostgreSQL, on the same machine: pages of a list, deep pages, an import, and
 * recordings of one row. CITUS_URL names a coordinator that knows its workers, PLAIN_URL a PostgreSQL; both databases
 * should be new, and the roles superusers. docs/citus.md says how to set one up.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { distributeTables } from '../dist/db/citus/citus.js';
import { runMigrations } from '../dist/db/migrations/migrate.js';
import { cpuMicroseconds, importFile, load, ratio, round } from './harness.js';

export const citusUrls = { citus: process.env.CITUS_URL, plain: process.env.PLAIN_URL };

const shardCount = 32;
/** The databases may be used again, and remember it. */
const digestKey = Buffer.alloc(32, 'bench').toString('base64');
const run = Date.now();
const firstId = 500_001;
const largeId = firstId - 1;
/** Individuals that rows of one are recorded for. */
const recordIds = Array.from({ length: 500 }, (_, index) => firstId + 100_000 + index);

/** Each of both is measured so often, in turn, so that what else runs on the machine meets both. */
const rounds = 4;

export async function benchCitus(bench, { rows, individuals, seconds }) {
  if (!citusUrls.citus || !citusUrls.plain) throw new Error('Set CITUS_URL and PLAIN_URL: see docs/citus.md.');
  const sides = [];
  for (const [name, url] of Object.entries(citusUrls)) sides.push(await prepare(bench, name, url, individuals));
  const inTurn = async (measure) => {
    for (let number = 0; number < rounds; number += 1) {
      for (const side of number % 2 === 0 ? sides : sides.toReversed()) await measure(side, number);
    }
  };
  const file = path.join(bench.folder, 'rows.ndjson');
  await inTurn(async (side, number) => {
    writeFileSync(file, ndjson(rows / rounds, individuals, `${side.name}-${number}`));
    await side.add('import', async () => {
      const elapsed = await importFile(side, file);
      return { requests: rows / rounds, perSecond: rows / rounds / elapsed };
    });
  });
  await inTurn((side, number) => measure(side, { rows, individuals, seconds: seconds / rounds, number }));
  for (const side of sides) await side.service.stop();
  return resultOf(sides);
}

async function prepare(bench, name, url, individuals) {
  await runMigrations(url);
  if (name === 'citus') await distributeTables(url, shardCount);
  await insertUsers(url, individuals);
  const service = await bench.service({ DATABASE_URL: url, LEDGERLINE_DIGEST_KEY: digestKey });
  const servers = await readPostmasters(url);
  // What is imported is the work of a child of this process.
  const cpu = (what) =>
    [service.pid, ...servers, ...(what === 'import' ? [process.pid] : [])]
      .map(cpuMicroseconds)
      .reduce((sum, each) => sum + each, 0);
  const figures = {};
  return {
    name,
    url,
    service,
    figures,
    /** Runs work, and adds its figures to those of earlier rounds. */
    async add(what, work) {
      const before = cpu(what);
      const { requests, perSecond } = await work();
      const sum = (figures[what] ??= { requests: 0, microseconds: 0, perSecond: 0 });
      sum.requests += requests;
      sum.microseconds += cpu(what) - before;
      sum.perSecond += perSecond / rounds;
    },
  };
}

/** The first process of each node, or of the only server. */
async function readPostmasters(url) {
  const readOne = async (sql) =>
    Number.parseInt((await sql`select pg_read_file('postmaster.pid') as text`)[0].text, 10);
  const connect = (address) => postgres(address, { max: 1, onnotice: () => {} });
  const sql = connect(url);
  const pids = [await readOne(sql)];
  const [catalogue] = await sql`select to_regclass('pg_catalog.pg_dist_node') is not null as present`;
  const workers = catalogue.present
    ? await sql`select nodename, nodeport from pg_catalog.pg_dist_node where noderole = 'primary' and groupid > 0`
    : [];
  await sql.end();
  for (const { nodename, nodeport } of workers) {
    const address = new URL(url);
    address.host = `${nodename}:${nodeport}`;
    const worker = connect(address.href);
    pids.push(await readOne(worker));
    await worker.end();
  }
  return pids;
}

async function insertUsers(url, individuals) {
  const sql = postgres(url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
  const ids = [largeId, ...Array.from({ length: individuals }, (_, index) => firstId + index), ...recordIds];
  await sql`
    insert into users (id, created_at) select id, now() from unnest(${`{${ids.join(',')}}`}::int[]) id
    on conflict (id) do nothing`;
  await sql.end();
}

/** Half of the rows are of one individual, the others of many. */
function ndjson(rows, individuals, prefix) {
  return Array.from({ length: rows }, (_, index) =>
    JSON.stringify({
      individualId: index % 2 === 0 ? largeId : firstId + (index % individuals),
      transactionId: `${prefix}-${run}-${index}`,
      amount: `${1 + (index % 900)}.50`,
      currency: 'EUR',
      timeStamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
      transactionType: 'CARD',
      transactionCategory: 'Debit',
      transactionStatus: 'Accepted',
      senderName: 'Ada Park',
      receiverName: `Shop ${index % 500}`,
      paymentNotes: `Two flat whites and a croissant ${index % 100}`,
    }),
  ).join('\n');
}

async function measure(side, { rows, individuals, seconds, number }) {
  const { url, token } = side.service;
  const common = {
    url,
    connections: 16,
    seconds,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  };
  const list = (bodies) => load({ ...common, paths: ['/app/get-all-transactions'], bodies });
  const pages = Math.floor(rows / 2 / 20);
  const smallBodies = Array.from({ length: Math.min(individuals, 2000) }, (_, index) =>
    JSON.stringify({ individualId: firstId + 1 + 2 * Math.floor(index / 2), dataBatch: 1 }),
  );
  const deepBodies = Array.from({ length: 200 }, (_, index) =>
    JSON.stringify({ individualId: largeId, dataBatch: Math.floor(pages / 4 + (index * pages) / 400) }),
  );
  const recordBodies = Array.from({ length: 50_000 }, (_, index) =>
    JSON.stringify({
      transactions: [
        {
          individualId: recordIds[index % recordIds.length],
          transactionId: `one-${run}-${number}-${index}`,
          amount: '1.50',
          currency: 'EUR',
          timeStamp: '2026-02-01T00:00:00Z',
          transactionStatus: 'Accepted',
        },
      ],
    }),
  );
  if (number === 0) await list(smallBodies.slice(0, 100));
  await side.add('page', () => list(smallBodies));
  await side.add('deep', () => list(deepBodies));
  await side.add('record', () => load({ ...common, paths: ['/app/record-transactions'], bodies: recordBodies }));
}

function resultOf([{ figures: citus }, { figures: plain }]) {
  const each = ({ microseconds, requests }) => microseconds / requests;
  const compared = [
    ['list page', 'page', 0.45],
    ['deep page', 'deep', 0.3],
    ['import, rows', 'import', 0.8],
    ['one-row record', 'record', 0.44],
  ].map(([what, name, least]) => ({ what, least, onCitus: citus[name], onPlain: plain[name] }));
  return {
    title: 'Citus beside one PostgreSQL',
    columns: {
      citus: 'Citus, a second',
      plain: 'PostgreSQL, a second',
      ratio: 'ratio',
      citusMicroseconds: 'Citus, µs of CPU each',
      plainMicroseconds: 'PostgreSQL, µs of CPU each',
      work: 'work for the same CPU',
    },
    rows: compared.map(({ what, onCitus, onPlain }) => ({
      what,
      citus: round(onCitus.perSecond),
      plain: round(onPlain.perSecond),
      ratio: ratio(onCitus.perSecond, onPlain.perSecond),
      citusMicroseconds: round(each(onCitus)),
      plainMicroseconds: round(each(onPlain)),
      work: ratio(each(onPlain), each(onCitus)),
    })),
    notes: [
      `${shardCount} shards; all nodes on one machine, in ${rounds} rounds that alternate. CPU is that of Node and of all nodes of the database.`,
    ],
    goals: compared.map(({ what, onCitus, onPlain, least }) => ({
      what: `${what} on Citus, of what PostgreSQL does with the same CPU`,
      is: ratio(each(onPlain), each(onCitus)),
      least,
    })),
  };
}
