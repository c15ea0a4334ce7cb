/** Reports errors of work that nobody waits for. */
import { asProblem } from '../db/failures.ts';
import { causeOf, Problem } from '../errors.ts';
import type { ReportError } from '../monitoring/background.ts';
import type { Observe, Observer } from '../monitoring/observe.ts';

/** Of work that is done again. */
export function reportFailure(observe: Observe, job: string): ReportError {
  return (error) => observe({ kind: 'job-failed', job, reason: causeOf(error) });
}

/** That the database is away or busy is a failure of the work, but no defect. */
export function reportWork(observer: Pick<Observer, 'observe' | 'observeDefect'>, work: string): ReportError {
  return (error) => {
    const problem = error instanceof Problem ? error : asProblem(error);
    if (problem) observer.observe({ kind: 'job-failed', job: work, reason: problem.details.reason });
    else observer.observeDefect(error, work);
  };
}
