/** A list whose pages are linked by a cursor: the first one is requested again and again, older ones when wanted. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { CallOptions } from '../../client/index.ts';
import { refreshSeconds, sentenceOf, useRequest, type Requested } from './requests.ts';

interface Page<T> {
  rows: T[];
  /** Undefined if there is nothing older. */
  next: string | undefined;
}

export interface CursorPages<T> extends Requested<T[]> {
  showOlder: (() => void) | undefined;
}

export function useCursorPages<T extends { id: string }>(
  request: (after: string | undefined, options?: CallOptions) => Promise<Page<T>>,
  dependencies: unknown[],
): CursorPages<T> {
  const first = useRequest((options) => request(undefined, options), dependencies, refreshSeconds);
  const [older, setOlder] = useState<Page<T>>();
  const [error, setError] = useState<string>();
  useLayoutEffect(() => {
    setOlder(undefined);
    setError(undefined);
  }, dependencies);

  // New entries push older ones from the first page into those that were read before. What both have is newer there.
  const current = new Set(first.value?.rows.map(({ id }) => id));
  const rows = first.value && [...first.value.rows, ...(older?.rows ?? []).filter(({ id }) => !current.has(id))];
  const next = older ? older.next : first.value?.next;

  async function showOlder(): Promise<void> {
    try {
      const page = await request(next);
      setOlder({ rows: [...rows!, ...page.rows], next: page.next });
      setError(undefined);
    } catch (reason) {
      setError(sentenceOf(reason));
    }
  }

  return {
    ...first,
    value: rows,
    error: first.error ?? error,
    showOlder: next === undefined ? undefined : () => void showOlder(),
  };
}
