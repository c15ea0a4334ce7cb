/** Periodic jobs: each runs again and again, a failure is reported and does not end it, and a stop waits. */
import { expect, it, onTestFinished } from 'vitest';
import { createJobs } from '../../src/app/jobs.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createJobLeases } from '../../src/db/job-leases.ts';
import { databaseAway } from '../../src/errors.ts';
import type { Observation } from '../../src/monitoring/observe.ts';
import { cloneDatabase } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const always = { sweep: { everyMilliseconds: 1 } };

/** As two nodes on one database have them. */
async function leasesOfNodes(count: number) {
  const database = await cloneDatabase();
  const nodes = Array.from({ length: count }, () =>
    openDatabase({ url: database.url, connections: 3, statementSeconds: 5 }),
  );
  onTestFinished(async () => {
    await Promise.all(nodes.map((db) => db.close()));
    await database.drop();
  });
  return nodes.map((db) => createJobLeases(db));
}

it('runs again after a failure, and reports the failure with the name of the job and the cause', async () => {
  const observed: Observation[] = [];
  const jobs = createJobs(always, (observation) => void observed.push(observation), (await leasesOfNodes(1))[0]!);
  let runs = 0;
  jobs.start({
    async sweep() {
      runs += 1;
      if (runs === 1) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      if (runs === 2) throw databaseAway();
      if (runs === 3) throw new TypeError('undefined is not a function');
    },
  });
  await until(() => runs >= 5);
  await jobs.stop();
  expect(observed.slice(0, 4)).toEqual([
    { kind: 'job-started', job: 'sweep' },
    { kind: 'job-failed', job: 'sweep', reason: 'ECONNREFUSED' },
    { kind: 'job-failed', job: 'sweep', reason: 'database-unavailable' },
    { kind: 'job-failed', job: 'sweep', reason: 'TypeError' },
  ]);
  expect(observed.slice(4)).toContainEqual({ kind: 'job-ended', job: 'sweep' });
});

it('the pause grows while there is nothing to do, and a request or a wake ends it', async () => {
  const table = {
    sweep: { everyMilliseconds: 5, idleMilliseconds: 3_600_000, isWokenByRequests: true, runsOnce: true },
    flush: { everyMilliseconds: 5, idleMilliseconds: 3_600_000 },
  };
  const jobs = createJobs(table, () => {}, (await leasesOfNodes(1))[0]!);
  const runs = { sweep: 0, flush: 0 };
  let hasWork = true;
  jobs.start({
    async sweep() {
      runs.sweep += 1;
      return hasWork;
    },
    flush: async () => void (runs.flush += 1),
  });
  // With something to do it keeps its pace. Otherwise the pauses double: a hundred runs would take until the end of time.
  await until(() => runs.sweep > 100);
  expect(runs.flush).toBeLessThan(20);
  hasWork = false;
  const before = runs.sweep;
  await until(() => runs.sweep >= before + 10);
  // The next pause is longer than five seconds by now.
  const [swept, flushed] = [runs.sweep, runs.flush];
  jobs.wakeByRequest();
  await until(() => runs.sweep > swept);
  expect(runs.flush).toBe(flushed);
  jobs.wake('flush');
  await until(() => runs.flush > flushed);
  await jobs.stop();
});

it('a stop waits for the run in progress, and no other run follows', async () => {
  const jobs = createJobs(always, () => {}, (await leasesOfNodes(1))[0]!);
  let runs = 0;
  let hasEnded = false;
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  jobs.start({
    async sweep() {
      runs += 1;
      await gate;
      hasEnded = true;
    },
  });
  await until(() => runs === 1);
  const stopped = jobs.stop();
  open();
  await stopped;
  expect({ runs, hasEnded }).toEqual({ runs: 1, hasEnded: true });
});

it('a job that runs once runs in one process of several, and in another when that one stops', async () => {
  const runs = [0, 0, 0];
  const ended = [0, 0, 0];
  const nodes = (await leasesOfNodes(3)).map((leases, node) => {
    const observe = ({ kind }: Observation) => void (kind === 'job-ended' && (ended[node]! += 1));
    const jobs = createJobs({ sweep: { everyMilliseconds: 5, runsOnce: true } }, observe, leases);
    jobs.start({ sweep: async () => void (runs[node]! += 1) });
    return jobs;
  });
  await until(() => Math.max(...runs) >= 10);
  const first = runs.findIndex((count) => count > 0);
  expect(runs.filter((count) => count > 0)).toHaveLength(1);
  await nodes[first]!.stop();
  await until(() => runs.some((count, node) => node !== first && count >= 5));
  expect(runs.filter((count, node) => node !== first && count > 0)).toHaveLength(1);
  await Promise.all(nodes.map((jobs) => jobs.stop()));
  // A process that left the run to another one has not succeeded.
  expect(ended).toEqual(runs);
});

it('a lease is taken over when its holder has not prolonged it in time', async () => {
  const [first, second] = await leasesOfNodes(2);
  const hour = 3_600_000;
  expect(await first!.take('sweep', hour)).toBe(true);
  expect(await first!.take('sweep', hour)).toBe(true);
  expect(await second!.take('sweep', hour)).toBe(false);
  // Prolonged for no time at all, it has passed when the next one asks.
  expect(await first!.take('sweep', -1)).toBe(true);
  expect(await second!.take('sweep', hour)).toBe(true);
  expect(await first!.take('sweep', hour)).toBe(false);
});
