/** Errors of work that nobody waits for. That the database is away or busy is a failure of that work, but no defect. */
import { asProblem } from '../db/failures.ts';
import { Problem } from '../errors.ts';
import type { ReportError } from '../monitoring/background.ts';
import type { Observer } from '../monitoring/observe.ts';

export function reportWork(observer: Pick<Observer, 'observe' | 'observeDefect'>, work: string): ReportError {
  return (error) => {
    const problem = error instanceof Problem ? error : asProblem(error);
    if (problem) observer.observe({ kind: 'job-failed', job: work, reason: problem.details.reason });
    else observer.observeDefect(error, work);
  };
}
