/**
 * Three times the rate that the service can serve: what it keeps of its peak, and what the rest is told. Once with pages
 * of the list, of which the load generator, on the same cores, cannot offer so many; and once with rows to record, of which
 * it can. What the generator, and refusing as such, take from the service is measured too: the peak once more, while the
 * bare server refuses twice its rate. The service has a process for each core, as in production; the rows are measured with
 * one process as well.
 */
import { readFileSync } from 'node:fs';
import { load, loadRow, processesOf, ratio, round } from './harness.js';
import { firstId, listLoad, prepareSmall } from './list.js';

const individuals = 500;
/** The peak is at the number of connections after which the rate no longer grows. */
const peakConnections = [48, 96, 192];
const growth = 1.03;
const overloadConnections = 600;

export async function benchOverload(bench, { seconds }) {
  await prepareSmall(bench, individuals);
  const service = await bench.service({ LEDGERLINE_PROCESSES: 'auto' });
  const bare = await bench.bare();
  const pages = await overload(service, bare, 'pages', () => listLoad(service.token, individuals).service, seconds);
  const rows = await overload(service, bare, 'rows', (phase) => recordLoad(service.token, phase), seconds);
  await service.stop();
  const single = await bench.service();
  const one = await overload(
    single,
    bare,
    'rows, one process',
    (phase) => recordLoad(single.token, `one-${phase}`),
    seconds,
  );
  await single.stop();
  await bare.stop();
  return {
    title: 'Overload: three times the peak rate',
    rows: [...pages.rows, ...rows.rows, ...one.rows],
    notes: [...pages.notes, ...rows.notes, ...one.notes],
    goals: [...pages.goals, ...rows.goals],
  };
}

/** One row in each request, and in each phase rows that are new. */
function recordLoad(token, phase) {
  const row = (index) => ({
    individualId: firstId + (index % individuals),
    transactionId: `${phase}-${index}`,
    amount: '1.00',
    currency: 'EUR',
    timeStamp: '2026-01-01T00:00:00Z',
  });
  return {
    paths: ['/app/record-transactions'],
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    bodies: Array.from({ length: 60_000 }, (_, index) => JSON.stringify({ transactions: [row(index)] })),
  };
}

/** The highest rate at which nothing is refused. */
async function findPeak(during, seconds) {
  let peak;
  for (const connections of peakConnections) {
    const found = { connections, ...(await during(`peak-${connections}`, { connections, seconds })) };
    if (peak && (found.statuses['503'] || found.perSecond < growth * peak.perSecond)) return peak;
    peak = found;
  }
  return peak;
}

/** The peak, while two more requests for each of its own are made and refused elsewhere. */
async function measureBesideRefusals(during, bare, { connections, perSecond }, seconds) {
  const refusals = load({
    url: bare.url,
    paths: ['/refuse'],
    connections: overloadConnections - connections,
    seconds,
    rate: Math.round(2 * perSecond),
    dropsLate: true,
  });
  const peak = await during('beside refusals', { connections, seconds });
  await refusals;
  return peak;
}

async function overload(service, bare, what, requestsOf, seconds) {
  const during = (phase, options) => load({ url: service.url, ...requestsOf(phase), ...options });
  await during('warm-up', { connections: peakConnections[0], seconds: 3 });
  const peak = await findPeak(during, seconds);
  const shared = await measureBesideRefusals(during, bare, peak, seconds);
  const memory = watchMemory(service.pid);
  const rate = Math.round(3 * peak.perSecond);
  // The first seconds are a burst, which is let in; what counts is what lasts.
  const heavy = await during('overload', {
    connections: overloadConnections,
    seconds: 2 * seconds,
    skipSeconds: 3,
    rate,
    dropsLate: true,
  });
  const { early, late } = memory.stop();
  const calmRate = Math.round(peak.perSecond / 3);
  const after = await during('after', { connections: peakConnections[0], seconds, skipSeconds: 2, rate: calmRate });
  const { 503: refused, ...others } = heavy.byStatus;
  const [[status, served]] = Object.entries(others);
  if (Object.keys(others).length > 1 || Number(status) >= 300) {
    throw new Error(`The service answered ${JSON.stringify(heavy.statuses)}`);
  }
  return {
    rows: [
      loadRow(`${what}: peak, ${peak.connections} connections`, peak),
      loadRow('the same, while another server refuses twice as many', shared),
      loadRow(`at ${rate}/s over ${overloadConnections} connections: served`, served),
      ...(refused ? [loadRow('the same: refused with 503', refused)] : []),
      loadRow(`two seconds later, at a third of the peak (${calmRate}/s)`, after),
    ],
    notes: [
      `${what}: ${round((100 * heavy.perSecond) / rate)} % of the intended rate was offered: the load generator and PostgreSQL share the two cores with the service. ${round((100 * served.perSecond) / peak.perSecond)} % of the peak was served; of the peak itself ${round((100 * shared.perSecond) / peak.perSecond)} % was left while another server refused the rest. Resident memory of the service: ${round(early)} MiB early in the overload, ${round(late)} MiB at its end.`,
    ],
    goals: [
      {
        what: `${what} served at three times the peak rate, beside the peak while another server refuses the rest`,
        is: ratio(served.perSecond, shared.perSecond),
        least: 0.9,
      },
      { what: `p99 of the ${what} served under overload beside the peak`, is: ratio(served.p99, peak.p99), most: 5 },
      ...(refused
        ? [
            {
              what: `p50 of a refusal of ${what} beside the p50 at the peak`,
              is: ratio(refused.p50, peak.p50),
              most: 5,
            },
          ]
        : []),
      { what: `${what}: memory at the end of the overload beside its start`, is: ratio(late, early), most: 1.15 },
      {
        what: `share of ${what} refused two seconds after the overload`,
        is: ratio(after.statuses['503'] ?? 0, after.requests),
        most: 0,
      },
    ],
  };
}

function watchMemory(pid) {
  const samples = [];
  const timer = setInterval(() => samples.push(residentMebibytes(pid)), 500);
  return {
    stop() {
      clearInterval(timer);
      const third = Math.max(1, Math.floor(samples.length / 3));
      const most = (part) => Math.max(...part);
      return { early: most(samples.slice(third, 2 * third)), late: most(samples.slice(-third)) };
    },
  };
}

/** Of all processes of the service. */
function residentMebibytes(pid) {
  return processesOf(pid).reduce(
    (sum, each) => sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${each}/status`, 'utf8'))[1]) / 1024,
    0,
  );
}
