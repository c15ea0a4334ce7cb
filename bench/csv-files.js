/** What reading and writing CSV costs beside the libraries that could do it: docs/decisions/0005-csv.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { writeCsvRecord } from '../dist/formats/csv-writer.js';
import { readCsvRecords } from '../dist/formats/csv.js';
import { cpuMicroseconds, environment, main, ratio, round } from './harness.js';

const names =
  'individualId,transactionId,amount,currency,timeStamp,transactionType,transactionCategory,transactionStatus,senderName,receiverName,paymentNotes,paymentSystem';
const firstId = 400_001;
const individuals = 1000;
const rowsAtOnce = 1000;

export async function benchCsv(bench, { count }) {
  const rows = Array.from({ length: count }, (_, index) => cells(index));
  const text = `${names}\n${rows.map(writeCsvRecord).join('')}`;
  const read = await cpuForEach(count, () => readAll(readCsvRecords(chunks(text), { delimiter: ',', quote: '"' })));
  const readByLibrary = await cpuForEach(count, () =>
    readAll(Readable.from(chunks(text)).pipe(parse({ info: true, relax_column_count: true }))),
  );
  const written = await cpuForEach(count, () => inParts(rows, (part) => part.map(writeCsvRecord).join('')));
  const writtenByLibrary = await cpuForEach(count, () =>
    inParts(rows, (part) => stringify(part, { record_delimiter: 'windows' })),
  );
  const imported = await importCost(bench, text, count);
  const exported = await exportCost(bench, firstId);
  return {
    title: 'CSV: processor time for each row of 12 cells (µs)',
    columns: { microseconds: 'µs a row' },
    rows: [
      { what: 'read by `formats/csv.ts`', microseconds: round(read, 2) },
      { what: 'read by csv-parse', microseconds: round(readByLibrary, 2) },
      { what: '`ledgerline import` of the same file, all of it', microseconds: round(imported, 2) },
      { what: 'written by `formats/csv-writer.ts`', microseconds: round(written, 2) },
      { what: 'written by csv-stringify', microseconds: round(writtenByLibrary, 2) },
      { what: '`export-transactions`, all of it', microseconds: round(exported, 2) },
    ],
    notes: [
      `csv-parse would add ${ratio(100 * (readByLibrary - read), imported)} % to an import, and csv-stringify ${ratio(100 * (writtenByLibrary - written), exported)} % to an export.`,
    ],
    goals: [],
  };
}

function cells(index) {
  return [
    String(firstId + (index % individuals)),
    `tx-${index}`,
    '12.34',
    'EUR',
    '2026-01-01T00:00:00Z',
    'CARD',
    'Debit',
    'Accepted',
    'Ada Park',
    'Coffee, Corner',
    `Two flat whites and a croissant ${index % 100}`,
    'CARD',
  ];
}

async function* chunks(text) {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536);
}

async function readAll(records) {
  for await (const _ of records);
}

function inParts(rows, write) {
  for (let start = 0; start < rows.length; start += rowsAtOnce) write(rows.slice(start, start + rowsAtOnce));
}

/** The best of three: the first ones also compile. */
async function cpuForEach(count, work) {
  let best = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}

/** Of the command alone, not of PostgreSQL. */
async function importCost(bench, text, count) {
  await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${firstId}::int, ${firstId + individuals - 1}::int) id`;
  const file = path.join(bench.folder, 'rows.csv');
  writeFileSync(file, text);
  const child = spawn(process.execPath, [main, 'import', file], { env: environment(bench), stdio: 'ignore' });
  let used = 0;
  const timer = setInterval(() => (used = Math.max(used, cpuMicroseconds(child.pid))), 20);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  return used / count;
}

/** Of the service alone, for an individual with enough rows. */
async function exportCost(bench, individualId) {
  const rows = 100_000;
  await bench.sql`update transactions set individual_id = ${individualId} where individual_id between ${firstId} and ${firstId + individuals - 1}`;
  await bench.sql`update users set transaction_count = 2000000000 where id = ${individualId}`;
  const service = await bench.service();
  const ask = () =>
    fetch(`${service.url}/app/export-transactions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', accept: 'text/csv' },
      body: JSON.stringify({ individualId }),
    }).then((response) => response.arrayBuffer());
  await ask();
  const before = cpuMicroseconds(service.pid);
  await ask();
  const used = cpuMicroseconds(service.pid) - before;
  await service.stop();
  return used / rows;
}
