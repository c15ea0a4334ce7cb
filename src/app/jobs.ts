/** Runs periodic jobs: spreads them over time, reports failures, and stops them. */
import type { JobLeases } from '../db/job-leases.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { reportFailure } from './report-work.ts';

export interface JobSchedule {
  /** The pause between the end of one run and the start of the next. */
  everyMilliseconds: number;
  /** The pause doubles up to this after each run that does not return true, which means that there was something to do. */
  idleMilliseconds?: number;
  /** A request that may have given it something to do ends such a longer pause. */
  isWokenByRequests?: boolean;
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
  /** Ends the longer pauses of these jobs: they run after their usual pause at the latest. */
  wake(...names: Name[]): void;
  /** Called after each request that may have changed something. */
  wakeByRequest(): void;
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
  const repeated = new Map<Name, Repetition>();
  const wokenByRequests: Repetition[] = [];
  return {
    start(runs) {
      for (const [name, run] of Object.entries(runs) as [Name, Job['run']][]) {
        const job = withLease({ ...table[name], name, run }, leases, observe);
        const repetition = repeat(job, observe, tracing);
        repeated.set(name, repetition);
        if (job.isWokenByRequests) wokenByRequests.push(repetition);
      }
    },
    wake(...names) {
      for (const name of names) repeated.get(name)?.wake();
    },
    wakeByRequest() {
      for (const repetition of wokenByRequests) repetition.wake();
    },
    async stop() {
      await Promise.all([...repeated.values()].map(({ stop }) => stop()));
      await leases.releaseAll().catch(reportFailure(observe, 'release-leases'));
    },
  };
}

/** The lease is extended while a run takes longer than expected. */
function withLease(job: Job, leases: JobLeases, observe: Observe): Job {
  if (!job.runsOnce) return job;
  const longestPause = job.idleMilliseconds ?? job.everyMilliseconds;
  const leaseMilliseconds = Math.max(shortestLeaseMilliseconds, leaseRuns * longestPause);
  /** Counted from before the request, so the lease in the database lasts at least as long. */
  let leasedUntil = 0;
  const take = async () => {
    const startedAt = performance.now();
    const isTaken = await leases.take(job.name, leaseMilliseconds);
    leasedUntil = isTaken ? startedAt + leaseMilliseconds : 0;
    return isTaken;
  };
  /** A lease that lasts for another run needs no statement. */
  const hold = async () => leasedUntil - performance.now() > leaseMilliseconds / leaseRuns || take();
  const failed = reportFailure(observe, job.name);
  return {
    ...job,
    async run() {
      if (!(await hold())) return leftToOther;
      const prolong = setInterval(() => void take().catch(failed), leaseMilliseconds / leaseRuns);
      try {
        return await job.run();
      } finally {
        clearInterval(prolong);
      }
    },
  };
}

interface Repetition {
  wake(): void;
  stop(): Promise<void>;
}

function repeat(job: Job, observe: Observe, tracing?: Tracing): Repetition {
  const { name, everyMilliseconds, idleMilliseconds = everyMilliseconds, run } = job;
  let isStopped = false;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let pauseMilliseconds = everyMilliseconds;
  const schedule = () => {
    const pause = pauseMilliseconds * (1 + jitterShare * Math.random());
    timer = setTimeout(() => {
      // If it is woken during the run, the next pause is the usual one.
      pauseMilliseconds = Math.min(idleMilliseconds, pauseMilliseconds * 2);
      isRunning = true;
      running = runOnce().finally(() => {
        isRunning = false;
        if (!isStopped) schedule();
      });
    }, pause).unref();
  };
  const runOnce = async () => {
    try {
      const result = await (tracing ? tracing.runJob(name, run) : run());
      if (result === true) pauseMilliseconds = everyMilliseconds;
      if (result !== leftToOther) observe({ kind: 'job-ended', job: name });
    } catch (error) {
      reportFailure(observe, name)(error);
    }
  };
  observe({ kind: 'job-started', job: name });
  schedule();
  return {
    wake() {
      if (pauseMilliseconds === everyMilliseconds || isStopped) return;
      pauseMilliseconds = everyMilliseconds;
      // The next pause follows the run.
      if (isRunning) return;
      clearTimeout(timer);
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
