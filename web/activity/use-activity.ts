/** From a filter to rows: the totals first, which say where everything stands, then the pages in view. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { LedgerlineError } from '../../client/index.ts';
import { dayOf } from './dates.ts';
import { requestOf, type Filter } from './filter.ts';
import { dayOfRow, layOut, type Layout } from './layout.ts';
import { Rows } from './rows.ts';
import { useViewer } from './viewer.ts';

export type Trouble =
  | { kind: 'offline' }
  | { kind: 'expired' }
  | { kind: 'error'; message: string; traceId: string | undefined };

export interface Loaded {
  layout: Layout;
  rows: Rows;
  asOf: string;
}

export interface Activity {
  /** Absent until the first totals are there. Stays while others are on their way. */
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

  useEffect(() => {
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
      const totals = await client.summarizeTransactions({ ...request, by: 'day', timeZone }, { signal });
      const layout = layOut(totals.periods, remPixels());
      const { asOf } = totals;
      const rows = new Rows({
        async fetchPage(dataBatch, dataBatchCount) {
          const page = await client.listTransactions({ ...request, dataBatch, dataBatchCount, asOf }, { signal });
          // A pending row may move to another day while somebody looks: then everything stands elsewhere.
          const moved = page.transactions.findIndex(({ timeStamp }, index) => {
            const row = (dataBatch - 1) * dataBatchCount + index;
            return dayOf(new Date(timeStamp), timeZone) !== layout.days[dayOfRow(layout, row)]?.day;
          });
          if (moved >= 0) reload();
          return page;
        },
        onChange: () => redraw((now) => now + 1),
        onError: fail,
      });
      latest.current?.stop();
      latest.current = rows;
      setLoaded({ layout, rows, asOf });
      setLoading(false);
      setEmpty(false);
      setTrouble(undefined);
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

/** Rows grow with the viewer's text size. */
function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
