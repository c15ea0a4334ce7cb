/** Decides whether the code of a confirmation may be sent, by the rules that hold for it, and counts it if so. */
import type { Clock } from '../values/clock.ts';
import { destinationObjections, type SendJudge } from '../codes/send-judge.ts';
import { judge, objectionsOf } from '../guard/judge.ts';
import type { LiveGuard } from '../guard/live.ts';
import { sourcesOf, type Digest, type Origin } from '../guard/source.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { PhoneNumber } from '../values/phone-number.ts';
import type { ConfirmationReservation, ConfirmationsStore, NewConfirmation } from './confirmations.store.ts';

export interface ConfirmationGuard {
  store: ConfirmationsStore;
  live: LiveGuard;
  judge: SendJudge;
  digest: Digest;
  clock: Clock;
  /** The number of wrong attempts after which a code is no longer valid. */
  codeAttempts: number;
}

export interface GuardedConfirmation {
  userId: number;
  confirmationId: string;
  phoneNumber: PhoneNumber;
  /** The channel that is tried first. */
  channel: CodeChannel;
  /** Of the text, if it is sent by SMS. */
  segments: number;
  origin: Origin;
  /** The confirmation that is stored if there is none with this id. */
  makeDraft?: (now: Date) => NewConfirmation;
}

export interface ReservedConfirmation extends ConfirmationReservation {
  requestedAt: Date;
}

export type ReserveConfirmation = ReturnType<typeof createReserveConfirmation>;

/**
 * The phone is proven, so ranges and challenges do not judge it, and its text is no evidence for or against its range.
 * Spending, countries and kinds of numbers do.
 */
export function createReserveConfirmation(guard: ConfirmationGuard) {
  const { store, live, judge: sendJudge, digest, clock } = guard;

  return async function reserveConfirmation(given: GuardedConfirmation): Promise<ReservedConfirmation> {
    const { userId, confirmationId, phoneNumber, channel, segments, origin, makeDraft } = given;
    const send = { kind: 'confirmation' as const, sources: sourcesOf(digest, origin), ...given };
    const destination = sendJudge.find({ phoneNumber, channel, segments });
    const { reserved, taken, now } = await sendJudge.lease(destination, async (budgets, report) => {
      const at = clock.now();
      const reservation = await store.reserveConfirmation({
        userId,
        confirmationId,
        now: at,
        e164: phoneNumber.e164,
        isForbidden: sendJudge.isForbidden(destination, budgets),
        isBound: origin.bound,
        limits: live.confirmationLimits,
        attemptLimit: guard.codeAttempts,
        leases: sendJudge.writeLeases(budgets, at),
        draft: makeDraft?.(at),
      });
      report(sendJudge.settlementOf(reservation, budgets, reservation.decision === 'reserved', at));
      return { reserved: reservation, taken: budgets, now: at };
    });
    const { decision } = reserved;
    if (decision !== 'reserved' && decision !== 'refused') return { requestedAt: now, ...reserved };

    const own = objectionsOf(reserved.refusals, now);
    const objections = [...own, ...destinationObjections(destination, reserved, taken, now)];
    const { refusal, shadows } = judge(objections, live.modes);
    for (const objection of shadows) await sendJudge.note(send, objection, 'shadow', now);
    if (decision === 'reserved') return { requestedAt: now, ...reserved };
    // There is no objection if the mode of its rule changed during the call. The next call uses the new mode.
    return sendJudge.refuse(send, refusal ?? own[0] ?? { rule: 'user-confirmations', waitSeconds: 1 }, now);
  };
}
