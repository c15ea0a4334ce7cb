/** Three times the rate that the service can serve: what it keeps of its peak, and what the rest is told. */
import { readFileSync } from 'node:fs';
import { load, loadRow, ratio, round } from './harness.js';
import { listLoad, prepareSmall } from './list.js';

const individuals = 500;
const peakConnections = 48;
const overloadConnections = 600;

export async function benchOverload(bench, { seconds }) {
  await prepareSmall(bench, individuals);
  const service = await bench.service();
  const options = { url: service.url, ...listLoad(service.token, individuals).service };
  await load({ ...options, connections: peakConnections, seconds: 3 });
  const peak = await load({ ...options, connections: peakConnections, seconds });
  const memory = watchMemory(service.pid);
  const rate = Math.round(3 * peak.perSecond);
  // The first second is a burst, which is let in; what counts is what lasts.
  const overload = await load({
    ...options,
    connections: overloadConnections,
    seconds: 2 * seconds,
    skipSeconds: 3,
    rate,
    dropsLate: true,
  });
  const { early, late } = memory.stop();
  const calmRate = Math.round(peak.perSecond / 3);
  const after = await load({ ...options, connections: peakConnections, seconds, skipSeconds: 2, rate: calmRate });
  await service.stop();
  const served = overload.byStatus['200'];
  const refused = overload.byStatus['503'] ?? { perSecond: 0, p50: 0, p99: 0 };
  const others = Object.keys(overload.statuses).filter((status) => status !== '200' && status !== '503');
  if (others.length > 0) throw new Error(`The service answered ${JSON.stringify(overload.statuses)}`);
  return {
    title: 'Overload: list pages at three times the peak rate',
    rows: [
      loadRow(`peak, ${peakConnections} connections`, peak),
      loadRow(`at ${rate}/s over ${overloadConnections} connections: served`, served),
      loadRow('the same: refused with 503', refused),
      loadRow(`two seconds later, at a third of the peak (${calmRate}/s)`, after),
    ],
    notes: [
      `Resident memory of the service: ${round(early)} MiB early in the overload, ${round(late)} MiB at its end.`,
      `The load generator and PostgreSQL share the two cores with the service. At three times the rate the generator alone takes several times what it takes at the peak, so the service has less of a core than it had there: ${round((100 * overload.perSecond) / rate)} % of the intended rate was offered.`,
    ],
    goals: [
      {
        what: 'served at three times the peak rate beside the peak',
        is: ratio(served.perSecond, peak.perSecond),
        least: 0.9,
      },
      { what: 'p99 of what is served under overload beside the peak', is: ratio(served.p99, peak.p99), most: 5 },
      { what: 'p50 of a refusal beside the p50 at the peak', is: ratio(refused.p50, peak.p50), most: 5 },
      { what: 'memory at the end of the overload beside its start', is: ratio(late, early), most: 1.15 },
      {
        what: 'share of refusals two seconds after the overload',
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

function residentMebibytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
