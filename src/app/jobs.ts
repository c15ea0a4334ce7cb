/** Periodic work: one way to run it, to spread it, to report that it failed, and to stop it. */
import { errorCode } from '../db/database.ts';
import type { Observe } from '../observe.ts';
import type { Tracing } from '../tracing/tracing.ts';

export interface Job {
  name: string;
  /** The pause between the end of one run and the start of the next. */
  everyMilliseconds: number;
  run(): Promise<unknown>;
}

export interface Jobs {
  /** Adds the jobs of a domain. They start at once. */
  start(...jobs: Job[]): void;
  /** Waits for the runs in progress. */
  stop(): Promise<void>;
}

/** Up to this share of the pause is added at random, so that several processes do not work in step. */
const jitterShare = 0.1;

export function createJobs(observe: Observe, tracing?: Tracing): Jobs {
  const stops: (() => Promise<void>)[] = [];
  return {
    start: (...jobs) => void stops.push(...jobs.map((job) => repeat(job, observe, tracing))),
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
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
      await (tracing ? tracing.run(`job ${name}`, 'internal', {}, run) : run());
    } catch (error) {
      observe({ kind: 'job-failed', job: name, reason: errorCode(error) });
    }
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
