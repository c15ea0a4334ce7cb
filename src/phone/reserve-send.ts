/** Decides whether a code may be sent, by every rule, and counts it if so. */
import { secondsAfter, secondsBetween, type Clock } from '../clock.ts';
import { phoneTaken, phoneUnsupported, tooManySends, unknownUser } from '../errors.ts';
import type { Observe } from '../observe.ts';
import {
  destinationObjections,
  endOfDay,
  judge,
  sendObjections,
  sharedNeeds,
  type Need,
  type Objection,
  type RuleName,
  type Source,
} from '../guard/rules.ts';
import type { Decision, DecisionLog } from '../guard/decisions.ts';
import type { Grant, LeaseBook, Taken } from '../guard/leases.ts';
import type { LiveGuard } from '../guard/live.ts';
import { sourceOf, type Digest, type Origin } from '../guard/source.ts';
import { maskPhone, type PhoneNumber } from './phone-number.ts';
import type { PhoneStore, SendReservation } from './phone.store.ts';

export interface ReservedSend {
  /** The code's number. */
  number: number;
  now: Date;
  /** The sources it was counted for. */
  counted: Source;
}

export interface GuardedSend {
  userId: number;
  number: PhoneNumber;
  correlationType: number;
  origin: Origin;
}

export interface SendGuard {
  store: PhoneStore;
  live: LiveGuard;
  leases: LeaseBook;
  decisions: DecisionLog;
  digest: Digest;
  clock: Clock;
  observe: Observe;
}

export function createReserveSend({ store, live, leases, decisions, digest, clock, observe }: SendGuard) {
  /** Undefined: the user is verified already, and nothing is to be sent. */
  return async function reserveSend(send: GuardedSend): Promise<ReservedSend | undefined> {
    const { userId, number, correlationType } = send;
    const source = sourceOf(digest, send.origin);
    const { modes, limits } = live;
    const safe = live.isSafe(number.key);
    const plan = live.sendPlan(safe);
    const never = destinationObjections(number, limits).filter(
      (rule) => modes[rule] !== 'off' && !(safe && rule !== 'spend'),
    );
    const needs = sharedNeeds(number, limits, modes, safe);
    const taken = await leases.take([...needs.budgets, ...(needs.prefix ? [needs.prefix] : [])], () => clock.now());
    const now = clock.now();
    const enforces = ({ rule }: { rule: RuleName }) => modes[rule] === 'enforce';

    let reserved: SendReservation | undefined;
    try {
      reserved = await store.reserveSend({
        userId,
        phone: number.key,
        correlationType,
        now,
        plan,
        source,
        forbidden: never.some((rule) => modes[rule] === 'enforce') || taken.denied.some(({ need }) => enforces(need)),
        leases: {
          prefix: taken.wanted.find((need) => need === needs.prefix),
          budgets: taken.wanted.filter((need) => need !== needs.prefix),
        },
        prefix: limits.prefix,
        enforces,
      });
    } finally {
      const goes = reserved?.issued != null && !reserved.other;
      taken.settle(grantsOf(reserved, taken, now), denialsOf(reserved, taken, now), goes);
    }

    if (!reserved) throw unknownUser();
    if (reserved.verified) return undefined;
    const objections = [
      ...sendObjections(plan, reserved.moments ?? [], now),
      ...never.map((rule): Objection => ({ rule, waitSeconds: undefined })),
      ...[
        ...taken.denied.map(({ need, until }) => [need, until] as const),
        ...denied(taken, denialsOf(reserved, taken, now)),
      ].map(([{ rule }, until]): Objection => ({ rule, waitSeconds: secondsBetween(now, until) })),
    ].filter(({ rule }) => !reserved.other || ownRules.has(rule));
    const { refusal, shadows } = judge(objections, modes);
    for (const rule of shadows) note(send, source, rule, 'shadow', now);
    if (reserved.issued === null) {
      const { rule, waitSeconds } = refusal!;
      note(send, source, rule, 'refused', now);
      observe({ kind: 'send-refused', userId, reason: rule });
      throw waitSeconds === undefined ? phoneUnsupported() : tooManySends(waitSeconds, rule);
    }
    if (reserved.other) {
      observe({ kind: 'send-refused', userId, reason: 'phone-taken' });
      throw phoneTaken();
    }
    return { number: reserved.issued, now, counted: reserved.counted };
  };

  function note(
    { userId, number }: GuardedSend,
    { address, token }: Source,
    rule: RuleName,
    action: Decision['action'],
    at: Date,
  ): void {
    decisions.note({
      at,
      rule,
      action,
      operation: 'send-code',
      userId,
      phone: maskPhone(number.key),
      phoneKey: digest('phone', number.key),
      country: number.country,
      source: address?.label ?? token?.label,
    });
  }

  function grantsOf(reserved: SendReservation | undefined, { wanted }: Taken, now: Date): Map<string, Grant> {
    const grants = new Map<string, Grant>();
    for (const [name, units] of reserved?.budgets ?? []) grants.set(name, { units, until: endOfDay(now) });
    const asked = wanted.find(({ rule }) => rule === 'prefix');
    const since = reserved?.prefix?.granted ? reserved.prefix.since : undefined;
    if (asked && since && live.limits.prefix) {
      grants.set(asked.name, { units: asked.block, until: secondsAfter(new Date(since), live.limits.prefix.seconds) });
    }
    return grants;
  }
}

/** What was wanted and not granted. A prefix says itself when it opens again, a budget at the end of the day. */
function denialsOf(reserved: SendReservation | undefined, { wanted }: Taken, now: Date): Map<string, Date> {
  const denials = new Map<string, Date>();
  if (!reserved?.leased) return denials;
  for (const { name, rule, units } of wanted) {
    if (rule !== 'prefix') {
      if ((reserved.budgets.get(name) ?? 0) < units) denials.set(name, endOfDay(now));
    } else if (reserved.prefix?.until && !reserved.prefix.granted) denials.set(name, new Date(reserved.prefix.until));
  }
  return denials;
}

/** Rules that hold before anyone looks at the phone. */
const ownRules: ReadonlySet<RuleName> = new Set(['user-sends', 'address-sends', 'token-sends']);

function denied({ wanted }: Taken, denials: ReadonlyMap<string, Date>): (readonly [Need, Date])[] {
  return wanted.flatMap((need) => {
    const until = denials.get(need.name);
    return until ? [[need, until] as const] : [];
  });
}
