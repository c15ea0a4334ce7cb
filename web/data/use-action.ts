/** Something that a person does, and its result. */
import { useRef, useState } from 'preact/hooks';

export interface Action {
  /** The error of the last run, if it failed. */
  error: unknown;
  /** What was done last, for screen readers. */
  done: string;
  /** For `aria-disabled`: a button that is disabled would lose the focus. */
  isRunning: boolean;
  /** Returns whether it succeeded. Does nothing while it runs, so that a second click does not repeat it. */
  run(work: () => Promise<unknown>, done: string): Promise<boolean>;
}

export function useAction(): Action {
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState('');
  const [isRunning, setRunning] = useState(false);
  // The state changes only when the view is drawn again, which may be after the second click.
  const isBusy = useRef(false);
  async function run(work: () => Promise<unknown>, sentence: string): Promise<boolean> {
    if (isBusy.current) return false;
    isBusy.current = true;
    setRunning(true);
    setDone('');
    try {
      await work();
      setError(undefined);
      setDone(sentence);
      return true;
    } catch (reason) {
      setError(reason);
      return false;
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  }
  return { error, done, isRunning, run };
}
