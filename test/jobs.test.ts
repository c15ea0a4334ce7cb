/** Periodic jobs: each runs again and again, a failure is reported and does not end it, and a stop waits. */
import { expect, it, vi } from 'vitest';
import { createJobs } from '../src/app/jobs.ts';
import type { Observation } from '../src/observe.ts';

it('runs again after a failure, and reports the failure with the name of the job', async () => {
  const observed: Observation[] = [];
  const jobs = createJobs((observation) => void observed.push(observation));
  let runs = 0;
  jobs.start({
    name: 'sweep',
    everyMilliseconds: 1,
    async run() {
      runs += 1;
      if (runs === 1) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    },
  });
  await vi.waitUntil(() => runs >= 3);
  await jobs.stop();
  expect(observed).toEqual([{ kind: 'job-failed', job: 'sweep', reason: 'ECONNREFUSED' }]);
});

it('a stop waits for the run in progress, and none follows', async () => {
  const jobs = createJobs(() => {});
  let runs = 0;
  let hasEnded = false;
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  jobs.start({
    name: 'sweep',
    everyMilliseconds: 1,
    async run() {
      runs += 1;
      await gate;
      hasEnded = true;
    },
  });
  await vi.waitUntil(() => runs === 1);
  const stopped = jobs.stop();
  open();
  await stopped;
  expect({ runs, hasEnded }).toEqual({ runs: 1, hasEnded: true });
});
