/** A number that a customer has: how fresh the proof is, and the control that frees it. */
import { serviceNow } from '../clock.ts';
import { DelayedAction } from '../delayed-action.tsx';
import { formatSpan, formatTime } from '../format.ts';
import { useOperator } from '../operator.ts';

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
          {`Verified ${spanSince(verifiedAt)} ago, on ${formatTime(verifiedAt)}`};{' '}
          {`last used ${spanSince(lastUsedAt)} ago, on ${formatTime(lastUsedAt)}`}
        </span>
      )}
      <DelayedAction
        text="Free the number"
        title="Free the number"
        action="Free the number"
        about="The number has changed hands. The customer is unverified again, and somebody else can verify the number. The audit shows the reason."
        waiting={(seconds) => `The number is freed in ${seconds} seconds.`}
        done="The number is free."
        work={(reason) => operations.freePhone({ userId, phoneNumber, reason })}
        onDone={onFreed}
      />
    </>
  );
}
