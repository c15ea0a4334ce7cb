/**
 * What has changed since the list was read. New rows would move everything that the viewer is looking at, so they wait
 * for the viewer; changes of rows that are in the list are read immediately, because they move nothing.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveState } from '../../../client/index.ts';
import { followWhileVisible } from '../../data/follow-while-visible.ts';
import { isFiltered } from './filter.ts';
import type { Rows } from './rows.ts';
import type { Activity } from './use-activity.ts';
import { useViewer } from './viewer.ts';

export interface News {
  /** The number of new rows; undefined with a filter, since it is not known how many of them match. */
  count: number | undefined;
}

/** Undefined while the list shows everything. */
export function useNews({ loaded, isEmpty, isLoading, trouble, reload, refresh }: Activity): News | undefined {
  const live = useLiveState();
  /** The latest state that was known when the list on screen was requested: a later one may be missing in it. */
  const known = useRef<{ rows: Rows | undefined; sequence: number | undefined }>({
    rows: undefined,
    sequence: undefined,
  });
  const beforeLoading = useRef<number>(undefined);
  if (known.current.rows !== loaded?.rows) known.current = { rows: loaded?.rows, sequence: beforeLoading.current };
  known.current.sequence ??= live?.sequence;
  if (!isLoading) beforeLoading.current = live?.sequence;

  const hasChanged = loaded !== undefined && live?.sequence !== known.current.sequence;
  const isWhole = loaded !== undefined && !isFiltered(loaded.filter);
  const newRows = isWhole && live ? live.transactionCount - loaded.count : 0;
  const isOnlyUpdated = hasChanged && isWhole && newRows <= 0;
  const hasFirstRows = isEmpty && live !== undefined && live.transactionCount > 0;
  // After a failure the list is read again by the automatic retry, which shows this change too.
  const canReload = !isLoading && !trouble;
  /** The state for which an empty list was last read again. For the same state it is not read a second time. */
  const lookedFor = useRef<number>(undefined);
  useEffect(() => {
    const mustLook = hasFirstRows && lookedFor.current !== live?.sequence;
    if (!canReload || (!isOnlyUpdated && !mustLook)) return;
    lookedFor.current = live?.sequence;
    if (isOnlyUpdated) refresh();
    else reload();
  }, [isOnlyUpdated, hasFirstRows, canReload, live?.sequence]);

  if (newRows > 0) return { count: newRows };
  return hasChanged && !isWhole ? { count: undefined } : undefined;
}

function useLiveState(): LiveState | undefined {
  const { client, individualId } = useViewer();
  const [state, setState] = useState<LiveState>();
  const latestClient = useRef(client);
  latestClient.current = client;

  useEffect(
    () =>
      followWhileVisible(async (signal) => {
        for await (const next of latestClient.current.live(individualId, { signal })) setState(next);
      }),
    [individualId],
  );
  return state;
}
