/** Decides whether a code may be sent, by every rule, and counts it if so. */
import { secondsAfter, secondsBetween, type Clock } from '../values/clock.ts';
import { challengeRequired, phoneTaken, phoneUnsupported, tooManySends, unknownUser } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Challenges, GivenProof, Proof } from '../guard/challenge.ts';
import type { Decision, DecisionLog } from '../guard/decisions.ts';
import { endOfDay, isOn, rulesAgainst, sharedNeeds } from '../guard/destination.ts';
import { enforcedOf, judge, type Objection } from '../guard/judge.ts';
import type { Grant, LeaseBook, Settlement, TakenBudgets } from '../guard/leases.ts';
import { establishedSeconds } from '../guard/limits.ts';
import type { LiveGuard } from '../guard/live.ts';
import type { RangeBook, RangeVerdict } from '../guard/ranges/range-book.ts';
import { isGoodAddress, type Conversion } from '../guard/ranges/ranges.ts';
import { ruleOf, type RuleName } from '../guard/rules.ts';
import { sourcesOf, type Digest, type Origin, type Source } from '../guard/source.ts';
import { maskPhone, type PhoneNumber } from '../values/phone-number.ts';
import type { StoredCode } from './code.ts';
import type { NewCode, PhoneStore, SendReservation } from './phone.store.ts';

export interface ReservedSend {
  codeNumber: number;
  messageNumber: number;
  /** The stored code that is to be sent again; undefined if the new one is sent. */
  repeated: StoredCode | undefined;
  requestedAt: Date;
  /** The key of the phone, and the sources, that it was counted for. */
  phoneKey: Buffer;
  counted: readonly Source[];
}

export interface GuardedSend {
  userId: number;
  phoneNumber: PhoneNumber;
  correlationType: number;
  origin: Origin;
  proof: GivenProof;
  /** The code that is stored if this send issues a new one. */
  makeCode(now: Date): NewCode;
}

export interface SendGuard {
  store: PhoneStore;
  live: LiveGuard;
  leases: LeaseBook;
  ranges: RangeBook;
  challenges: Challenges;
  /** The number of codes that an address requested, and of those that were verified. */
  readConversion(key: Buffer, now: Date): Promise<Conversion>;
  decisions: DecisionLog;
  digest: Digest;
  clock: Clock;
  observe: Observe;
}

/** What a send is judged by, besides the counters. */
interface SendContext {
  send: GuardedSend;
  sources: readonly Source[];
  phoneKey: Buffer;
  isSafe: boolean;
  /** The rules that always forbid the number. */
  against: readonly RuleName[];
}

interface SendOutcome {
  now: Date;
  taken: TakenBudgets;
  range: RangeVerdict | undefined;
  rangeObjection: RangeVerdict['objection'];
  proof: Proof | undefined;
  reserved: SendReservation;
}

export type ReserveSend = ReturnType<typeof createReserveSend>;

export function createReserveSend(guard: SendGuard) {
  const { store, live, leases, ranges, challenges, decisions, digest, clock, observe } = guard;
  const isEnforced = (rule: RuleName) => live.modes[rule] === 'enforce';

  /** Returns undefined if the user is already verified and nothing is to be sent. */
  return async function reserveSend(send: GuardedSend): Promise<ReservedSend | undefined> {
    const { userId, phoneNumber } = send;
    const { modes, limits } = live;
    const isSafe = live.isSafe(phoneNumber.e164);
    const context: SendContext = {
      send,
      sources: sourcesOf(digest, send.origin),
      phoneKey: digest('phone', phoneNumber.e164),
      isSafe,
      against: rulesAgainst(phoneNumber, limits, modes, isSafe),
    };
    const { sources, against, phoneKey } = context;
    const needs = sharedNeeds(phoneNumber, limits, modes, isSafe);
    const outcome = await leases.reserve(
      needs,
      () => clock.now(),
      (taken, report) => reserve(context, taken, report),
    );
    const { now, taken, rangeObjection, proof, reserved } = outcome;

    const { decision, codeNumber, messageNumber, repeated, counted } = reserved;
    if (decision === 'unknown-user') throw unknownUser();
    if (decision === 'verified') return undefined;
    const own = reserved.refusals.map(({ rule, until }) => ({ rule, waitSeconds: secondsBetween(now, until) }));
    // The rules about destinations do not judge a phone of another user.
    const others =
      decision === 'phone-taken' ? [] : destinationObjections(against, reserved, taken, rangeObjection, now);
    const objections = [...own, ...others];
    const { refusal, shadows } = judge(objections, modes);
    for (const rule of shadows) await note(send, sources, { rule, ...evidenceOf(rule, others) }, 'shadow', now);
    if (decision === 'refused' || decision === 'proof-used') {
      if (refusal && (await isProvable(outcome, phoneKey, objections))) await challenge(send, sources, refusal, now);
      return refuse(send, sources, refusal ?? own[0], now);
    }
    if (decision === 'phone-taken') {
      observe({ kind: 'send-refused', userId, reason: 'phone-taken', traceId: send.origin.traceId });
      throw phoneTaken();
    }
    if (proof) observe({ kind: 'send-proven', userId, proof: proof.kind, traceId: send.origin.traceId });
    return { codeNumber, messageNumber, repeated, requestedAt: now, phoneKey, counted };
  };

  /** Asks the database for the send. Whatever happens, the range and the leases are told whether it was reserved. */
  async function reserve(
    context: SendContext,
    taken: TakenBudgets,
    report: (settlement: Settlement) => void,
  ): Promise<SendOutcome> {
    const { send, sources, phoneKey, isSafe, against } = context;
    const { userId, phoneNumber } = send;
    const now = clock.now();
    const range = isOn('prefix', live.modes, isSafe) ? ranges.judge(phoneNumber, now) : undefined;
    let rangeObjection = range?.objection;
    let proof: Proof | undefined;
    let isUsed = false;
    try {
      if (range?.isOpenToLikely && (await isLikely(send, sources, range, now))) rangeObjection = undefined;
      const isRangeFull = rangeObjection !== undefined && isEnforced('prefix');
      const given = isEnforced('challenge')
        ? challenges.check(send.proof, { userId, phone: phoneNumber.e164 }, now)
        : undefined;
      if (isRangeFull && range!.isOpenToProven) proof = given;
      const attempt = {
        userId,
        phone: phoneNumber.e164,
        phoneKey,
        correlationType: send.correlationType,
        now,
        limits: live.sendLimits(isSafe),
        sources,
        establishedBefore: secondsAfter(now, -establishedSeconds),
        isForbidden:
          against.some(isEnforced) ||
          taken.denied.some(({ need }) => isEnforced(need.rule)) ||
          (isRangeFull && !range!.isOpenToEstablished),
        isForbiddenToNewcomers: isRangeFull,
        leases: writeLeases(taken, now),
        code: send.makeCode(now),
      };
      let reserved = await store.reserveSend({ ...attempt, proof });
      // A proof is used only if it is needed: with it, the same send is decided again.
      if (given && !isRangeFull && isRefusedForPhone(reserved)) {
        const proven = await store.reserveSend({ ...attempt, proof: given });
        if (proven.decision !== 'proof-used') [reserved, proof] = [proven, given];
      }
      isUsed = reserved.decision === 'reserved';
      report({ grants: grantsOf(reserved, now), denials: denialsOf(reserved, taken, now), isUsed });
      return { now, taken, range, rangeObjection, proof, reserved };
    } finally {
      if (!isUsed) range?.giveBack();
    }
  }

  /**
   * Whether a newcomer has a token that is bound to a user, or an address whose codes are verified. It is checked only
   * if the range is full.
   */
  async function isLikely(
    { origin }: GuardedSend,
    sources: readonly Source[],
    { objection }: RangeVerdict,
    now: Date,
  ): Promise<boolean> {
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
  async function challenge(
    send: GuardedSend,
    sources: readonly Source[],
    { waitSeconds = 1, evidence }: Objection,
    now: Date,
  ): Promise<void> {
    const mode = live.modes.challenge;
    if (mode === 'off') return;
    await note(send, sources, { rule: 'challenge', evidence }, mode === 'shadow' ? 'shadow' : 'refused', now);
    if (mode === 'shadow') return;
    const { userId, phoneNumber, origin } = send;
    observe({ kind: 'send-refused', userId, reason: 'challenge', traceId: origin.traceId });
    throw challengeRequired(waitSeconds, challenges.make({ userId, phone: phoneNumber.e164 }, now));
  }

  /** There is no objection if the mode of its rule changed during the call. The next call uses the new mode. */
  async function refuse(
    send: GuardedSend,
    sources: readonly Source[],
    objection: Objection | undefined,
    now: Date,
  ): Promise<never> {
    const refusing = objection ?? { rule: 'user-sends' as const, waitSeconds: 1 };
    const { rule, waitSeconds } = refusing;
    await note(send, sources, refusing, 'refused', now);
    observe({ kind: 'send-refused', userId: send.userId, reason: rule, traceId: send.origin.traceId });
    throw waitSeconds === undefined ? phoneUnsupported() : tooManySends(waitSeconds, ruleOf(rule).refusal);
  }

  function note(
    { userId, phoneNumber }: GuardedSend,
    sources: readonly Source[],
    { rule, evidence }: Pick<Objection, 'rule' | 'evidence'>,
    action: Decision['action'],
    at: Date,
  ): Promise<void> {
    return decisions.note({
      at,
      rule,
      action,
      evidence,
      operation: 'send-code',
      userId,
      phone: maskPhone(phoneNumber.e164),
      phoneKey: digest('phone', phoneNumber.e164),
      country: phoneNumber.country,
      source: sources[0]?.label,
    });
  }

  /** What the reservation must lease, in the form that `reserve_send` accepts. */
  function writeLeases({ wanted }: TakenBudgets, now: Date): string | null {
    if (wanted.length === 0) return null;
    return JSON.stringify({
      budgets: wanted.map((need) => ({ ...need, isEnforced: isEnforced(need.rule) })),
      day: now.toISOString().slice(0, 10),
    });
  }

  function grantsOf(reserved: SendReservation, now: Date): Map<string, Grant> {
    const grants = new Map<string, Grant>();
    for (const [name, units] of reserved.budgetLeases) grants.set(name, { units, until: endOfDay(now) });
    return grants;
  }
}

/** The rules about a phone that a proof lifts for one send: see reserve_proven_send.sql. */
const phoneRules: ReadonlySet<RuleName> = new Set<RuleName>(['phone-users', 'phone-sends']);

function evidenceOf(rule: RuleName, objections: readonly Objection[]): Pick<Objection, 'evidence'> {
  return { evidence: objections.find((objection) => objection.rule === rule)?.evidence };
}

/** The rules that forbid the number, and the shared budgets that are used up. */
function destinationObjections(
  against: readonly RuleName[],
  reserved: SendReservation,
  taken: TakenBudgets,
  rangeObjection: RangeVerdict['objection'],
  now: Date,
): Objection[] {
  const denials = denialsOf(reserved, taken, now);
  const refused = taken.wanted.flatMap((need) => {
    const until = denials.get(need.name);
    return until ? [{ need, until }] : [];
  });
  return [
    ...against.map((rule) => ({ rule, waitSeconds: undefined })),
    ...[...taken.denied, ...refused].map(({ need, until }) => ({
      rule: need.rule,
      waitSeconds: secondsBetween(now, until),
    })),
    ...(rangeObjection ? [{ rule: 'prefix' as const, ...rangeObjection }] : []),
  ];
}

/** The budgets that were requested and not granted, until the end of the day. */
function denialsOf(reserved: SendReservation, { wanted }: TakenBudgets, now: Date): Map<string, Date> {
  if (!reserved.isLeased) return new Map();
  const denied = wanted.filter(({ name, units }) => (reserved.budgetLeases.get(name) ?? 0) < units);
  return new Map(denied.map(({ name }) => [name, endOfDay(now)]));
}
