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

/** Older pages are kept up to so many rows; those beyond are read again on demand. */
const maxRows = 1000;

export function useCursorPages<T extends Entry, Cursor>(
  request: (after: Cursor | undefined, options: CallOptions) => Promise<Page<T, Cursor>>,
  dependencies: unknown[],
): CursorPages<T> {
  const first = useRequest((options) => request(undefined, options), dependencies, refreshSeconds);
  /** The pages that were read, newest first, with the filter that they were read for. */
  const [read, setRead] = useState<{ pages: Page<T, Cursor>[]; outdated: AbortSignal }>();
  const [error, setError] = useState<string>();
  useLayoutEffect(() => setError(undefined), dependencies);

  const earlier = read && read.outdated === first.outdated ? read.pages : [];
  const pages = first.value ? join(first.value, earlier) : [];
  // The next first page is joined with these pages, not with those from when older entries were requested.
  useLayoutEffect(() => setRead(pages.length > 1 ? { pages, outdated: first.outdated! } : undefined), [first.value]);

  async function showOlder(next: Cursor, outdated: AbortSignal): Promise<void> {
    if (outdated.aborted) return;
    try {
      const page = await callInTime((options) => request(next, options), outdated);
      if (outdated.aborted) return;
      setRead({ pages: [...pages, page], outdated });
      setError(undefined);
    } catch (reason) {
      if (!outdated.aborted) setError(sentenceOf(reason));
    }
  }

  const next = pages.at(-1)?.next;
  return {
    ...first,
    value: first.value && pages.flatMap(({ rows }) => rows),
    error: first.error ?? error,
    showOlder: next === undefined ? undefined : () => void showOlder(next, first.outdated!),
  };
}

/**
 * If more entries arrived than fit in a page, there is a gap between the first page and those that were read before,
 * and the list starts again. An empty first page means that it searched a part of the log and found nothing newer.
 */
function join<T extends Entry, Cursor>(first: Page<T, Cursor>, read: Page<T, Cursor>[]): Page<T, Cursor>[] {
  const current = new Set(first.rows.map(({ id }) => id));
  // Entries that both have are newer in the first page.
  const others = read
    .map(({ rows, next }) => ({ rows: rows.filter(({ id }) => !current.has(id)), next }))
    // The last one says where the next page begins, even if it has no rows.
    .filter(({ rows }, index) => rows.length > 0 || index === read.length - 1);
  const isJoined = countRows(others) < countRows(read) || first.rows.length === 0;
  return isJoined ? withinLimit([first, ...others]) : [first];
}

function countRows<T, Cursor>(pages: Page<T, Cursor>[]): number {
  return pages.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Whole pages, so that the last one says where the next begins. */
function withinLimit<T, Cursor>(pages: Page<T, Cursor>[]): Page<T, Cursor>[] {
  let count = 0;
  return pages.filter(({ rows }, index) => {
    count += rows.length;
    return index === 0 || count <= maxRows;
  });
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
