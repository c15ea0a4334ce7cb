/** Runs periodic jobs: spreads them over time, reports failures, and stops them. */
import { errorCode } from '../db/failures.ts';
import type { JobLeases } from '../db/job-leases.ts';
import type { Observe } from '../observe.ts';
import type { Tracing } from '../tracing/tracing.ts';

export interface JobSchedule {
  /** The pause between the end of one run and the start of the next. */
  everyMilliseconds: number;
  /**
   * Runs in one process at a time, whatever the number of processes and nodes. A job that works on the memory of its
   * own process runs in every process. After a process has lost its connection to the database, two runs may overlap
   * for a moment.
   */
  runsOnce?: boolean;
}

interface Job extends JobSchedule {
  name: string;
  run(): Promise<unknown>;
}

/** The result of a run that did nothing, because another process has the lease of the job. */
const leftToOther = Symbol('left to another process');

export interface Jobs<Name extends string> {
  /** Starts the jobs of a domain: the function that each job runs, by its name in the table. */
  start(runs: { [name in Name]?: Job['run'] }): void;
  /** Waits for the runs in progress. */
  stop(): Promise<void>;
}

/** The lease of a job that runs in one process lasts for several runs, so that the job stays in that process. */
const leaseRuns = 3;
const shortestLeaseMilliseconds = 10_000;

/**
 * Up to this share of the pause is added at random, so that several processes do not run their jobs at the same time.
 */
const jitterShare = 0.1;

export function createJobs<Name extends string>(
  table: Record<Name, JobSchedule>,
  observe: Observe,
  leases: JobLeases,
  tracing?: Tracing,
): Jobs<Name> {
  const stops: (() => Promise<void>)[] = [];
  return {
    start(runs) {
      for (const [name, run] of Object.entries(runs) as [Name, Job['run']][]) {
        const job = withLease({ ...table[name], name, run }, leases, observe);
        stops.push(repeat(job, observe, tracing));
      }
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await leases.releaseAll().catch((error: unknown) => {
        observe({ kind: 'job-failed', job: 'release-leases', reason: errorCode(error) });
      });
    },
  };
}

/** The lease is extended while a run takes longer than expected. */
function withLease(job: Job, leases: JobLeases, observe: Observe): Job {
  if (!job.runsOnce) return job;
  const leaseMilliseconds = Math.max(shortestLeaseMilliseconds, leaseRuns * job.everyMilliseconds);
  const take = () => leases.take(job.name, leaseMilliseconds);
  const failed = (error: unknown) => observe({ kind: 'job-failed', job: job.name, reason: errorCode(error) });
  return {
    ...job,
    async run() {
      if (!(await take())) return leftToOther;
      const prolong = setInterval(() => void take().catch(failed), leaseMilliseconds / leaseRuns);
      try {
        await job.run();
      } finally {
        clearInterval(prolong);
      }
    },
  };
}

function repeat({ name, everyMilliseconds, run }: Job, observe: Observe, tracing?: Tracing): () => Promise<void> {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const schedule = () => {
    const pause = everyMilliseconds * (1 + jitterShare * Math.random());
    timer = setTimeout(() => {
      running = runOnce().finally(() => isStopped || schedule());
    }, pause).unref();
  };
  const runOnce = async () => {
    try {
      const result = await (tracing ? tracing.run(`job ${name}`, 'internal', {}, run) : run());
      if (result !== leftToOther) observe({ kind: 'job-ended', job: name });
    } catch (error) {
      observe({ kind: 'job-failed', job: name, reason: errorCode(error) });
    }
  };
  observe({ kind: 'job-started', job: name });
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
