/** Values that are requested from the service repeatedly, and changes that a person makes. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type CallOptions } from '../../client/index.ts';
import { t } from './texts.ts';

/** How often a view requests its values again while it is visible. */
export const refreshSeconds = 15;
/** How long a view waits for an answer. By default the service itself ends a slow query much earlier. */
const answerSeconds = 30;

export interface Requested<T> {
  /**
   * The last answer. While the first one for another filter is on its way, the last one of the filter before stays; if
   * that request fails, there is none: rows of another filter would look like the answer to this one.
   */
  value: T | undefined;
  /** The time of the last answer. */
  updatedAt: Date | undefined;
  /** The error of the last request, if it failed. */
  error: string | undefined;
  /** Aborted when the last answer belongs to an earlier filter. */
  outdated: AbortSignal | undefined;
  refresh(): void;
}

type Call<T> = (options: CallOptions) => Promise<T>;

export function useRequest<T>(request: Call<T>, dependencies: unknown[], everySeconds = 0): Requested<T> {
  const [answer, setAnswer] = useState<{ value: T; at: Date; outdated: AbortSignal; key: unknown[] }>();
  const [failed, setFailed] = useState<{ reason: unknown; key: unknown[] }>();
  const latest = useRef(request);
  latest.current = request;
  const update = useRef(() => {});
  const refresh = useCallback(() => update.current(), []);
  useEffect(() => {
    const controller = new AbortController();
    const outdated = controller.signal;
    update.current = oneAtATime(async () => {
      if (outdated.aborted) return;
      try {
        const value = await callInTime(latest.current, outdated);
        if (outdated.aborted) return;
        setAnswer({ value, at: new Date(), outdated, key: dependencies });
        setFailed(undefined);
      } catch (reason) {
        if (!outdated.aborted) setFailed({ reason, key: dependencies });
      }
    });
    update.current();
    return () => controller.abort();
  }, dependencies);
  // A value that is requested only once is requested again after a failure: the client does not repeat a call by
  // itself.
  const error = failed && isSameKey(failed.key, dependencies) ? sentenceOf(failed.reason) : undefined;
  useRefresh(refresh, everySeconds || (error === undefined ? 0 : refreshSeconds));
  const isOwn = answer !== undefined && isSameKey(answer.key, dependencies);
  return {
    value: isOwn || error === undefined ? answer?.value : undefined,
    updatedAt: isOwn ? answer.at : undefined,
    error,
    outdated: answer?.outdated,
    refresh,
  };
}

function isSameKey(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index]);
}

/** While the work is running, any number of calls cause only one more run. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  async function run(): Promise<void> {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  }
  return () => void run();
}

/** Ends the call when its answer is outdated or takes too long. */
export async function callInTime<T>(request: Call<T>, outdated: AbortSignal): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, answerSeconds * 1000);
  outdated.addEventListener('abort', abort);
  try {
    return await request({ signal: controller.signal });
  } finally {
    clearTimeout(timer);
    outdated.removeEventListener('abort', abort);
  }
}

/** Refreshes periodically, and immediately when the page becomes visible or the connection changes. */
function useRefresh(refresh: () => void, everySeconds: number): void {
  useLayoutEffect(() => {
    if (everySeconds === 0) return;
    const onVisible = () => document.hidden || refresh();
    const timer = setInterval(onVisible, everySeconds * 1000);
    document.addEventListener('visibilitychange', onVisible);
    addEventListener('online', refresh);
    addEventListener('offline', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
      removeEventListener('online', refresh);
      removeEventListener('offline', refresh);
    };
  }, [everySeconds]);
}

export interface Change {
  complaint: string | undefined;
  /** What was done last, for screen readers. */
  done: string;
  /** For `aria-disabled`: a button that is disabled would lose the focus. */
  isRunning: boolean;
  /**
   * Returns whether it succeeded. Does nothing while the last change is running, so that a second click does not repeat
   * it.
   */
  run(work: () => Promise<unknown>, done: string): Promise<boolean>;
}

/** Something that a person changes, and its result. */
export function useChange(): Change {
  const [complaint, setComplaint] = useState<string>();
  const [done, setDone] = useState('');
  const [isRunning, setRunning] = useState(false);
  // The state changes only when the view is drawn again, which may be after the second click.
  const isBusy = useRef(false);
  async function run(work: () => Promise<unknown>, sentence: string): Promise<boolean> {
    if (isBusy.current) return false;
    isBusy.current = true;
    setRunning(true);
    setDone('');
    try {
      await work();
      setComplaint(undefined);
      setDone(sentence);
      return true;
    } catch (error) {
      setComplaint(sentenceOf(error));
      return false;
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  }
  return { complaint, done, isRunning, run };
}

const reasonSentence = (reason: string | undefined): string | undefined =>
  ({
    'missing-scope': t.common.missingScope,
    'unknown-user': t.common.unknownUser,
    'unknown-individual': t.common.unknownUser,
    'not-found': t.common.gone,
    'database-unavailable': t.common.databaseAway,
    'query-too-slow': t.common.querySlow,
    overloaded: t.common.busy,
  })[reason ?? ''];

export function sentenceOf(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline' || error.kind === 'aborted') return t.common.noAnswer;
  if (error.kind === 'unauthorized') return t.common.tokenRefused;
  return reasonSentence(error.reason) ?? error.message;
}
