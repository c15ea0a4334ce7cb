/** Decides whether a code may be sent, by every rule, and counts it if so. */
import { secondsAfter, type Clock } from '../values/clock.ts';
import {
  challengeRequired,
  confirmationRequired,
  nothingToResend,
  phoneNotVerified,
  phoneTaken,
  unknownUser,
} from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { PhoneCodeKind, StoredCode } from '../codes/code.ts';
import { destinationObjections, type JudgedDestination, type JudgedSend, type SendJudge } from '../codes/send-judge.ts';
import type { Challenges, GivenProof, Proof } from '../guard/challenge.ts';
import { enforcedOf, judge, objectionsOf, type Objection } from '../guard/judge.ts';
import type { Settlement, TakenBudgets } from '../guard/leases.ts';
import { establishedSeconds } from '../guard/limits.ts';
import type { LiveGuard } from '../guard/live.ts';
import type { RangeBook, RangeVerdict } from '../guard/ranges/range-book.ts';
import { isGoodAddress, type Conversion } from '../guard/ranges/ranges.ts';
import { isOn, type RuleName } from '../guard/rules.ts';
import { sourcesOf, type Digest, type Source } from '../guard/source.ts';
import type { NewCode, PhoneStore, SendReservation } from './phone.store.ts';

export interface ReservedSend {
  codeNumber: number;
  messageNumber: number;
  /** The stored code that is to be sent again; undefined if the new one is sent. */
  repeated: StoredCode | undefined;
  requestedAt: Date;
  expiresAt: Date;
  /** The key of the phone, and the sources, that it was counted for. */
  phoneKey: Buffer;
  counted: readonly Source[];
}

export interface GuardedSend extends Omit<JudgedSend, 'sources'> {
  kind: PhoneCodeKind;
  correlationType: number;
  /** Of the text, if it is sent by SMS. */
  segments: number;
  proof: GivenProof;
  /** Present if a confirmation is needed. */
  confirmation: { id: string | undefined } | undefined;
  /** The code that is stored if this send issues a new one. */
  makeCode(now: Date): NewCode;
}

export interface SendGuard {
  store: PhoneStore;
  live: LiveGuard;
  judge: SendJudge;
  ranges: RangeBook;
  challenges: Challenges;
  /** The number of codes that an address requested, and of those that were verified. */
  readConversion(key: Buffer, now: Date): Promise<Conversion>;
  digest: Digest;
  clock: Clock;
  observe: Observe;
}

/** What a send is judged by, besides the counters. */
interface SendContext {
  send: GuardedSend & JudgedSend;
  phoneKey: Buffer;
  destination: JudgedDestination;
}

interface SendOutcome {
  now: Date;
  taken: TakenBudgets;
  range: RangeVerdict | undefined;
  rangeObjection: RangeVerdict['objection'];
  proof: Proof | undefined;
  reserved: SendReservation;
}

/** A newer code went to another phone while a resend was being prepared. */
export class PhoneReplaced extends Error {}

export type ReserveSend = ReturnType<typeof createReserveSend>;

export function createReserveSend(guard: SendGuard) {
  const { store, live, judge: sendJudge, ranges, challenges, digest, clock, observe } = guard;
  const { isEnforced, note } = sendJudge;

  /** Returns undefined if the user has verified the phone already and nothing is to be sent. */
  return async function reserveSend(given: GuardedSend): Promise<ReservedSend | undefined> {
    const { userId, phoneNumber, channel, segments, origin } = given;
    const send = { sources: sourcesOf(digest, origin), ...given };
    const destination = sendJudge.find({ phoneNumber, channel, segments });
    const phoneKey = digest('phone', phoneNumber.e164);
    const outcome = await sendJudge.lease(destination, (taken, report) =>
      reserve({ send, phoneKey, destination }, taken, report),
    );
    const { now, taken, rangeObjection, proof, reserved } = outcome;

    const { decision, codeNumber, messageNumber, expiresAt, repeated, counted } = reserved;
    if (decision === 'unknown-user') throw unknownUser();
    if (decision === 'not-verified') throw phoneNotVerified();
    if (decision === 'unconfirmed') throw confirmationRequired();
    if (decision === 'lapsed') throw nothingToResend('No change of number is pending.');
    if (decision === 'phone-replaced') throw new PhoneReplaced();
    if (decision === 'verified' || decision === 'already-linked') return undefined;
    const own = objectionsOf(reserved.refusals, now);
    // The rules about destinations do not judge a phone of another user.
    const others =
      decision === 'phone-taken'
        ? []
        : [
            ...destinationObjections(destination, reserved, taken, now),
            ...(rangeObjection ? [{ rule: 'prefix' as const, ...rangeObjection }] : []),
          ];
    const objections = [...own, ...others];
    const { refusal, shadows } = judge(objections, live.modes);
    for (const objection of shadows) await note(send, objection, 'shadow', now);
    if (decision === 'refused' || decision === 'proof-used') {
      if (refusal && (await isProvable(outcome, phoneKey, objections))) await challenge(send, refusal, now);
      // There is no objection if the mode of its rule changed during the call. The next call uses the new mode.
      return sendJudge.refuse(send, refusal ?? own[0] ?? { rule: 'user-sends', waitSeconds: 1 }, now);
    }
    if (decision === 'phone-taken') {
      observe({ kind: 'send-refused', for: given.kind, userId, reason: 'phone-taken', traceId: origin.traceId });
      throw phoneTaken();
    }
    if (proof) observe({ kind: 'send-proven', userId, proof: proof.kind, traceId: origin.traceId });
    return { codeNumber, messageNumber, repeated, requestedAt: now, expiresAt, phoneKey, counted };
  };

  /** Asks the database for the send. Whatever happens, the range and the leases are told whether it was reserved. */
  async function reserve(
    context: SendContext,
    taken: TakenBudgets,
    report: (settlement: Settlement) => void,
  ): Promise<SendOutcome> {
    const { send, phoneKey, destination } = context;
    const { userId, phoneNumber, channel, sources } = send;
    const now = clock.now();
    const range = isOn('prefix', live.modes, destination.isSafe)
      ? ranges.judge({ channel, ...phoneNumber }, now)
      : undefined;
    let rangeObjection = range?.objection;
    let proof: Proof | undefined;
    let isUsed = false;
    try {
      if (range?.isOpenToLikely && (await isLikely(send, range, now))) rangeObjection = undefined;
      const isRangeFull = rangeObjection !== undefined && isEnforced('prefix');
      const given = isEnforced('challenge')
        ? challenges.check(send.proof, { userId, e164: phoneNumber.e164 }, now)
        : undefined;
      if (isRangeFull && range!.isOpenToProven) proof = given;
      const attempt = {
        kind: send.kind,
        userId,
        e164: phoneNumber.e164,
        phoneKey,
        correlationType: send.correlationType,
        now,
        limits: live.sendLimits(destination.isSafe),
        sources,
        establishedBefore: secondsAfter(now, -establishedSeconds),
        isForbidden: sendJudge.isForbidden(destination, taken) || (isRangeFull && !range!.isOpenToEstablished),
        isForbiddenToNewcomers: isRangeFull,
        confirmation: send.confirmation,
        leases: sendJudge.writeLeases(taken, now),
        code: send.makeCode(now),
      };
      let reserved = await store.reserveSend({ proof, ...attempt });
      // A proof is used only if it is needed: with it, the same send is decided again.
      if (given && !isRangeFull && isRefusedForPhone(reserved)) {
        const proven = await store.reserveSend({ proof: given, ...attempt });
        if (proven.decision !== 'proof-used') [reserved, proof] = [proven, given];
      }
      isUsed = reserved.decision === 'reserved';
      report(sendJudge.settlementOf(reserved, taken, isUsed, now));
      return { now, taken, range, rangeObjection, proof, reserved };
    } finally {
      if (!isUsed) range?.giveBack();
    }
  }

  /**
   * Whether a newcomer has a token that is bound to a user, or an address whose codes are verified. It is checked only
   * if the range is full.
   */
  async function isLikely({ origin, sources }: JudgedSend, { objection }: RangeVerdict, now: Date): Promise<boolean> {
    if (!objection) return false;
    if (origin.bound) return true;
    const address = sources.find(({ kind }) => kind === 'address');
    return address !== undefined && isGoodAddress(await guard.readConversion(address.key, now), live.limits.ranges);
  }

  /** Whether the phone's rules alone refuse. */
  function isRefusedForPhone({ decision, refusals }: SendReservation): boolean {
    const enforced = enforcedOf(refusals, live.modes);
    return decision === 'refused' && enforced.length > 0 && enforced.every((rule) => phoneRules.has(rule));
  }

  /** Whether a send with a proof would pass. */
  async function isProvable(
    { range, now }: SendOutcome,
    phoneKey: Buffer,
    objections: readonly Objection[],
  ): Promise<boolean> {
    const enforced = enforcedOf(objections, live.modes);
    const isLifted = (rule: RuleName) => (rule === 'prefix' ? range?.isOpenToProven === true : phoneRules.has(rule));
    if (live.modes.challenge === 'off' || enforced.length === 0 || !enforced.every(isLifted)) return false;
    return !enforced.includes('phone-sends') || (await store.hasRoomForProven(phoneKey, now));
  }

  /** Refuses with a challenge instead, if the rule is on. In shadow mode it only records that it would have. */
  async function challenge(send: JudgedSend, { waitSeconds = 1, evidence }: Objection, now: Date): Promise<void> {
    const mode = live.modes.challenge;
    if (mode === 'off') return;
    await note(send, { rule: 'challenge', evidence }, mode === 'shadow' ? 'shadow' : 'refused', now);
    if (mode === 'shadow') return;
    const { kind, userId, phoneNumber, origin } = send;
    observe({ kind: 'send-refused', for: kind, userId, reason: 'challenge', traceId: origin.traceId });
    throw challengeRequired(waitSeconds, challenges.make({ userId, e164: phoneNumber.e164 }, now));
  }
}

/** The rules about a phone that a proof lifts for one send: see reserve_proven_send.sql. */
const phoneRules: ReadonlySet<RuleName> = new Set<RuleName>(['phone-users', 'phone-sends']);
