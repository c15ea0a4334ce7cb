/** What stands between a caller and a gateway that takes its time: 1,000 sends in flight, 100 ms each. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, measured, ratio, round } from './harness.js';

const inFlight = 1000;
const answerMilliseconds = 100;
const sends = 20_000;
const first = 6_000_001;

export async function benchGateway(bench) {
  const gateway = fork(fileURLToPath(new URL('slow-gateway.js', import.meta.url)), [String(answerMilliseconds)]);
  const [{ url }] = await once(gateway, 'message');
  const service = await bench.service({
    LEDGERLINE_GATEWAYS: 'webhook',
    LEDGERLINE_WEBHOOK_URL: url,
    LEDGERLINE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${first}::int, ${first + sends}::int) id`;
  const bodies = Array.from({ length: sends }, (_, index) =>
    JSON.stringify({ id: first + index, phoneNumber: `+4479${String(first + index).padStart(8, '0')}` }),
  );
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const send = (some) =>
    measured(bench, service, {
      paths: ['/User/phone-number/send-code'],
      headers,
      connections: inFlight,
      requests: 'each',
      bodies: some,
    });
  const bare = await load({
    url,
    headers,
    connections: inFlight,
    requests: 'each',
    bodies: bodies.slice(0, sends / 2),
  });
  await send(bodies.slice(0, sends / 4));
  const before = residentMebibytes(service.pid);
  const ours = await send(bodies.slice(sends / 4));
  const after = residentMebibytes(service.pid);
  await service.stop();
  gateway.kill();
  if (Object.keys(ours.statuses).join() !== '204')
    throw new Error(`send-code answered ${JSON.stringify(ours.statuses)}`);
  return {
    title: `Sends through a gateway that answers in ${answerMilliseconds} ms, ${inFlight} in flight`,
    rows: [
      {
        what: 'service',
        perSecond: round(ours.perSecond),
        p50: ours.p50,
        p99: ours.p99,
        node: ours.nodeMicroseconds,
        postgres: ours.postgresMicroseconds,
      },
      { what: 'a bare loop of the same calls', perSecond: round(bare.perSecond), p50: bare.p50, p99: bare.p99 },
    ],
    notes: [
      `Resident memory of the service: ${round(before)} MiB after ${(sends / 4).toLocaleString('en')} sends, ${round(after)} MiB after ${sends.toLocaleString('en')}.`,
      'With 1,000 callers waiting on two cores the processor is the limit, and p99 holds the wait for it.',
    ],
    goals: [{ what: 'memory after all sends beside a quarter of them', is: ratio(after, before), most: 1.3 }],
  };
}

function residentMebibytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
