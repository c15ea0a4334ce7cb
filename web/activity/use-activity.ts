/**
 * From a filter to rows: the first page, which is quick and can be shown at once, then the totals of the same moment,
 * which say where everything else stands, then the pages in view.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LedgerlineError, type Transaction } from '../../client/index.ts';
import { dayOf } from './dates.ts';
import { requestOf, type Filter } from './filter.ts';
import { dayOfRow, layOut, type Layout } from './layout.ts';
import { pageSize, Rows } from './rows.ts';
import { useViewer } from './viewer.ts';

export type Trouble =
  | { kind: 'offline' }
  | { kind: 'expired' }
  | { kind: 'error'; message: string; traceId: string | undefined };

export interface Loaded {
  layout: Layout;
  /** Whether the totals are there: without them only the first rows have a place. */
  complete: boolean;
  /** All rows that match. */
  count: number;
  rows: Rows;
  asOf: string;
}

export interface Activity {
  /** Absent until the first rows are there. Stays while others are on their way. */
  loaded: Loaded | undefined;
  loading: boolean;
  /** The individual has no transactions at all. */
  empty: boolean;
  trouble: Trouble | undefined;
  reload(): void;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof LedgerlineError) {
    if (error.kind === 'offline') return { kind: 'offline' };
    if (error.kind === 'unauthorized') return { kind: 'expired' };
    return { kind: 'error', message: error.message, traceId: error.traceId };
  }
  return { kind: 'error', message: error instanceof Error ? error.message : String(error), traceId: undefined };
}

export function useActivity(filter: Filter): Activity {
  const { client, individualId, timeZone, announce } = useViewer();
  const [loaded, setLoaded] = useState<Loaded>();
  const [loading, setLoading] = useState(true);
  const [empty, setEmpty] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const [, redraw] = useState(0);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((now) => now + 1), []);
  const latest = useRef<Rows | undefined>(undefined);
  const shown = useRef<Filter | undefined>(undefined);

  // Asks before the first paint, not after it.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const request = requestOf(individualId, filter, timeZone);

    function fail(error: unknown): void {
      if (signal.aborted) return;
      setLoading(false);
      if (error instanceof LedgerlineError && error.status === 404) {
        setTrouble(undefined);
        setEmpty(true);
        return;
      }
      const met = troubleOf(error);
      if (met.kind === 'expired') announce('ledgerline-session-expired');
      setTrouble(met);
    }

    async function load(): Promise<void> {
      setLoading(true);
      const first = await client.listTransactions({ ...request, dataBatch: 1, dataBatchCount: pageSize }, { signal });
      const { asOf, transactionCount: count } = first;
      let layout = layOut(daysOf(first.transactions, timeZone), remPixels());
      /** A pending row may move to another day while somebody looks: then everything stands elsewhere. */
      const moved = (transactions: Transaction[], firstRow: number) =>
        transactions.some(
          ({ timeStamp }, index) =>
            dayOf(new Date(timeStamp), timeZone) !== layout.days[dayOfRow(layout, firstRow + index)]?.day,
        );
      const rows = new Rows({
        first: first.transactions,
        async fetchPage(dataBatch, dataBatchCount) {
          const page = await client.listTransactions({ ...request, dataBatch, dataBatchCount, asOf }, { signal });
          if (moved(page.transactions, (dataBatch - 1) * dataBatchCount)) reload();
          return page;
        },
        onChange: () => redraw((now) => now + 1),
        onError: fail,
      });
      function show(complete: boolean): void {
        if (latest.current !== rows) latest.current?.stop();
        latest.current = rows;
        shown.current = filter;
        setLoaded({ layout, complete, count, rows, asOf });
        setEmpty(false);
        setTrouble(undefined);
      }
      // Who refreshes a list may be far down in it, and stays there.
      if (shown.current !== filter) show(false);
      if (count > 0) {
        const totals = await client.summarizeTransactions({ ...request, by: 'day', timeZone, asOf }, { signal });
        layout = layOut(totals.periods, remPixels());
        if (moved(first.transactions, 0)) return reload();
      }
      show(true);
      setLoading(false);
    }

    load().catch(fail);
    return () => controller.abort();
  }, [client, individualId, timeZone, filter, round]);

  useEffect(() => {
    const back = () => trouble?.kind === 'offline' && reload();
    const gone = () => setTrouble({ kind: 'offline' });
    addEventListener('online', back);
    addEventListener('offline', gone);
    return () => {
      removeEventListener('online', back);
      removeEventListener('offline', gone);
    };
  }, [trouble]);

  return { loaded, loading, empty, trouble, reload };
}

/** As far as the first rows tell: how many there are of each day, not yet what they sum up to. */
function daysOf(transactions: Transaction[], timeZone: string): { from: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { timeStamp } of transactions) {
    const day = dayOf(new Date(timeStamp), timeZone);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [...counts].map(([from, count]) => ({ from, count }));
}

/** Rows grow with the viewer's text size. */
function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
