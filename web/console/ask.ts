/** Something that is asked for, and may not come. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { LedgerlineError } from '../../client/index.ts';

export interface Asked<T> {
  value: T | undefined;
  error: string | undefined;
  /** The token is not, or no longer, good. */
  expired: boolean;
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
  return {
    value,
    error: error === undefined ? undefined : told(error),
    expired: error instanceof LedgerlineError && error.kind === 'unauthorized',
    again,
  };
}

export function told(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline') return 'The service cannot be reached.';
  if (error.kind === 'unauthorized') return 'The token is not, or no longer, good.';
  return error.message;
}
