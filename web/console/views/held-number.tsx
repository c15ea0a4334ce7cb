/** A number that a customer has: how fresh the proof is, and the control that frees it. */
import { serviceNow } from '../clock.ts';
import { DelayedAction } from '../delayed-action.tsx';
import { formatSpan, formatTime } from '../format.ts';
import { useOperator } from '../operator.ts';
import { t } from '../texts.ts';

export interface Held {
  userId: number;
  phoneNumber: string;
  verifiedAt: string | null;
  lastUsedAt: string | null;
}

const spanSince = (instant: string) => formatSpan(Math.max(0, (serviceNow() - Date.parse(instant)) / 1000));

export function HeldNumber({ held, onFreed }: { held: Held; onFreed(): void }) {
  const { operations } = useOperator();
  const { userId, phoneNumber, verifiedAt, lastUsedAt } = held;
  return (
    <>
      {verifiedAt && lastUsedAt && (
        <span>
          {t.customer.heldSince(spanSince(verifiedAt), formatTime(verifiedAt))};{' '}
          {t.customer.lastUsed(spanSince(lastUsedAt), formatTime(lastUsedAt))}
        </span>
      )}
      <DelayedAction
        text={t.customer.free}
        title={t.customer.free}
        action={t.customer.free}
        about={t.customer.freeAbout}
        waiting={t.customer.freedIn}
        done={t.customer.freed}
        work={(reason) => operations.freePhone({ userId, phoneNumber, reason })}
        onDone={onFreed}
      />
    </>
  );
}
