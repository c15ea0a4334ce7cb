/**
 * What the service adds to a gateway that answers after 100 ms: with 1,000 sends in flight, where the processor is the
 * limit, and at a third of that rate, where everything above 100 ms is the service's own time.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, loadRow, measured, ratio, round } from './harness.js';

const inFlight = 1000;
const answerMilliseconds = 100;
const first = 6_000_001;
/** Enough connections that one is always free at a moderate rate. */
const moderateConnections = 200;

export async function benchGateway(bench, { quick }) {
  const sends = quick ? 6000 : 20_000;
  const seconds = quick ? 5 : 20;
  const gateway = fork(fileURLToPath(new URL('slow-gateway.js', import.meta.url)), [String(answerMilliseconds)]);
  const [{ url }] = await once(gateway, 'message');
  const service = await bench.service({
    LEDGERLINE_GATEWAYS: 'webhook',
    LEDGERLINE_WEBHOOK_URL: url,
    LEDGERLINE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    // With the default, some of so many in flight would be refused as an overload.
    LEDGERLINE_REQUESTS: String(2 * inFlight),
  });
  let next = first;
  /** Each body names a user who has not been sent a code yet. */
  const freshBodies = async (count) => {
    const from = next;
    next += count;
    await bench.sql`insert into users (id, created_at) select id, now() from generate_series(${from}::int, ${next - 1}::int) id`;
    return Array.from({ length: count }, (_, index) =>
      JSON.stringify({ id: from + index, phoneNumber: `+4479${String(from + index).padStart(8, '0')}` }),
    );
  };
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const ours = (options) => measured(bench, service, { paths: ['/User/phone-number/send-code'], headers, ...options });
  const bare = (options) => load({ url, headers, ...options });

  const rush = async () => ({ connections: inFlight, requests: 'each', bodies: await freshBodies(sends / 2) });
  const bareRush = await bare(await rush());
  await ours(await rush());
  const before = residentMebibytes(service.pid);
  const ourRush = await ours(await rush());
  const after = residentMebibytes(service.pid);

  const rate = Math.round(ourRush.perSecond / 3);
  const bodies = await freshBodies(rate * (seconds + 1));
  const moderate = { connections: moderateConnections, rate, seconds, bodies };
  const bareModerate = await bare(moderate);
  const ourModerate = await ours(moderate);

  await service.stop();
  gateway.kill();
  for (const { statuses } of [ourRush, ourModerate]) {
    if (Object.keys(statuses).join() !== '204') throw new Error(`send-code answered ${JSON.stringify(statuses)}`);
  }
  return {
    title: `Sends through a gateway that answers in ${answerMilliseconds} ms`,
    rows: [
      loadRow(`service, ${inFlight} in flight`, ourRush),
      loadRow(`a bare loop of the same calls, ${inFlight} in flight`, bareRush),
      loadRow(`service at a third of its peak (${rate}/s)`, ourModerate),
      loadRow('a bare loop at the same rate', bareModerate),
    ],
    notes: [
      `Resident memory of the service: ${round(before)} MiB after half of the sends, ${round(after)} MiB after all ${sends.toLocaleString('en')}.`,
      'With 1,000 callers waiting on two cores the processor is the limit, and p99 holds the wait for it; at a third of that rate it holds what the gateway takes and what the service adds.',
    ],
    goals: [
      { what: 'sends a second beside a bare loop', is: ratio(ourRush.perSecond, bareRush.perSecond), least: 0.15 },
      { what: 'memory after all sends beside half of them', is: ratio(after, before), most: 1.15 },
      {
        what: 'ms that the service adds to the gateway’s p50, at a third of its peak',
        is: round(ourModerate.p50 - bareModerate.p50, 1),
        most: 5,
      },
      {
        what: 'ms that the service adds to the gateway’s p99, at a third of its peak',
        is: round(ourModerate.p99 - bareModerate.p99, 1),
        most: 15,
      },
    ],
  };
}

function residentMebibytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
