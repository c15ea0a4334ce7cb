/** A number that a customer has: how fresh the proof is, and the control that frees it. */
import { useState } from 'preact/hooks';
import { useAction } from '../../data/use-action.ts';
import { serviceNow } from '../clock.ts';
import { Confirm } from '../confirm-dialog.tsx';
import { formatNumber, formatSpan, formatTime } from '../format.ts';
import { useOperator } from '../operator.ts';
import { Outcome } from '../parts.tsx';
import { t } from '../texts.ts';
import { delaySeconds, UndoNotice, useDelayed, useNotice } from '../undo.tsx';

export interface Held {
  userId: number;
  phoneNumber: string;
  verifiedAt: string | null;
  lastUsedAt: string | null;
}

const spanSince = (instant: string) => formatSpan(Math.max(0, (serviceNow() - Date.parse(instant)) / 1000));

export function HeldNumber({ held, onFreed }: { held: Held; onFreed(): void }) {
  const { verifiedAt, lastUsedAt } = held;
  return (
    <>
      {verifiedAt && lastUsedAt && (
        <span>
          {t.customer.heldSince(spanSince(verifiedAt), formatTime(verifiedAt))};{' '}
          {t.customer.lastUsed(spanSince(lastUsedAt), formatTime(lastUsedAt))}
        </span>
      )}
      <FreeButton held={held} onFreed={onFreed} />
    </>
  );
}

/** Asks for a reason, then waits a few seconds in which it can be undone. */
function FreeButton({ held: { userId, phoneNumber }, onFreed }: { held: Held; onFreed(): void }) {
  const { operations, mayWrite } = useOperator();
  const freeing = useAction();
  const [isAsking, setAsking] = useState(false);
  const [notice, setNotice] = useNotice();
  const delayed = useDelayed();

  async function free(reason: string): Promise<void> {
    setNotice(undefined);
    if (await freeing.run(() => operations.freePhone({ userId, phoneNumber, reason }), t.customer.freed)) onFreed();
  }

  function confirm(reason: string): void {
    setAsking(false);
    delayed.start(() => void free(reason));
    setNotice({
      text: t.customer.freedIn(formatNumber(delaySeconds)),
      undo() {
        delayed.cancel();
        setNotice(undefined);
      },
    });
  }

  return (
    <>
      <button
        type="button"
        class="quiet small"
        disabled={!mayWrite || notice !== undefined || freeing.isRunning}
        title={mayWrite ? undefined : t.common.readOnlyHint}
        onClick={() => setAsking(true)}
      >
        {t.customer.free}
      </button>
      {isAsking && (
        <Confirm title={t.customer.free} action={t.customer.free} onConfirm={confirm} onCancel={() => setAsking(false)}>
          <p>{t.customer.freeAbout}</p>
        </Confirm>
      )}
      <UndoNotice notice={notice} />
      <Outcome of={freeing} />
    </>
  );
}
