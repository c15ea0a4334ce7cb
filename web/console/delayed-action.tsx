/** A button for what cannot be undone later: it asks for a reason, then waits a few seconds in which it can be undone. */
import { useRef, useState } from 'preact/hooks';
import { useAction } from '../data/use-action.ts';
import { Confirm } from './confirm-dialog.tsx';
import { formatNumber } from './format.ts';
import { useWriteRight } from './operator.ts';
import { Outcome } from './parts.tsx';
import { delaySeconds, UndoNotice, useDelayed, useNotice } from './undo.tsx';

interface DelayedActionProps {
  /** The text of the button. */
  text: string;
  /** What the dialog asks, and the name of the button. */
  title: string;
  /** The text of the button that confirms. */
  action: string;
  about: string;
  waiting(seconds: string): string;
  done: string;
  work(reason: string): Promise<unknown>;
  onDone(): void;
}

export function DelayedAction({ text, title, action, about, waiting, done, work, onDone }: DelayedActionProps) {
  const right = useWriteRight();
  const running = useAction();
  const [isAsking, setAsking] = useState(false);
  const [notice, setNotice] = useNotice();
  const delayed = useDelayed();
  const button = useRef<HTMLButtonElement>(null);

  async function run(reason: string): Promise<void> {
    setNotice(undefined);
    if (await running.run(() => work(reason), done)) onDone();
  }

  function confirm(reason: string): void {
    setAsking(false);
    delayed.start(() => void run(reason));
    setNotice({
      text: waiting(formatNumber(delaySeconds)),
      undo() {
        delayed.cancel();
        setNotice(undefined);
        // It is enabled again with the next drawing.
        requestAnimationFrame(() => button.current?.focus());
      },
    });
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet small"
        aria-label={title}
        disabled={right.disabled || notice !== undefined || running.isRunning}
        title={right.title}
        onClick={() => setAsking(true)}
      >
        {text}
      </button>
      {isAsking && (
        <Confirm title={title} action={action} onConfirm={confirm} onCancel={() => setAsking(false)}>
          <p>{about}</p>
        </Confirm>
      )}
      <UndoNotice notice={notice} takesFocus />
      <Outcome of={running} />
    </>
  );
}
