/** A list that begins with the newest entry: its first page is requested repeatedly, older pages on demand. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { CallOptions } from '../../client/index.ts';
import { callInTime, refreshSeconds, sentenceOf, useRequest, type Requested } from './requests.ts';

interface Entry {
  id: string | number;
}

interface Page<T, Cursor> {
  rows: T[];
  /** The start of the page after it. Undefined if there is nothing older. */
  next: Cursor | undefined;
}

export interface CursorPages<T> extends Requested<T[]> {
  /** Undefined if there is nothing older. */
  showOlder: (() => void) | undefined;
}

export function useCursorPages<T extends Entry, Cursor>(
  request: (after: Cursor | undefined, options: CallOptions) => Promise<Page<T, Cursor>>,
  dependencies: unknown[],
): CursorPages<T> {
  const first = useRequest((options) => request(undefined, options), dependencies, refreshSeconds);
  /** Everything that was read, with the filter that it was read for. */
  const [read, setRead] = useState<Page<T, Cursor> & { outdated: AbortSignal }>();
  const [error, setError] = useState<string>();
  useLayoutEffect(() => setError(undefined), dependencies);

  const list = first.value && (read && read.outdated === first.outdated ? join(first.value, read) : first.value);
  // The next first page is joined with this state, not with the one from when older entries were requested.
  useLayoutEffect(
    () => setRead(list && list !== first.value ? { ...list, outdated: first.outdated! } : undefined),
    [first.value],
  );

  async function showOlder({ rows, next }: Page<T, Cursor>, outdated: AbortSignal): Promise<void> {
    if (outdated.aborted) return;
    try {
      const page = await callInTime((options) => request(next, options), outdated);
      if (outdated.aborted) return;
      setRead({ rows: [...rows, ...page.rows], next: page.next, outdated });
      setError(undefined);
    } catch (reason) {
      if (!outdated.aborted) setError(sentenceOf(reason));
    }
  }

  return {
    ...first,
    value: list?.rows,
    error: first.error ?? error,
    showOlder: list?.next === undefined ? undefined : () => void showOlder(list, first.outdated!),
  };
}

/**
 * If more entries arrived than fit in a page, there is a gap between the first page and those that were read before,
 * and the list starts again. An empty first page means that it searched a part of the log and found nothing newer.
 */
function join<T extends Entry, Cursor>(first: Page<T, Cursor>, read: Page<T, Cursor>): Page<T, Cursor> {
  const current = new Set(first.rows.map(({ id }) => id));
  // Entries that both have are newer in the first page.
  const others = read.rows.filter(({ id }) => !current.has(id));
  const isJoined = others.length < read.rows.length || first.rows.length === 0;
  return isJoined ? { rows: [...first.rows, ...others], next: read.next } : first;
}

/** A list whose cursor is the id of the last entry of a page. */
export function usePagesById<T extends Entry>(
  request: (before: T['id'] | undefined, count: number, options: CallOptions) => Promise<T[]>,
  dependencies: unknown[],
  pageSize: number,
): CursorPages<T> {
  return useCursorPages(async (before: T['id'] | undefined, options) => {
    const rows = await request(before, pageSize, options);
    return { rows, next: rows.length < pageSize ? undefined : rows.at(-1)!.id };
  }, dependencies);
}
