/** The cost of a page and its exact count as an individual grows, compared with OFFSET and COUNT; and import speed. */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { importFile, measured, ndjsonRow, randomSource, ratio, round } from './harness.js';

const pageSize = 20;
const firstMilliseconds = Date.UTC(2020, 0, 1);
const everyMilliseconds = 60_000;
/** The middle half of the time range, and an amount range that holds about a third of the rows. */
const range = (rows) => ({
  timestampFrom: new Date(firstMilliseconds + (rows / 4) * everyMilliseconds).toISOString(),
  timestampTo: new Date(firstMilliseconds + ((rows * 3) / 4) * everyMilliseconds).toISOString(),
});
const amounts = { amountFrom: '20', amountTo: '200' };

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
    imported = { id, rows, seconds };
    individuals.push({ id, rows });
  }
  const copySeconds = await timeCopy(bench, imported);
  await bench.sql`vacuum analyze transactions`;

  const service = await bench.service();
  const bare = await bench.bare();
  const figures = [];
  for (const { id, rows } of individuals) figures.push(await costs(bench, service, bare, id, rows));
  await service.stop();
  await bare.stop();

  const [least] = figures;
  const most = figures.at(-1);
  const perSecond = (seconds) => round(imported.rows / seconds);
  return {
    title: 'Growth of one individual: a page of 20 with its exact count, over HTTP, one connection (p50, ms)',
    rows: figures.map(({ rows, ...times }) => ({ what: `${rows.toLocaleString('en')} rows`, ...times })),
    columns: {
      first: 'page 1',
      deep: 'page at 98 %',
      last: 'last page',
      lastInTime: 'last page, time range',
      inAmount: 'amount range, middle page',
      inBoth: 'time and amount, middle page',
      plainLast: 'plain: last page',
      plainAmount: 'plain: amount',
      plainBoth: 'plain: both',
    },
    plot: {
      file: 'growth.svg',
      title: 'Time of a page with its exact count (ms)',
      x: sizes,
      lines: {
        'last page': figures.map(({ last }) => last),
        'last page of a time range': figures.map(({ lastInTime }) => lastInTime),
        'amount range': figures.map(({ inAmount }) => inAmount),
        'OFFSET and COUNT, last page': figures.map(({ plainLast }) => plainLast),
      },
    },
    notes: [
      `Import through the CLI, rules and blocks on: ${perSecond(imported.seconds).toLocaleString('en')} rows/s; COPY of the same rows into the same indexed table: ${perSecond(copySeconds).toLocaleString('en')} rows/s.`,
      '“Plain” is one statement with OFFSET and COUNT over the individual’s rows, served by the bare server.',
    ],
    goals: [
      { what: `deep page of ${most.rows} rows beside page 1`, is: ratio(most.deep, most.first), most: 5 },
      {
        what: `last page of a time range at ${most.rows} rows beside page 1`,
        is: ratio(most.lastInTime, most.first),
        most: 5,
      },
      { what: `last page at ${most.rows} rows beside ${least.rows}`, is: ratio(most.last, least.last), most: 4 },
      {
        what: `last page of a time range at ${most.rows} rows beside ${least.rows}`,
        is: ratio(most.lastInTime, least.lastInTime),
        most: 4,
      },
      { what: 'amount range: times faster than plain', is: ratio(most.plainAmount, most.inAmount), least: 8 },
      { what: 'both ranges: times faster than plain', is: ratio(most.plainBoth, most.inBoth), least: 5 },
      { what: 'import beside COPY', is: ratio(copySeconds, imported.seconds), least: 0.5 },
    ],
  };
}

async function writeRows(file, id, rows) {
  const target = createWriteStream(file);
  const random = randomSource(11);
  for (let number = 0; number < rows; number += 1) {
    if (!target.write(ndjsonRow(random, id, number, firstMilliseconds + number * everyMilliseconds))) {
      await once(target, 'drain');
    }
  }
  target.end();
  await once(target, 'finish');
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
  const ours = async (dataBatch, filter = {}) => {
    const body = JSON.stringify({ individualId: id, dataBatch: Math.max(1, Math.floor(dataBatch)), ...filter });
    const options = { paths: ['/app/get-all-transactions'], headers, connections: 1, seconds: 2, bodies: [body] };
    return (await measured(bench, service, options)).p50;
  };
  const plain = async (page, { timestampFrom = '', timestampTo = '', amountFrom = '', amountTo = '' }) => {
    const parameters = [
      id,
      Math.max(0, Math.floor(page) - 1) * pageSize,
      timestampFrom,
      timestampTo,
      amountFrom,
      amountTo,
    ];
    const address = `/plain/${parameters.map(encodeURIComponent).join('/')}`;
    return (await measured(bench, bare, { paths: [address], connections: 1, seconds: 2 })).p50;
  };
  const pages = rows / pageSize;
  const time = range(rows);
  return {
    rows,
    first: await ours(1),
    deep: await ours(pages * 0.98),
    last: await ours(pages),
    lastInTime: await ours(pages / 2, time),
    inAmount: await ours(pages / 6, amounts),
    inBoth: await ours(pages / 12, { ...time, ...amounts }),
    plainLast: await plain(pages, {}),
    plainAmount: await plain(pages / 6, amounts),
    plainBoth: await plain(pages / 12, { ...time, ...amounts }),
  };
}
