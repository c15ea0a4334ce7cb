/** The cost of a page and its exact count as an individual grows, compared with OFFSET and COUNT; and import speed. */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { importFile, measured, randomSource, ratio, round } from './harness.js';

const pageSize = 20;
const firstMilliseconds = Date.UTC(2020, 0, 1);
const everyMilliseconds = 60_000;
/** The middle half of the time range, and an amount range that holds about a third of the rows. */
const range = (rows) => ({
  timestampFrom: new Date(firstMilliseconds + (rows / 4) * everyMilliseconds).toISOString(),
  timestampTo: new Date(firstMilliseconds + ((rows * 3) / 4) * everyMilliseconds).toISOString(),
});
const amounts = { amountFrom: '20', amountTo: '200' };

/** What is asked for, and the share of the rows that match. The page is the one in the middle of them. */
const filters = {
  inType: { filter: { transactionType: 'FEE' }, share: 1 / 10 },
  inStatus: { filter: { transactionStatus: 'Reversed' }, share: 1 / 5000 },
  inCurrency: { filter: { currency: 'USD' }, share: 1 / 5 },
  inSearch: { filter: { search: 'whites' }, share: 1 / 2 },
  inName: { filter: { search: 'kowalski' }, share: 1 / 500 },
};

/** Above this size one request of the plain statement takes longer than all the others together; COPY is as fast per row. */
const maxComparedRows = 1_000_000;

export async function benchGrowth(bench, { sizes }) {
  const individuals = [];
  let imported;
  for (const [index, rows] of sizes.entries()) {
    const id = 200_001 + index;
    await bench.sql`insert into users (id, created_at) values (${id}, now())`;
    const file = path.join(bench.folder, `rows-${rows}.ndjson`);
    await writeRows(file, id, rows);
    const seconds = await importFile(bench, file);
    await rm(file);
    if (rows <= maxComparedRows) imported = { id, rows, seconds };
    individuals.push({ id, rows });
    console.log(`  imported ${rows} rows in ${round(seconds)} s`);
  }
  const copySeconds = await timeCopy(bench, imported);
  await bench.sql`vacuum analyze transactions, transaction_blocks`;

  const service = await bench.service({ LEDGERLINE_STATEMENT_SECONDS: '60' });
  const bare = await bench.bare();
  const figures = [];
  for (const { id, rows } of individuals) figures.push(await costs(bench, service, bare, id, rows));
  await service.stop();
  await bare.stop();

  const perSecond = (seconds) => round(imported.rows / seconds);
  return {
    title: 'Growth of one individual: a page of 20 with its exact count, over HTTP, one connection (ms)',
    rows: figures.flatMap(({ rows, p50, cpu }) => [
      { what: `${rows.toLocaleString('en')} rows: p50`, ...p50 },
      { what: `${rows.toLocaleString('en')} rows: CPU`, ...cpu },
    ]),
    columns: {
      first: 'page 1',
      deep: 'page at 98 %',
      last: 'last page',
      lastInTime: 'last page, time range',
      inAmount: 'amount range',
      inBoth: 'time and amount',
      inType: 'type, every 10th row',
      inStatus: 'status, every 5,000th',
      inCurrency: 'currency, every 5th',
      inSearch: 'search, every 2nd',
      firstSearch: 'the same, first request',
      inName: 'search, every 500th',
      firstName: 'the same, first request ',
      plainLast: 'plain: last page',
      plainAmount: 'plain: amount',
      plainBoth: 'plain: both',
      plainType: 'plain: type',
      plainSearch: 'plain: search',
    },
    plot: {
      file: 'growth.svg',
      title: 'CPU time of a page with its exact count (ms)',
      x: sizes,
      lines: {
        'last page': figures.map(({ cpu }) => cpu.last),
        'last page of a time range': figures.map(({ cpu }) => cpu.lastInTime),
        'amount range': figures.map(({ cpu }) => cpu.inAmount),
        'search, after the first': figures.map(({ cpu }) => cpu.inSearch),
        'OFFSET and COUNT, last page': figures.map(({ cpu }) => cpu.plainLast).filter(Boolean),
      },
    },
    notes: [
      `Import through the CLI, rules and blocks on: ${perSecond(imported.seconds).toLocaleString('en')} rows/s; COPY of the same rows into the same indexed table: ${perSecond(copySeconds).toLocaleString('en')} rows/s.`,
      'CPU is that of the service (or the bare server) and PostgreSQL together, for each request. The goals compare it, since it hardly depends on what else the machine does.',
      'Where no page is named, it is the one in the middle of the rows that match. “First request” is the first of its filter in a process: it counts each block (docs/decisions/0006-every-filter-at-any-size.md).',
      `“Plain” is one statement with OFFSET and COUNT over the individual’s rows, served by the bare server, up to ${maxComparedRows.toLocaleString('en')} rows.`,
    ],
    goals: goalsOf(figures, imported, copySeconds),
  };
}

function goalsOf(figures, imported, copySeconds) {
  const costs = figures.map(({ rows, cpu }) => ({ rows, ...cpu }));
  const [least] = costs;
  const most = costs.at(-1);
  const compared = costs.findLast(({ plainLast }) => plainLast !== undefined);
  const tenth = costs.find(({ rows }) => rows === most.rows / 10);
  // The goal at ten million rows is the stricter one.
  const maxTimes = most.rows > 1_000_000 ? 3 : 5;
  const beside = (what, name, limit) => ({
    what: `${what} beside page 1`,
    is: ratio(most[name], most.first),
    most: limit,
  });
  const faster = (what, name, plain, limit) => ({
    what: `${what}: times faster than plain`,
    is: ratio(compared[plain], compared[name]),
    least: limit,
  });
  const oneOf = (what, name) => ({
    what: `${what} at ${compared.rows} rows beside page 1`,
    is: ratio(compared[name], compared.first),
    most: 30,
  });
  return [
    beside(`deep page of ${most.rows} rows`, 'deep', maxTimes),
    beside(`last page of a time range at ${most.rows} rows`, 'lastInTime', maxTimes),
    { what: `last page at ${most.rows} rows beside ${least.rows}`, is: ratio(most.last, least.last), most: 4 },
    {
      what: `last page of a time range at ${most.rows} rows beside ${least.rows}`,
      is: ratio(most.lastInTime, least.lastInTime),
      most: 4,
    },
    ...(most.rows > 1_000_000 && tenth
      ? [
          {
            what: `amount range at ${most.rows} rows beside ${tenth.rows}`,
            is: ratio(most.inAmount, tenth.inAmount),
            most: 4,
          },
        ]
      : []),
    faster('amount range', 'inAmount', 'plainAmount', 8),
    faster('both ranges', 'inBoth', 'plainBoth', 5),
    oneOf('type', 'inType'),
    oneOf('rare status', 'inStatus'),
    oneOf('currency', 'inCurrency'),
    oneOf('search', 'inSearch'),
    oneOf('search for a name', 'inName'),
    faster('type', 'inType', 'plainType', 20),
    faster('search', 'inSearch', 'plainSearch', 20),
    { what: 'import beside COPY', is: ratio(copySeconds, imported.seconds), least: 0.6 },
  ];
}

async function writeRows(file, id, rows) {
  const target = createWriteStream(file);
  const random = randomSource(11);
  for (let number = 0; number < rows; number += 1) {
    if (!target.write(row(random, id, number))) await once(target, 'drain');
  }
  target.end();
  await once(target, 'finish');
}

/** Values at the frequencies that `filters` names; names and notes as different as those of a merchant's customers. */
function row(random, individualId, number) {
  const names = ['Ada Park', 'Grace Hill', 'Linus Berg', 'Edsger Roy'];
  const sender = number % 500 === 7 ? 'Jan Kowalski' : `${names[number % 4]} ${Math.floor(random() * 5000)}`;
  const note = number % 2 === 0 ? 'two flat whites' : 'a croissant';
  const transaction = {
    individualId,
    transactionId: `tx-${String((number * 7919) % 1_000_003).padStart(8, '0')}-${number}`,
    amount: Number((Math.exp(random() * 7) * 1.3).toFixed(2)),
    currency: number % 5 === 0 ? 'USD' : 'EUR',
    timeStamp: new Date(firstMilliseconds + number * everyMilliseconds).toISOString(),
    transactionType: number % 10 === 3 ? 'FEE' : ['CARD', 'TRANSFER', 'PAYOUT'][number % 3],
    transactionCategory: random() < 0.8 ? 'Debit' : 'Credit',
    transactionStatus: number % 5000 === 11 ? 'Reversed' : 'Accepted',
    senderName: sender,
    receiverName: 'Coffee Corner',
    paymentNotes: `Order ${Math.floor(random() * 1e7)}: ${note}`,
    paymentSystem: 'CARD',
  };
  return `${JSON.stringify(transaction)}\n`;
}

/** Copies the imported rows to a file and into a table with the same indexes. */
async function timeCopy({ url, folder }, { id }) {
  const file = path.join(folder, 'rows.copy');
  // One connection each: the driver leaves a connection paused after it was read from by COPY.
  const [source, target] = [1, 2].map(() => postgres(url, { max: 1, connection: { search_path: 'ledgerline' } }));
  const rows = source.unsafe(`copy (select * from transactions where individual_id = ${id}) to stdout`);
  await pipeline(await rows.readable(), createWriteStream(file));
  await target`create table copied (like transactions including all)`;
  const begun = performance.now();
  await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), await target`copy copied from stdin`.writable());
  const seconds = (performance.now() - begun) / 1000;
  await target`drop table copied`;
  await Promise.all([source.end({ timeout: 1 }), target.end()]);
  await rm(file);
  return seconds;
}

async function costs(bench, service, bare, id, rows) {
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const ours = async (dataBatch, filter = {}, length = { seconds: 2 }) => {
    const body = JSON.stringify({ individualId: id, dataBatch: Math.max(1, Math.floor(dataBatch)), ...filter });
    const options = { paths: ['/app/get-all-transactions'], headers, connections: 1, bodies: [body], ...length };
    return figuresOf(await measured(bench, service, options));
  };
  const plain = async (page, filter) => {
    if (rows > maxComparedRows) return undefined;
    const offset = Math.max(0, Math.floor(page) - 1) * pageSize;
    const address = `/plain/${encodeURIComponent(JSON.stringify({ id, offset, ...filter }))}`;
    return figuresOf(await measured(bench, bare, { paths: [address], connections: 1, seconds: 2 }));
  };
  const pages = rows / pageSize;
  const time = range(rows);
  const middle = (name) => [(pages * filters[name].share) / 2, filters[name].filter];
  const atOnce = { requests: 'each' };
  const asked = {
    first: await ours(1),
    deep: await ours(pages * 0.98),
    last: await ours(pages),
    lastInTime: await ours(pages / 2, time),
    inAmount: await ours(pages / 6, amounts),
    inBoth: await ours(pages / 12, { ...time, ...amounts }),
    inType: await ours(...middle('inType')),
    inStatus: await ours(...middle('inStatus')),
    inCurrency: await ours(...middle('inCurrency')),
    firstSearch: await ours(...middle('inSearch'), atOnce),
    inSearch: await ours(...middle('inSearch')),
    firstName: await ours(...middle('inName'), atOnce),
    inName: await ours(...middle('inName')),
    plainLast: await plain(pages, {}),
    plainAmount: await plain(pages / 6, amounts),
    plainBoth: await plain(pages / 12, { ...time, ...amounts }),
    plainType: await plain(...middle('inType')),
    plainSearch: await plain(...middle('inSearch')),
  };
  const each = (name) => Object.fromEntries(Object.entries(asked).map(([what, figure]) => [what, figure?.[name]]));
  return { rows, p50: each('p50'), cpu: each('cpu') };
}

/** Undefined where no request was answered: it ran into the timeout. */
function figuresOf({ byStatus, nodeMicroseconds, postgresMicroseconds }) {
  const answered = byStatus['200'];
  return answered && { p50: answered.p50, cpu: (nodeMicroseconds + postgresMicroseconds) / 1000 };
}
