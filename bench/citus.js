/**
 * The same service on a Citus and on one PostgreSQL, on the same machines: pages of a list, deep pages, an import, and
 * recordings of one row. CITUS_URL names a coordinator that knows its workers, PLAIN_URL a PostgreSQL; both databases
 * should be new. docs/citus.md says how to set one up.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { distributeTables } from '../dist/db/citus.js';
import { runMigrations } from '../dist/db/migrate.js';
import { importFile, load, ratio, round } from './harness.js';

export const citusUrls = { citus: process.env.CITUS_URL, plain: process.env.PLAIN_URL };

const shardCount = 32;
/** The databases may be used again, and remember it. */
const digestKey = Buffer.alloc(32, 'bench').toString('base64');
const run = Date.now();
const firstId = 500_001;
const largeId = firstId - 1;
/** Individuals that rows of one are recorded for. */
const recordIds = Array.from({ length: 500 }, (_, index) => firstId + 100_000 + index);

export async function benchCitus(bench, { rows, individuals, seconds }) {
  if (!citusUrls.citus || !citusUrls.plain) throw new Error('Set CITUS_URL and PLAIN_URL: see docs/citus.md.');
  const file = path.join(bench.folder, 'rows.ndjson');
  const prepared = {};
  for (const [name, url] of Object.entries(citusUrls)) {
    await runMigrations(url);
    if (name === 'citus') await distributeTables(url, shardCount);
    await insertUsers(url, individuals);
    writeFileSync(file, ndjson(rows, individuals, name));
    prepared[name] = { importSeconds: await importFile({ url }, file) };
  }
  // In turn, so that what else runs on the machine meets both.
  for (const [name, url] of Object.entries(citusUrls)) {
    const service = await bench.service({ DATABASE_URL: url, LEDGERLINE_DIGEST_KEY: digestKey });
    Object.assign(prepared[name], await measure(service, { rows, individuals, seconds }));
    await service.stop();
  }
  return resultOf(prepared, rows);
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

async function measure({ url, token }, { rows, individuals, seconds }) {
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
  const recordBodies = Array.from({ length: 200_000 }, (_, index) =>
    JSON.stringify({
      transactions: [
        {
          individualId: recordIds[index % recordIds.length],
          transactionId: `one-${run}-${index}`,
          amount: '1.50',
          currency: 'EUR',
          timeStamp: '2026-02-01T00:00:00Z',
          transactionStatus: 'Accepted',
        },
      ],
    }),
  );
  await list(smallBodies.slice(0, 100));
  return {
    page: await list(smallBodies),
    deep: await list(deepBodies),
    record: await load({ ...common, paths: ['/app/record-transactions'], bodies: recordBodies }),
  };
}

function resultOf({ citus, plain }, rows) {
  const imported = (each) => ({ perSecond: rows / each.importSeconds });
  const compared = [
    ['list page', citus.page, plain.page, 0.45],
    ['deep page', citus.deep, plain.deep, 0.3],
    ['import, rows', imported(citus), imported(plain), 0.8],
    ['one-row record', citus.record, plain.record, 0.44],
  ];
  return {
    title: 'Citus beside one PostgreSQL',
    columns: { citus: 'Citus, a second', plain: 'PostgreSQL, a second', ratio: 'ratio' },
    rows: compared.map(([what, onCitus, onPlain]) => ({
      what,
      citus: round(onCitus.perSecond),
      plain: round(onPlain.perSecond),
      ratio: ratio(onCitus.perSecond, onPlain.perSecond),
    })),
    notes: [`${shardCount} shards; all nodes on one machine, so that only the work for each request is compared.`],
    goals: compared.map(([what, onCitus, onPlain, least]) => ({
      what: `${what} on Citus, of what PostgreSQL does`,
      is: ratio(onCitus.perSecond, onPlain.perSecond),
      least,
    })),
  };
}
