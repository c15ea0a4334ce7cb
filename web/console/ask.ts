/** Something that is asked for, and may not come. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { LedgerlineError } from '../../client/index.ts';

/** How often a view asks anew while it is on screen. */
export const refreshSeconds = 15;

export interface Asked<T> {
  value: T | undefined;
  error: string | undefined;
  again(): void;
}

/** What was there stays until the new is there. */
export function useAsked<T>(ask: () => Promise<T>, reasons: unknown[], everySeconds = 0): Asked<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((now) => now + 1), []);
  useEffect(() => {
    let wanted = true;
    ask().then(
      (answer) => {
        if (!wanted) return;
        setValue(() => answer);
        setError(undefined);
      },
      (reason: unknown) => wanted && setError(reason),
    );
    return () => {
      wanted = false;
    };
  }, [...reasons, round]);
  useEffect(() => {
    if (everySeconds === 0) return;
    const timer = setInterval(() => document.hidden || again(), everySeconds * 1000);
    return () => clearInterval(timer);
  }, [everySeconds]);
  return { value, error: error === undefined ? undefined : told(error), again };
}

interface Entry {
  id: number;
}

export interface AskedPages<T> extends Asked<T[]> {
  /** Absent when there is nothing older. */
  older: (() => void) | undefined;
}

/** A list that stands newest first: its head is asked for again and again, what is older when wanted. */
export function useAskedPages<T extends Entry>(
  ask: (before: number | undefined, count: number) => Promise<T[]>,
  reasons: unknown[],
  pageSize = 50,
): AskedPages<T> {
  const head = useAsked(() => ask(undefined, pageSize), reasons, refreshSeconds);
  const [tail, setTail] = useState<{ rows: T[]; ended: boolean }>({ rows: [], ended: false });
  const [error, setError] = useState<unknown>();
  useEffect(() => setTail({ rows: [], ended: false }), reasons);

  // Where more came in than a page holds, the two no longer meet, and the list starts anew.
  const oldest = head.value?.at(-1)?.id ?? 0;
  const meets = tail.rows.length > 0 && tail.rows[0]!.id >= oldest;
  const rows = head.value && [...head.value, ...(meets ? tail.rows.filter(({ id }) => id < oldest) : [])];
  async function older(): Promise<void> {
    try {
      const page = await ask(rows!.at(-1)!.id, pageSize);
      setTail({ rows: [...rows!, ...page], ended: page.length < pageSize });
      setError(undefined);
    } catch (reason) {
      setError(reason);
    }
  }
  const ended = meets ? tail.ended : (head.value?.length ?? 0) < pageSize;
  return {
    value: rows,
    error: head.error ?? (error === undefined ? undefined : told(error)),
    again: head.again,
    older: ended ? undefined : () => void older(),
  };
}

export interface Change {
  complaint: string | undefined;
  /** What was done last, for those who cannot see the change. */
  said: string;
  /** Whether it was done. */
  run(work: Promise<unknown>, said: string): Promise<boolean>;
}

/** Something that a person changes, and what came of it. */
export function useChange(): Change {
  const [complaint, setComplaint] = useState<string>();
  const [said, setSaid] = useState('');
  async function run(work: Promise<unknown>, words: string): Promise<boolean> {
    setSaid('');
    try {
      await work;
      setComplaint(undefined);
      setSaid(words);
      return true;
    } catch (error) {
      setComplaint(told(error));
      return false;
    }
  }
  return { complaint, said, run };
}

export function told(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline') return 'The service cannot be reached.';
  if (error.kind === 'unauthorized') return 'The token is not, or no longer, good.';
  if (error.kind === 'forbidden') {
    return 'This token does not allow it: looking needs the scope operator:read, changing operator:write.';
  }
  return error.message;
}
