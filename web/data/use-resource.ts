/** A value of the service that is requested again and again. It knows which key its data belongs to. */
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type CallOptions } from '../../client/index.ts';
import { isTemporary, troubleOf } from './trouble.ts';

/** How long an answer may take. By default the service itself ends a slow query much earlier. */
const answerSeconds = 30;
/** The pause after the first failure. It doubles with each further one. */
const firstPauseSeconds = 4;
const longestPauseSeconds = 60;
/** News come in crowds: they are followed by one request, at most so often. */
const newsMilliseconds = 1000;

export type Read<T> = (options: CallOptions) => Promise<T>;

export interface Failure {
  error: unknown;
  /** When it is requested again, in milliseconds since 1970. Undefined if waiting cannot help. */
  retryAt: number | undefined;
}

export interface Resource<T> {
  /**
   * The last answer. While the first one for a new key is on its way, the last one of the key before stays
   * (`isPrevious`); if that request fails, there is none: rows of another filter would look like the answer to this
   * one.
   */
  value: T | undefined;
  isPrevious: boolean;
  /** The time of the last answer for this key. */
  updatedAt: Date | undefined;
  /** Whether it is requested only once. */
  isOnce: boolean;
  /** Of the last request, if it failed. The value is then outdated. */
  failure: Failure | undefined;
  /** Aborted when the value belongs to an earlier key. */
  outdated: AbortSignal | undefined;
  refresh(): void;
  /** Requests it soon, once for many calls. */
  refreshSoon(): void;
}

/** Hears of every resource below it, so that a frame can show what fails and how old the values are. */
export const ResourceWatch = createContext<((id: object, resource: Resource<unknown> | undefined) => void) | undefined>(
  undefined,
);

interface ResourceOptions {
  /** 0 if it is requested only once. It is requested again after a failure in any case. */
  everySeconds?: number;
  /** Whether the caller shows a failure itself. */
  isOwn?: boolean;
}

interface Answer<T> {
  key: readonly unknown[];
  value: T;
  at: Date;
  outdated: AbortSignal;
}

export function useResource<T>(
  key: readonly unknown[],
  read: Read<T>,
  { everySeconds = 0, isOwn = false }: ResourceOptions = {},
): Resource<T> {
  const [answer, setAnswer] = useState<Answer<T>>();
  const [failed, setFailed] = useState<{ key: readonly unknown[]; failure: Failure }>();
  const latest = useRef(read);
  latest.current = read;
  const polling = useRef<Polling>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const outdated = controller.signal;
    polling.current = poll<T>((options) => latest.current(options), outdated, {
      everySeconds,
      onAnswer(value) {
        setAnswer({ key, value, at: new Date(), outdated });
        setFailed(undefined);
      },
      onFailure: (failure) => setFailed({ key, failure }),
    });
    return () => controller.abort();
  }, key);
  const refresh = useCallback(() => polling.current?.refresh(), []);
  const refreshSoon = useCallback(() => polling.current?.refreshSoon(), []);
  const failure = failed && isSameKey(failed.key, key) ? failed.failure : undefined;
  const isPrevious = answer !== undefined && !isSameKey(answer.key, key);
  const resource: Resource<T> = {
    value: isPrevious && failure ? undefined : answer?.value,
    isPrevious,
    updatedAt: isPrevious ? undefined : answer?.at,
    isOnce: everySeconds === 0,
    failure,
    outdated: answer?.outdated,
    refresh,
    refreshSoon,
  };
  useWatch(resource, isOwn);
  return resource;
}

function useWatch(resource: Resource<unknown>, isOwn: boolean): void {
  const watch = useContext(ResourceWatch);
  const id = useRef({}).current;
  useLayoutEffect(() => {
    if (!isOwn) watch?.(id, resource);
  }, [resource.value, resource.updatedAt, resource.failure]);
  useLayoutEffect(() => () => watch?.(id, undefined), []);
}

function isSameKey(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index]);
}

interface Polling {
  refresh(): void;
  refreshSoon(): void;
}

interface PollOptions<T> {
  everySeconds: number;
  onAnswer(value: T): void;
  onFailure(failure: Failure): void;
}

/**
 * Requests a value at once, periodically while the page is visible, and when the page becomes visible or the connection
 * changes, until the signal is aborted. There is one request at a time: while it runs, any number of calls cause only one
 * more.
 */
function poll<T>(read: Read<T>, ended: AbortSignal, { everySeconds, onAnswer, onFailure }: PollOptions<T>): Polling {
  let isRunning = false;
  let isWanted = false;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let news: ReturnType<typeof setTimeout> | undefined;

  async function request(): Promise<void> {
    clearTimeout(retry);
    try {
      const value = await callInTime(read, ended);
      if (ended.aborted) return;
      failures = 0;
      onAnswer(value);
    } catch (error) {
      if (ended.aborted) return;
      failures += 1;
      const pause = pauseAfter(error, failures);
      if (pause !== undefined) retry = setTimeout(refresh, pause);
      onFailure({ error, retryAt: pause && Date.now() + pause });
    }
  }

  async function run(): Promise<void> {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted && !ended.aborted) {
      isWanted = false;
      await request();
    }
    isRunning = false;
  }

  const refresh = () => void run();
  const isNeeded = () => everySeconds > 0 || failures > 0;
  const onVisible = () => void (!document.hidden && isNeeded() && refresh());
  const onConnection = () => void (isNeeded() && refresh());
  // After a failure the pause counts.
  const timer = everySeconds > 0 && setInterval(() => failures === 0 && onVisible(), everySeconds * 1000);
  document.addEventListener('visibilitychange', onVisible);
  addEventListener('online', onConnection);
  addEventListener('offline', onConnection);
  ended.addEventListener('abort', () => {
    for (const each of [retry, news]) clearTimeout(each);
    if (timer) clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('online', onConnection);
    removeEventListener('offline', onConnection);
  });
  refresh();
  return {
    refresh,
    refreshSoon() {
      news ??= setTimeout(() => {
        news = undefined;
        refresh();
      }, newsMilliseconds);
    },
  };
}

/** In milliseconds. Undefined if another request would fail as well. */
function pauseAfter(error: unknown, failures: number): number | undefined {
  const trouble = troubleOf(error);
  if (!isTemporary(trouble)) return undefined;
  const asked = 'retryAfterSeconds' in trouble ? (trouble.retryAfterSeconds ?? 0) : 0;
  return Math.min(longestPauseSeconds, Math.max(asked, firstPauseSeconds * 2 ** (failures - 1))) * 1000;
}

/** Ends the call when its answer is outdated or takes too long. */
export async function callInTime<T>(read: Read<T>, outdated: AbortSignal): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), answerSeconds * 1000);
  try {
    return await read({ signal: AbortSignal.any([outdated, late.signal]) });
  } catch (error) {
    throw late.signal.aborted ? new LedgerlineError('offline', 'The answer took too long.', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}
