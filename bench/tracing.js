/**
 * What tracing costs on a list page: off beside a service from which it is taken out, and on. The processor time of Node
 * for a page is measured in many short rounds by turns, and the lower quartile of each is compared: other work on the
 * machine makes a round dearer, never cheaper.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { load, round, separateMain } from './harness.js';
import { listLoad, prepareSmall } from './list.js';

const individuals = 500;
const connections = 16;
const seamFile = new URL('tracing-seam.js', import.meta.url).href;

export async function benchTracing(bench, { quick }) {
  const rounds = quick ? 4 : 40;
  await prepareSmall(bench, individuals);
  const collector = await startCollector();
  const start = (TRACING_SEAM, settings) =>
    bench.service({ NODE_OPTIONS: `--import=${seamFile}`, TRACING_SEAM, ...settings }, separateMain);
  const services = {
    off: await start('kept'),
    removed: await start('removed'),
    removedAgain: await start('removed'),
    on: await start('kept', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
  };
  const times = await measureRounds(services, rounds);
  for (const service of Object.values(services)) await service.stop();
  if (collector.batches() === 0) throw new Error('The collector received no spans.');
  collector.stop();
  return resultOf(times, rounds);
}

/** Microseconds of a page in each round. The order turns around each time, so that nobody is always first. */
async function measureRounds(services, rounds) {
  const names = Object.keys(services);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await microsecondsEach(services[name], 5);
  for (let number = 0; number < rounds; number += 1) {
    for (const name of number % 2 === 0 ? names : names.toReversed()) {
      times[name].push(await microsecondsEach(services[name], 0.4));
    }
  }
  return times;
}

async function microsecondsEach(service, seconds) {
  const options = { ...listLoad(service.token, individuals).service, connections, seconds };
  const before = processorMicroseconds(service.pid);
  const { requests, statuses } = await load({ url: service.url, ...options });
  const used = processorMicroseconds(service.pid) - before;
  if (Object.keys(statuses).join() !== '200') throw new Error(`The list answered ${JSON.stringify(statuses)}`);
  return used / requests;
}

/** Of all threads of a process. In nanoseconds by the kernel: the ticks of `stat` are too coarse for a short round. */
function processorMicroseconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
}

function resultOf({ off, removed, removedAgain, on }, rounds) {
  const row = (what, times) => ({ what, node: round(lowerQuartile(times), 1) });
  const besideRemoved = (times) => round(lowerQuartile(times) / lowerQuartile(removed), 3);
  return {
    title: 'Tracing, a list page',
    rows: [
      row('without tracing: taken out of the service', removed),
      row('the same once more, as another process', removedAgain),
      row('tracing off: OTEL_EXPORTER_OTLP_ENDPOINT is not set', off),
      row('tracing on: a span for the request and one for the statement, sent in batches', on),
    ],
    notes: [
      `Lower quartiles of ${rounds} rounds of 0.4 s, by turns. What two processes with the same code differ by is the accuracy: ${besideRemoved(removedAgain)}. On beside without: ${besideRemoved(on)}.`,
      'Without tracing: `bench/tracing-seam.js` removes the lines that ask whether a request is traced while the service is loaded.',
    ],
    goals: [
      {
        what: 'processor time of a list page with tracing off beside a service without tracing',
        is: besideRemoved(off),
        most: 1.02,
      },
    ],
  };
}

function lowerQuartile(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) / 4;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

/** Takes spans and drops them. */
async function startCollector() {
  let batches = 0;
  const server = createServer((request, response) => {
    batches += 1;
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    batches: () => batches,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
