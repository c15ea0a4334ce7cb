/** A list that begins with the newest entry: its first page is requested repeatedly, older pages on demand. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CallOptions } from '../../client/index.ts';
import { useAction, type Action } from './use-action.ts';
import { callInTime, useResource, type Resource } from './use-resource.ts';

interface Entry {
  id: string | number;
}

interface Page<T, Cursor> {
  rows: T[];
  /** The start of the page after it. Undefined if there is nothing older. */
  next: Cursor | undefined;
}

export interface Pages<T> extends Resource<T[]> {
  /** Undefined if there is nothing older. */
  showOlder: (() => void) | undefined;
  /** The request of older entries. */
  older: Action;
}

/** How often the first page is requested. */
const everySeconds = 15;
/** Older pages are kept up to so many rows; those beyond are read again on demand. */
const maxRows = 1000;

export function usePages<T extends Entry, Cursor>(
  key: readonly unknown[],
  read: (after: Cursor | undefined, options: CallOptions) => Promise<Page<T, Cursor>>,
): Pages<T> {
  const first = useResource(key, (options) => read(undefined, options), { everySeconds });
  /** The pages that were read, newest first, with the key that they were read for. */
  const [earlier, setEarlier] = useState<{ pages: Page<T, Cursor>[]; outdated: AbortSignal }>();
  const older = useAction();
  const olderOf = useRef<AbortSignal>(undefined);

  const isOwn = earlier !== undefined && earlier.outdated === first.outdated;
  const pages = first.value ? join(first.value, isOwn ? earlier.pages : []) : [];
  // The next first page is joined with these pages, not with those from when older entries were requested.
  useLayoutEffect(() => setEarlier(pages.length > 1 ? { pages, outdated: first.outdated! } : undefined), [first.value]);

  async function showOlder(next: Cursor, outdated: AbortSignal): Promise<void> {
    olderOf.current = outdated;
    try {
      const page = await callInTime((options) => read(next, options), outdated);
      if (!outdated.aborted) setEarlier({ pages: [...pages, page], outdated });
    } catch (error) {
      if (!outdated.aborted) throw error;
    }
  }

  const next = first.isPrevious ? undefined : pages.at(-1)?.next;
  return {
    ...first,
    value: first.value && pages.flatMap(({ rows }) => rows),
    older: olderOf.current === first.outdated ? older : { ...older, error: undefined },
    showOlder: next === undefined ? undefined : () => void older.run(() => showOlder(next, first.outdated!), ''),
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
  key: readonly unknown[],
  read: (before: T['id'] | undefined, count: number, options: CallOptions) => Promise<T[]>,
  pageSize: number,
): Pages<T> {
  return usePages(key, async (before: T['id'] | undefined, options) => {
    const rows = await read(before, pageSize, options);
    return { rows, next: rows.length < pageSize ? undefined : rows.at(-1)!.id };
  });
}
