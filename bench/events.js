/**
 * Events: deliveries a second beside a bare loop of signed POSTs, how long an event takes from its commit to its receiver,
 * what the outbox costs, and the memory that a long queue takes.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { load, loadRow, measured, ratio, round, until } from './harness.js';

const inFlight = 16;
const connections = 48;
const phoneOf = (id) => `+4479${String(id).padStart(8, '0')}`;

export async function benchEvents(bench, { quick }) {
  const size = quick
    ? { deliveries: 4000, lagSeconds: 5, calls: 480, due: 50_000 }
    : { deliveries: 10_000, lagSeconds: 10, calls: 960, due: 1_000_000 };
  const cost = await measureCost(bench, size.calls);
  const delivery = await measureDelivery(bench, size);
  const memory = await measureMemory(bench, size.due);
  return {
    title: 'Events',
    rows: [
      { what: `webhooks to one endpoint, ${inFlight} in flight`, perSecond: round(delivery.perSecond) },
      { what: 'a bare loop of signed POSTs, as many in flight', perSecond: round(delivery.barePerSecond) },
      {
        what: `from the commit to the receiver, at a third of that rate (${delivery.rate}/s)`,
        perSecond: delivery.rate,
        p50: delivery.p50,
        p99: delivery.p99,
      },
      ...Object.entries(cost).flatMap(([what, { withEvents, without }]) => [
        loadRow(`${what}, with events`, withEvents),
        loadRow(`${what}, without`, without),
      ]),
    ],
    notes: [
      `Resident memory of the service: ${round(memory.none)} MiB with nothing due, ${round(memory.many)} MiB with ${size.due.toLocaleString('en')} deliveries due to an endpoint that is down.`,
      `Load average of the machine at the end: about ${round(loadavg()[0])}, on ${cpus().length} cores. Above that number the processors were shared with other work, and only the ratios count.`,
      'Without events: the same service on a database whose functions `write_event` and `write_first_event` do nothing and whose outbox drops what is inserted.',
    ],
    goals: [
      {
        what: 'webhooks a second beside a bare loop of signed POSTs',
        is: ratio(delivery.perSecond, delivery.barePerSecond),
        least: 0.5,
      },
      ...Object.entries(cost).flatMap(([what, { withEvents, without }]) => [
        {
          what: `${what} with events beside without`,
          is: ratio(withEvents.perSecond, without.perSecond),
          least: 0.9,
        },
        {
          what: `processor time of ${what} without events beside with`,
          is: ratio(processorTime(without), processorTime(withEvents)),
          least: 0.9,
        },
      ]),
      {
        what: `memory with ${size.due.toLocaleString('en')} due deliveries beside none`,
        is: ratio(memory.many, memory.none),
        most: 1.3,
      },
    ],
  };
}

async function startChild(script, ...args) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args.map(String));
  const ask = async (question) => {
    child.send(question);
    return (await once(child, 'message'))[0];
  };
  return { child, ask, first: () => once(child, 'message').then(([message]) => message) };
}

async function createEndpoint({ url: serviceUrl, token }, url) {
  const response = await fetch(`${serviceUrl}/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, types: ['user.created'] }),
  });
  if (response.status !== 201) throw new Error(`An endpoint was answered with ${response.status}.`);
}

/** Events about many users, in the outbox as a commit leaves them. */
const writeEvents = (bench, count) => bench.sql`
  insert into event_outbox (user_id, sequence, type, at, data)
  select n, 1, 'user.created', clock_timestamp(), with_user_id('{}', n) from generate_series(1, ${count}::int) n`;

async function measureDelivery(bench, { deliveries, lagSeconds }) {
  const receiver = await startChild('hook-receiver.js');
  const { url } = await receiver.first();
  const bare = async () => {
    const poster = await startChild('hook-poster.js', url, deliveries, inFlight);
    const { seconds } = await poster.first();
    return deliveries / seconds;
  };
  const barePerSecond = (await bare(), await bare());
  const service = await bench.service({ LEDGERLINE_EVENTS_RATE: '100000' });
  await createEndpoint(service, url);
  const rush = async () => {
    await receiver.ask('reset');
    await writeEvents(bench, deliveries);
    await until(async () => (await receiver.ask('count')).count > 0);
    const [begun, { count: before }] = [performance.now(), await receiver.ask('count')];
    await until(async () => (await receiver.ask('count')).count >= deliveries);
    return ((deliveries - before) / (performance.now() - begun)) * 1000;
  };
  const perSecond = (await rush(), await rush());

  const rate = Math.round(perSecond / 3);
  await receiver.ask('reset');
  const begun = performance.now();
  let written = 0;
  while (performance.now() - begun < lagSeconds * 1000) {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate) - written;
    if (due > 0) await writeEvents(bench, due);
    written += due;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until(async () => (await receiver.ask('count')).count >= written);
  const { ages } = await receiver.ask('ages');
  ages.sort((a, b) => a - b);
  await service.stop();
  receiver.child.disconnect();
  const at = (share) => ages[Math.min(ages.length - 1, Math.floor(ages.length * share))];
  return { perSecond, barePerSecond, rate, p50: at(0.5), p99: at(0.99) };
}

/** Turns the outbox off and on, in the database: the service is the same. */
async function switchOutbox(bench, isOn) {
  const { sql } = bench;
  if (isOn) {
    const file = fileURLToPath(new URL('../src/db/functions/write_event.sql', import.meta.url));
    await sql.unsafe(readFileSync(file, 'utf8'));
    await sql.unsafe('drop rule if exists without_events on user_event_outbox');
    return;
  }
  for (const name of ['write_event', 'write_first_event']) {
    await sql.unsafe(`create or replace function ${name}(event_type text, of_user integer, moment timestamptz, event_data json)
      returns void language plpgsql as $$ begin end $$`);
  }
  await sql.unsafe('create or replace rule without_events as on insert to user_event_outbox do instead nothing');
}

/**
 * Send, verify and record with fresh users, with events and without in turn. The figures are of all rounds but the first;
 * processor time tells more than speed where the machine has other work to do.
 */
async function measureCost(bench, calls) {
  const service = await bench.service();
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const run = async (path, bodies, status) => {
    const options = { paths: [path], headers, connections, requests: 'each', bodies };
    const result = await measured(bench, service, options);
    if (Object.keys(result.statuses).join() !== status) {
      throw new Error(`${path} answered ${JSON.stringify(result.statuses)}`);
    }
    return result;
  };
  const results = {};
  let first = 7_000_001;
  for (const [index, isOn] of [true, true, false, false, true, true, false, false, true].entries()) {
    await switchOutbox(bench, isOn);
    const ids = Array.from({ length: calls }, (_, place) => first + place);
    first += calls;
    await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${ids[0]}::int, ${ids.at(-1)}::int) id`;
    const sends = ids.map((id) => JSON.stringify({ id, phoneNumber: phoneOf(id) }));
    const records = ids.map((id) => JSON.stringify({ transactions: [rowOf(id)] }));
    const round = { send: await run('/User/phone-number/send-code', sends, '204') };
    const messages = await (await fetch(`${service.url}/sandbox/messages`)).json();
    const codes = new Map(messages.map(({ phoneNumber, code }) => [phoneNumber, code]));
    const verifies = ids.map((id) => JSON.stringify({ id, code: codes.get(phoneOf(id)) }));
    round.verify = await run('/User/phone-number/verify', verifies, '200');
    round.record = await run('/app/record-transactions', records, '200');
    if (index === 0) continue;
    for (const [what, result] of Object.entries(round)) {
      (results[what] ??= { withEvents: [], without: [] })[isOn ? 'withEvents' : 'without'].push(result);
    }
  }
  await service.stop();
  await bench.sql`truncate event_outbox, user_event_outbox`;
  return Object.fromEntries(
    Object.entries(results).map(([what, { withEvents, without }]) => [
      what,
      { withEvents: meanOf(withEvents), without: meanOf(without) },
    ]),
  );
}

function meanOf(results) {
  const mean = (name) => results.reduce((sum, result) => sum + result[name], 0) / results.length;
  const names = ['perSecond', 'p50', 'p99', 'nodeMicroseconds', 'postgresMicroseconds'];
  return Object.fromEntries(names.map((name) => [name, round(mean(name), /^p\d/.test(name) ? 3 : 0)]));
}

const processorTime = ({ nodeMicroseconds, postgresMicroseconds }) => nodeMicroseconds + postgresMicroseconds;

const rowOf = (individualId) => ({
  individualId,
  transactionId: 'tx-1',
  amount: '12.50',
  currency: 'EUR',
  timeStamp: '2026-01-01T00:00:00Z',
  transactionStatus: 'Accepted',
});

async function measureMemory(bench, due) {
  const none = await settledMebibytes(bench, async () => {});
  const many = await settledMebibytes(bench, async (service) => {
    // A port that nobody listens on.
    await createEndpoint(service, 'http://127.0.0.1:9/');
    await bench.sql`
      with position as (select last_position from event_log), logged as (
        insert into events (position, id, type, at, user_id, sequence, data)
        select p.last_position + n, event_id(now()), 'user.created', now(), n, 1, with_user_id('{}', n)
        from position p, generate_series(1, ${due}::int) n returning position
      ), queued as (
        insert into webhook_deliveries (endpoint_id, event_position, due_at)
        select (select max(id) from webhook_endpoints), l.position, now() from logged l
      )
      update event_log set last_position = last_position + ${due}::int`;
  });
  return { none, many };
}

/** After some seconds of work, in which both are asked the same. */
async function settledMebibytes(bench, prepare) {
  await bench.sql`truncate webhook_endpoints, webhook_secrets, webhook_leases, webhook_deliveries`;
  const service = await bench.service();
  await prepare(service);
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const paths = ['/app/get-all-transactions'];
  const bodies = [JSON.stringify({ individualId: 1, dataBatch: 1 })];
  await load({ url: service.url, paths, bodies, headers, connections: 4, rate: 100, seconds: 15 });
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  await service.stop();
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}
