/**
 * Details and sync: what details cost when rows are recorded and imported, and where they are stored; a page of sync at any
 * number of rows, and a whole first sync beside an export.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  cpuMicroseconds,
  environment,
  importFile,
  loadRow,
  main,
  measured,
  ndjsonRow,
  randomSource,
  ratio,
  round,
} from './harness.js';

const allDetails = {
  senderIban: 'DE02120300000000202051',
  receiverIban: 'DE89370400440532013000',
  senderBic: 'BYLADEM1001',
  receiverBic: 'COBADEFFXXX',
  accountNumber: '0532013000',
  senderEmail: 'ada@example.org',
  receiverEmail: 'coffee@example.org',
  merchant: 'Coffee Corner Berlin Mitte',
  cardNetwork: 'VISA',
  cardPan: '453201******7842',
  cardAlias: 'Everyday card',
  paymentProvider: 'Ledgerline',
  purposeDet: 'Goods and services',
  scaStatus: 'exempted',
  reference: 'RF18539007547034',
  transactionFee: 0.25,
  originalAmount: 4.1,
  balanceAfter: 1032.17,
  feeCurrency: 'EUR',
  originalCurrency: 'USD',
  additionalData: { order: 'B-10023', items: 2 },
};
const detailMembers = JSON.stringify(allDetails).slice(1);

const rounds = 3;
const pageRows = 100;

export async function benchDetails(bench, { quick, large }) {
  const rows = quick ? 20_000 : 100_000;
  const imports = await measureImports(bench, rows);
  const record = await measureRecord(bench, quick ? 2 : 8);
  const sync = await measureSync(bench, quick ? 20_000 : large ? 10_000_000 : 1_000_000, quick ? 2 : 5);
  return {
    title: 'Details and sync',
    rows: [
      ...Object.entries(record).map(([what, result]) => loadRow(`record of one row, ${what}`, result)),
      ...sync.pages.map(({ count, result }) =>
        loadRow(`sync of ${pageRows} rows, of ${count.toLocaleString('en')}`, result),
      ),
    ],
    notes: [
      `Import of ${rows.toLocaleString('en')} rows, processor time of the command and PostgreSQL for each row: ${imports.bare.microseconds} µs without details, ${imports.detailed.microseconds} µs with all 21, ${imports.unindexed.microseconds} µs without details and without the index of sync.`,
      `Storage for each row, with indexes: ${imports.bare.bytes} bytes without details, ${imports.detailed.bytes} bytes with all 21 (${detailMembers.length} characters of JSON).`,
      `A whole first sync by pages of 1,000: ${sync.syncPerSecond.toLocaleString('en')} rows/s; an export of the same rows as NDJSON: ${sync.exportPerSecond.toLocaleString('en')} rows/s.`,
    ],
    goals: [
      {
        what: 'processor time of an import without the index of sync beside with it',
        is: ratio(imports.unindexed.microseconds, imports.bare.microseconds),
        least: 0.9,
      },
      {
        what: 'record with all details beside without',
        is: ratio(record['all details'].perSecond, record['no details'].perSecond),
        least: 0.8,
      },
      {
        what: `processor time of a page of sync at ${sync.pages[1].count.toLocaleString('en')} rows beside 1,000`,
        is: ratio(processorTime(sync.pages[1].result), processorTime(sync.pages[0].result)),
        most: 3,
      },
      {
        what: 'a whole first sync beside an export as NDJSON',
        is: ratio(sync.syncPerSecond, sync.exportPerSecond),
        least: 0.5,
      },
    ],
  };
}

const processorTime = ({ nodeMicroseconds, postgresMicroseconds }) => nodeMicroseconds + postgresMicroseconds;

async function addUser(bench, id) {
  await bench.sql`insert into users (id, created_at) values (${id}, now())`;
}

function rowsOf(id, count, details) {
  const random = randomSource(11);
  return Array.from({ length: count }, (_, number) => {
    const row = ndjsonRow(random, id, number, 1_700_000_000_000 + number * 60_000);
    return details ? `${row.trimEnd().slice(0, -1)},${detailMembers}\n` : row;
  }).join('');
}

/** The kinds of import one after another, several times; the least time of each counts. */
async function measureImports(bench, count) {
  const kinds = { bare: {}, detailed: { details: true }, unindexed: { isUnindexed: true } };
  const found = {};
  let id = 300_000;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { details, isUnindexed }] of Object.entries(kinds)) {
      id += 1;
      await addUser(bench, id);
      if (isUnindexed) await bench.sql`drop index transactions_touched`;
      const before = await sizeOf(bench);
      const microseconds = (await importTime(bench, rowsOf(id, count, details))) / count;
      const bytes = Math.round(((await sizeOf(bench)) - before) / count);
      if (isUnindexed) {
        await bench.sql`create index transactions_touched on transactions (individual_id, touched_commit, seq)`;
      }
      const best = Math.min(microseconds, found[name]?.microseconds ?? Infinity);
      found[name] = { microseconds: Number(best.toFixed(1)), bytes };
    }
  }
  return found;
}

async function sizeOf(bench) {
  const [row] = await bench.sql`
    select (pg_total_relation_size('transactions') + pg_total_relation_size('transaction_details'))::float8 as bytes`;
  return row.bytes;
}

/** Microseconds of processor time that the command and PostgreSQL spend on a file. */
async function importTime(bench, text) {
  const file = path.join(bench.folder, 'details.ndjson');
  await writeFile(file, text);
  const before = cpuMicroseconds(bench.postgresPid);
  const child = spawn(process.execPath, [main, 'import', file], { env: environment(bench), stdio: 'ignore' });
  let own = 0;
  const timer = setInterval(() => (own = timeOf(child.pid) ?? own), 20);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`ledgerline import ended with ${code}.`);
  return own + cpuMicroseconds(bench.postgresPid) - before;
}

function timeOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return undefined;
  }
}

/** Requests with one row each, in turns. */
async function measureRecord(bench, seconds) {
  const service = await bench.service();
  const id = 310_000;
  const individuals = 500;
  await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${id}::int, ${id + individuals - 1}::int) id`;
  const random = randomSource(13);
  let number = 0;
  const bodies = (details) =>
    Array.from({ length: 20_000 }, () => {
      number += 1;
      const row = ndjsonRow(random, id + (number % individuals), number, 1_700_000_000_000 + number * 1000).trimEnd();
      return `{"transactions":[${details ? `${row.slice(0, -1)},${detailMembers}` : row}]}`;
    });
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const run = (details, length) =>
    measured(bench, service, {
      paths: ['/app/record-transactions'],
      bodies: bodies(details),
      headers,
      connections: 16,
      seconds: length,
    });
  await run(false, seconds);
  const results = { 'no details': [], 'all details': [] };
  for (let round = 0; round < rounds; round += 1) {
    results['no details'].push(await run(false, seconds));
    results['all details'].push(await run(true, seconds));
  }
  await service.stop();
  return Object.fromEntries(
    Object.entries(results).map(([what, all]) => [what, all.toSorted((a, b) => b.perSecond - a.perSecond)[0]]),
  );
}

async function measureSync(bench, manyRows, seconds) {
  const sizes = [1000, manyRows];
  const individuals = [];
  for (const [index, count] of sizes.entries()) {
    const id = 320_001 + index;
    await addUser(bench, id);
    // In pieces: a file of 10,000,000 rows would not fit into a string.
    for (let first = 0; first < count; first += 500_000) {
      const file = path.join(bench.folder, 'sync.ndjson');
      const random = randomSource(17 + first);
      const lines = Array.from({ length: Math.min(500_000, count - first) }, (_, number) =>
        ndjsonRow(random, id, first + number, 1_700_000_000_000 + (first + number) * 1000),
      );
      await writeFile(file, lines.join(''));
      await importFile(bench, file);
    }
    individuals.push({ id, count });
  }
  await bench.sql`vacuum analyze transactions`;
  const service = await bench.service({ LEDGERLINE_STATEMENT_SECONDS: '60' });
  const headers = {
    authorization: `Bearer ${service.token}`,
    'content-type': 'application/json',
    // An export is not compressed, so pages are compared without it too.
    'accept-encoding': 'identity',
  };
  const call = (pathname, body, more = {}) =>
    fetch(service.url + pathname, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });

  const pages = [];
  for (const { id, count } of individuals) {
    const bodies = await cursorsOf(call, id, count);
    const load = { paths: ['/app/sync-transactions'], bodies, headers, connections: 1 };
    await measured(bench, service, { ...load, seconds: 1 });
    pages.push({ count, result: await measured(bench, service, { ...load, seconds }) });
  }
  const perSecond = { sync: 0, export: 0 };
  const { id } = individuals[1];
  const count = Math.min(individuals[1].count, 200_000);
  for (let round = 0; round < rounds; round += 1) {
    perSecond.sync = Math.max(perSecond.sync, await syncSpeed(call, id, count));
    perSecond.export = Math.max(perSecond.export, await exportSpeed(call, id, count));
  }
  await service.stop();
  return { pages, syncPerSecond: round(perSecond.sync), exportPerSecond: round(perSecond.export) };
}

/** Requests for pages behind cursors that are spread over the first 20,000 rows. */
async function cursorsOf(call, individualId, count) {
  const bodies = [];
  let cursor;
  for (let seen = 0; seen + pageRows < Math.min(count, 20_000); seen += 1000) {
    const page = await (await call('/app/sync-transactions', { individualId, cursor, count: 1000 - pageRows })).json();
    cursor = page.nextCursor;
    bodies.push(JSON.stringify({ individualId, cursor, count: pageRows }));
    if (!page.hasMore) break;
  }
  return bodies;
}

async function syncSpeed(call, individualId, count) {
  const begun = performance.now();
  let seen = 0;
  for (let cursor; seen < count;) {
    const text = await (await call('/app/sync-transactions', { individualId, cursor, count: 1000 })).text();
    // The end of the answer has the cursor; a reader that parses the rows would measure itself.
    cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-120))[1];
    seen += 1000;
  }
  return (seen * 1000) / (performance.now() - begun);
}

async function exportSpeed(call, individualId, count) {
  const begun = performance.now();
  const response = await call('/app/export-transactions', { individualId }, { accept: 'application/x-ndjson' });
  let seen = 0;
  for await (const chunk of response.body) {
    for (const byte of chunk) if (byte === 10) seen += 1;
    if (seen >= count) break;
  }
  return (seen * 1000) / (performance.now() - begun);
}
