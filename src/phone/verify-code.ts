/** Checks a code and marks the phone it was sent to as the user's own: the first one, or another one in its place. */
import { secondsAfter, type Clock } from '../values/clock.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import { invalidCode } from '../errors.ts';
import type { JudgeAttempt } from '../codes/attempt-judge.ts';
import { AttemptsInFlight } from '../codes/attempts-in-flight.ts';
import { isCodeOf, type PhoneCodeKind } from '../codes/code.ts';
import { inBackground, type ReportError } from '../monitoring/background.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { LiveGuard } from '../guard/live.ts';
import type { RangeBook } from '../guard/ranges/range-book.ts';
import { sourcesOf, type Digest, type Origin } from '../guard/source.ts';
import { parsePhoneNumber } from '../values/phone-number.ts';
import type { AttemptReservation, PhoneStore, VerifyAttempt } from './phone.store.ts';

export interface VerifyRules {
  store: PhoneStore;
  clock: Clock;
  observe: Observe;
  live: LiveGuard;
  judgeAttempt: JudgeAttempt;
  digest: Digest;
  ranges: RangeBook;
  /** The channels that carried a code: each has ranges of its own. */
  channelsOf(code: { userId: number; codeNumber: number }): Promise<readonly string[]>;
  report: ReportError;
  /** The number of wrong attempts after which a code is no longer valid. */
  codeAttempts: number;
  /** The longest time between a reservation and the outcome of its dispatch. */
  dispatchSeconds: number;
  digestKeys: DigestKeys;
}

export type VerifyCode = ReturnType<typeof createVerifyCode>;

type FailureReason = 'no-code' | 'wrong-code' | 'lost-race';

interface LoggedAttempt extends VerifyAttempt {
  /** Of the request, for the log. */
  traceId: string;
}

/** The format of a code of any configured length. */
const codeLike = /^\d{4,10}$/;

export function createVerifyCode({ store, clock, observe, live, digest, ranges, ...rules }: VerifyRules) {
  const inFlight = { verification: new AttemptsInFlight(), change: new AttemptsInFlight() };

  /** Returns the phone that the user had before, if it was changed. */
  return async function verifyCode(
    kind: PhoneCodeKind,
    userId: number,
    code: string,
    origin: Origin,
  ): Promise<string | null> {
    const attempt = createAttempt(kind, userId, code, origin);
    let own = inFlight[kind].begin(userId);
    try {
      let reserved = await store.reserveAttempt(attempt);
      const others = reserved.isCounted ? undefined : own.others();
      if (others) {
        own.end();
        await others;
        own = inFlight[kind].begin(userId);
        reserved = await store.reserveAttempt(attempt);
      }
      await decide(attempt, reserved, code);
      return reserved.linkedPhone;
    } finally {
      own.end();
    }
  };

  function createAttempt(kind: PhoneCodeKind, userId: number, code: string, origin: Origin): LoggedAttempt {
    const now = clock.now();
    return {
      kind,
      userId,
      now,
      limits: live.failureLimits,
      attemptLimit: rules.codeAttempts,
      pendingSince: secondsAfter(now, -rules.dispatchSeconds),
      sources: sourcesOf(digest, origin),
      traceId: origin.traceId,
      codeKey: live.failureLimits.codeUsers.kept > 0 && codeLike.test(code) ? digest('code', code) : undefined,
    };
  }

  async function decide(attempt: LoggedAttempt, reserved: AttemptReservation, code: string): Promise<void> {
    const { kind, userId, traceId } = attempt;
    const { goodCodes, refusals, isCounted } = reserved;
    await rules.judgeAttempt({ e164: goodCodes[0]?.e164, ...attempt }, refusals, !isCounted);
    const refuse = (reason: FailureReason) => fail(attempt, reserved, reason);
    if (goodCodes.length === 0) return refuse('no-code');
    const matching = goodCodes.find(({ seed, digest: stored, e164 }) =>
      isCodeOf(rules.digestKeys, stored, { kind, userId, boundTo: e164, seed }, code),
    );
    if (!matching) return refuse('wrong-code');
    // The code is right, but another call may use it first, or another user may have verified the number.
    if (!(await store.consumeCode(attempt, matching, reserved))) return refuse('lost-race');
    const phoneNumber = live.modes.prefix === 'off' ? undefined : parsePhoneNumber(matching.e164);
    if (phoneNumber) {
      inBackground(async () => {
        const channels = await rules.channelsOf({ userId, codeNumber: matching.codeNumber });
        for (const channel of channels) ranges.noteVerified({ channel, ...phoneNumber }, attempt.now);
      }, rules.report);
    }
    observe({ kind: kind === 'change' ? 'phone-changed' : 'verified', userId, traceId });
  }

  /** Called when the failure is final, and so is the block that it may have started. */
  async function fail(
    attempt: LoggedAttempt,
    { begunBlockUntil }: AttemptReservation,
    reason: FailureReason,
  ): Promise<never> {
    const { userId, traceId } = attempt;
    observe({ kind: 'verify-refused', userId, reason, traceId });
    if (begunBlockUntil) await store.writeBlockEvent(attempt, begunBlockUntil);
    throw invalidCode();
  }
}
