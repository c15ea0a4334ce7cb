/**
 * Loads the rows of a filter: first the first page, which is fast and is shown immediately; then the totals as of the
 * same time, which give every row its position; then the pages in view. After a change of rows that are in the list, it
 * reads only the totals and the pages in view again.
 */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type Transaction, type TransactionPage } from '../../../client/index.ts';
import { isRefusedByCors, noteAnswer } from '../../data/cors.ts';
import { dayOf } from '../../intl/dates.ts';
import { requestOf, type Filter } from './filter.ts';
import { dayOfRow, layOut, sizesOf, type Layout } from './layout.ts';
import { pageSize, Rows } from './rows.ts';
import { isListOutdated, isTemporary, traceIdOf, troubleOf, type Trouble } from '../../data/trouble.ts';
import { useViewer } from './viewer.ts';

export interface Loaded {
  filter: Filter;
  layout: Layout;
  /** Whether the totals are there. Without them only the first rows have a position. */
  isComplete: boolean;
  /** The number of rows that match the filter. */
  count: number;
  rows: Rows;
  asOf: string;
}

export interface Activity {
  /** Undefined until the first rows are there. The rows of the last filter stay while those of the next are loading. */
  loaded: Loaded | undefined;
  isLoading: boolean;
  /** Whether the individual has no transactions at all. */
  isEmpty: boolean;
  trouble: Trouble | undefined;
  reload(): void;
  /** Reads the rows of the same list again, after some of them have changed. */
  refresh(): void;
  /** Makes a request for exactly the rows of the list. A list that is too old for that is read again first. */
  withAsOf: WithAsOf;
}

export type WithAsOf = <Result>(request: (asOf: string) => Promise<Result>) => Promise<Result>;

interface WaitingForList {
  resolve(loaded: Loaded): void;
  reject(error: unknown): void;
}

/** Seconds until the first automatic attempt after a failure; each further one waits twice as long. */
const firstRetrySeconds = 2;
const longestRetrySeconds = 30;
/** If the service asks for a longer wait, it is still tried after this time. */
const longestAskedSeconds = 3600;
/**
 * A pinned list is valid for a day. If the service refuses it, it is read again automatically, at most once in this
 * time.
 */
const renewalSeconds = 3600;

export function useActivity(filter: Filter): Activity {
  const viewer = useViewer();
  const { client, getToken, baseUrl, individualId, timeZone, announce } = viewer;
  const sizes = sizesOf(viewer);
  const [loaded, setLoaded] = useState<Loaded>();
  const [isLoading, setLoading] = useState(true);
  const [isEmpty, setEmpty] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const [, redraw] = useState(0);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  /** Whether the next list has the same rows as the one before. */
  const isRefreshing = useRef(false);
  const refresh = useCallback(() => {
    isRefreshing.current = true;
    reload();
  }, []);
  const latest = useRef<Loaded | undefined>(undefined);
  /** Whether the next list is read because rows of the last one were on other days than its totals say. */
  const isCorrecting = useRef(false);
  const renewedAt = useRef(-Infinity);
  const waiting = useRef<WaitingForList[]>([]);

  // A layout effect, so that the request goes out before the first paint.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const request = requestOf(individualId, filter, timeZone);
    const isCorrection = isCorrecting.current;
    isCorrecting.current = false;
    const refreshed = isRefreshing.current && latest.current?.filter === filter ? latest.current : undefined;
    isRefreshing.current = false;

    async function fail(error: unknown): Promise<void> {
      if (signal.aborted) return;
      if (error instanceof LedgerlineError && error.status !== undefined) noteAnswer(baseUrl);
      if (isListOutdated(error) && performance.now() - renewedAt.current > renewalSeconds * 1000) {
        renewedAt.current = performance.now();
        return reload();
      }
      for (const { reject } of waiting.current.splice(0)) reject(error);
      if (error instanceof LedgerlineError && error.reason === 'no-transactions') {
        keep(undefined);
        setTrouble(undefined);
        setEmpty(true);
        setLoading(false);
        announce('ledgerline-loaded', { transactionCount: 0 });
        return;
      }
      // Rows of another filter would look like the answer to this one.
      if (latest.current?.filter !== filter) keep(undefined);
      const met = troubleOf(error);
      if (met.kind === 'expired') announce('ledgerline-session-expired', { error, traceId: traceIdOf(error) });
      const isRefused = met.kind === 'unreachable' && (await isRefusedByCors(baseUrl, error));
      if (signal.aborted) return;
      // Both in one update: a list that is neither loading nor in trouble is read again at the next change.
      setTrouble(isRefused ? { kind: 'not-allowed' } : met);
      setLoading(false);
    }

    function keep(next: Loaded | undefined): void {
      if (latest.current?.rows !== next?.rows) latest.current?.rows.stop();
      latest.current = next;
      setLoaded(next);
    }

    function correct(): void {
      isCorrecting.current = true;
      reload();
    }

    async function readFirst(): Promise<TransactionPage> {
      const first = await client.listTransactions({ ...request, dataBatch: 1, dataBatchCount: pageSize }, { signal });
      noteAnswer(baseUrl);
      return first;
    }

    async function load(): Promise<void> {
      setLoading(true);
      const first = refreshed ? undefined : await readFirst();
      const { asOf, count } = first ? { asOf: first.asOf, count: first.transactionCount } : refreshed!;
      let layout = first ? layOut(daysOf(first.transactions, timeZone), sizes) : refreshed!.layout;
      /**
       * A pending row can move to another day while the list is open. Then every position is different, and the list is
       * read again. Only once: the service and the browser may also have different data about the time zone, and then
       * the days of the service are shown.
       */
      function mustCorrect(transactions: Transaction[], firstRow: number): boolean {
        if (isCorrection) return false;
        return transactions.some(
          ({ timeStamp }, index) =>
            dayOf(new Date(timeStamp), timeZone) !== layout.days[dayOfRow(layout, firstRow + index)]?.day,
        );
      }
      // With another number of rows most of them have another position.
      const isSameList = latest.current?.filter === filter && latest.current.count === count;
      const rows = new Rows({
        first: first?.transactions,
        earlier: isSameList ? latest.current!.rows : undefined,
        async fetchPage(dataBatch, dataBatchCount) {
          const page = await client.listTransactions({ ...request, dataBatch, dataBatchCount, asOf }, { signal });
          if (mustCorrect(page.transactions, (dataBatch - 1) * dataBatchCount)) correct();
          return page;
        },
        onChange: () => redraw((before) => before + 1),
        onError: (error) => void fail(error),
      });
      function show(isComplete: boolean): void {
        keep({ filter, layout, isComplete, count, rows, asOf });
        setEmpty(false);
        setTrouble(undefined);
      }
      // A viewer who refreshes may be far down in the list, and stays there until the totals are known.
      if (latest.current?.filter !== filter) show(false);
      if (count > 0) {
        const totals = await client.summarizeTransactions({ ...request, by: 'day', timeZone, asOf }, { signal });
        layout = layOut(totals.periods, sizes);
        if (first && mustCorrect(first.transactions, 0)) return correct();
      }
      show(true);
      setLoading(false);
      for (const { resolve } of waiting.current.splice(0)) resolve(latest.current!);
      announce('ledgerline-loaded', { transactionCount: count });
    }

    load().catch(fail);
    return () => controller.abort();
  }, [client, individualId, timeZone, filter, round, sizes.rowHeight]);

  const withAsOf: WithAsOf = async (request) => {
    try {
      return await request(latest.current!.asOf);
    } catch (error) {
      if (!isListOutdated(error)) throw error;
      const next = new Promise<Loaded>((resolve, reject) => waiting.current.push({ resolve, reject }));
      reload();
      return request((await next).asOf);
    }
  };

  // The host page has provided another token after the session had ended, or after one of somebody else.
  useLayoutEffect(() => {
    if (trouble?.kind === 'expired' || trouble?.kind === 'not-this-user') reload();
  }, [getToken]);

  useRecovery(trouble, setTrouble, reload);
  return { loaded, isLoading, isEmpty, trouble, reload, refresh, withAsOf };
}

/** Tries again when the connection is back, and from time to time while the service does not answer. */
function useRecovery(trouble: Trouble | undefined, setTrouble: (trouble: Trouble) => void, reload: () => void): void {
  const failures = useRef(0);
  if (!trouble) failures.current = 0;
  useLayoutEffect(() => {
    const onOffline = () => setTrouble({ kind: 'offline' });
    addEventListener('offline', onOffline);
    if (!trouble || !isTemporary(trouble)) return () => removeEventListener('offline', onOffline);
    const asked = trouble.kind === 'busy' ? (trouble.retryAfterSeconds ?? 0) : 0;
    const usual = Math.min(firstRetrySeconds * 2 ** failures.current, longestRetrySeconds);
    const seconds = Math.max(usual, Math.min(asked, longestAskedSeconds));
    const retry = () => {
      failures.current += 1;
      reload();
    };
    const timer = setTimeout(retry, seconds * 1000);
    addEventListener('online', retry);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', retry);
      removeEventListener('offline', onOffline);
    };
  }, [trouble]);
}

/** The number of rows of each day, as far as the first rows show it. */
function daysOf(transactions: Transaction[], timeZone: string): { from: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { timeStamp } of transactions) {
    const day = dayOf(new Date(timeStamp), timeZone);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [...counts].map(([from, count]) => ({ from, count }));
}
