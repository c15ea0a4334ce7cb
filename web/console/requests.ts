/** Values that are requested from the service again and again, and changes that a person makes. */
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { LedgerlineError } from '../../client/index.ts';
import { t } from './texts.ts';

/** How often a view requests its values again while it is visible. */
export const refreshSeconds = 15;

export interface Requested<T> {
  /** The last answer. It stays until the next one is there. */
  value: T | undefined;
  /** When the last answer came. */
  updatedAt: Date | undefined;
  /** What is wrong with the last request, if something is. */
  error: string | undefined;
  refresh(): void;
}

export function useRequest<T>(request: () => Promise<T>, dependencies: unknown[], everySeconds = 0): Requested<T> {
  const [answer, setAnswer] = useState<{ value: T; at: Date }>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    let isWanted = true;
    request().then(
      (value) => {
        if (!isWanted) return;
        setAnswer({ value, at: new Date() });
        setError(undefined);
      },
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
    };
  }, [...dependencies, round]);
  useRefresh(refresh, everySeconds);
  return {
    value: answer?.value,
    updatedAt: answer?.at,
    error: error === undefined ? undefined : sentenceOf(error),
    refresh,
  };
}

/** From time to time, and at once when the page becomes visible or the connection changes. */
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

interface Entry {
  id: number;
}

export interface RequestedPages<T> extends Requested<T[]> {
  /** Undefined if there is nothing older. */
  showOlder: (() => void) | undefined;
}

/** A list that begins with the newest entry: its first page is requested again and again, older ones when wanted. */
export function useRequestedPages<T extends Entry>(
  request: (before: number | undefined, count: number) => Promise<T[]>,
  dependencies: unknown[],
  pageSize = 50,
): RequestedPages<T> {
  const first = useRequest(() => request(undefined, pageSize), dependencies, refreshSeconds);
  const [older, setOlder] = useState<{ rows: T[]; isEnd: boolean }>({ rows: [], isEnd: false });
  const [error, setError] = useState<unknown>();
  useLayoutEffect(() => setOlder({ rows: [], isEnd: false }), dependencies);

  // If more entries came than a page holds, the two parts no longer meet, and the list begins again.
  const oldestId = first.value?.at(-1)?.id ?? 0;
  const areJoined = older.rows.length > 0 && older.rows[0]!.id >= oldestId;
  const rows = first.value && [...first.value, ...(areJoined ? older.rows.filter(({ id }) => id < oldestId) : [])];
  async function showOlder(): Promise<void> {
    try {
      const page = await request(rows!.at(-1)!.id, pageSize);
      setOlder({ rows: [...rows!, ...page], isEnd: page.length < pageSize });
      setError(undefined);
    } catch (reason) {
      setError(reason);
    }
  }
  const isEnd = areJoined ? older.isEnd : (first.value?.length ?? 0) < pageSize;
  return {
    ...first,
    value: rows,
    error: first.error ?? (error === undefined ? undefined : sentenceOf(error)),
    showOlder: isEnd ? undefined : () => void showOlder(),
  };
}

export interface Change {
  complaint: string | undefined;
  /** What was done last, for screen readers. */
  done: string;
  /** Whether it was done. */
  run(work: Promise<unknown>, done: string): Promise<boolean>;
}

/** Something that a person changes, and its result. */
export function useChange(): Change {
  const [complaint, setComplaint] = useState<string>();
  const [done, setDone] = useState('');
  async function run(work: Promise<unknown>, sentence: string): Promise<boolean> {
    setDone('');
    try {
      await work;
      setComplaint(undefined);
      setDone(sentence);
      return true;
    } catch (error) {
      setComplaint(sentenceOf(error));
      return false;
    }
  }
  return { complaint, done, run };
}

const reasonSentence = (reason: string | undefined): string | undefined =>
  ({
    'missing-scope': t.common.missingScope,
    'unknown-user': t.common.unknownUser,
    'unknown-individual': t.common.unknownUser,
    'not-found': t.common.gone,
    'database-unavailable': t.common.databaseAway,
  })[reason ?? ''];

export function sentenceOf(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline') return t.common.noAnswer;
  if (error.kind === 'unauthorized') return t.common.tokenRefused;
  return reasonSentence(error.reason) ?? error.message;
}
