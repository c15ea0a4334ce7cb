/** Work that no request awaits, such as that of a timer or a listener: an error in it would end the process. */

export type ReportError = (error: unknown) => void;

/** Runs the work. If it throws, or its promise rejects, the error is reported. */
export function inBackground(work: () => unknown, report: ReportError): void {
  try {
    const running = work();
    if (running instanceof Promise) running.catch(report);
  } catch (error) {
    report(error);
  }
}

/** Repeats the work. An error ends only the run in which it happens. */
export function every(milliseconds: number, work: () => unknown, report: ReportError): NodeJS.Timeout {
  return setInterval(() => inBackground(work, report), milliseconds).unref();
}

/** A listener whose errors are reported. */
export function guarded<A extends unknown[]>(
  listener: (...values: A) => unknown,
  report: ReportError,
): (...values: A) => void {
  return (...values) => inBackground(() => listener(...values), report);
}
