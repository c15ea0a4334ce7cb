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
} from './guard.ts';
import type { Decision, DecisionLog } from './guard-decisions.ts';
import type { Grant, LeaseBook, Taken } from './guard-leases.ts';
import type { LiveGuard } from './guard-live.ts';
import { sourceOf, type Digest, type Origin } from './guard-source.ts';
import { maskPhone, type PhoneNumber } from './number.ts';
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

/** Only first sends for a key can lose a race, and each time somebody else was counted. */
const mostRaces = 20;

export function createReserveSend({ store, live, leases, decisions, digest, clock, observe }: SendGuard) {
  /** Undefined: the user is verified already, and nothing is to be sent. */
  return async function reserveSend(send: GuardedSend): Promise<ReservedSend | undefined> {
    const source = sourceOf(digest, send.origin);
    for (let race = 0; ; race += 1) {
      const outcome = await attempt(send, source, race === mostRaces);
      if (outcome !== 'again') return outcome;
    }
  };

  async function attempt(
    send: GuardedSend,
    source: Source,
    last: boolean,
  ): Promise<ReservedSend | undefined | 'again'> {
    const { userId, number, correlationType } = send;
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
    let denials = new Map<string, Date>();
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
      denials = reserved ? await denialsOf(reserved, taken, now) : denials;
    } finally {
      const grants = reserved ? grantsOf(reserved, taken, now) : new Map<string, Grant>();
      taken.settle(grants, denials, reserved?.issued != null && !reserved.other && !reserved.lostRace);
    }

    if (!reserved) throw unknownUser();
    if (reserved.verified) return undefined;
    if (reserved.lostRace && !last) {
      if (reserved.issued !== null) {
        await store.giveBackSend(userId, reserved.phoneCounted ? number.key : undefined, now, reserved.counted);
      }
      return 'again';
    }
    const objections = [
      ...sendObjections(plan, reserved.moments ?? [], now),
      ...never.map((rule): Objection => ({ rule, waitSeconds: undefined })),
      ...[...taken.denied.map(({ need, until }) => [need, until] as const), ...denied(taken, denials)].map(
        ([{ rule }, until]): Objection => ({ rule, waitSeconds: secondsBetween(now, until) }),
      ),
    ].filter(({ rule }) => !reserved.other || ownRules.has(rule));
    const { refusal, shadows } = judge(objections, modes);
    if (reserved.issued === null && !refusal && !last) return 'again';
    for (const rule of shadows) note(send, source, rule, 'shadow', now);
    if (reserved.issued === null || reserved.lostRace) {
      const { rule, waitSeconds } = refusal ?? { rule: 'user-sends' as const, waitSeconds: 1 };
      note(send, source, rule, 'refused', now);
      observe({ kind: 'send-refused', userId, reason: rule });
      throw waitSeconds === undefined ? phoneUnsupported() : tooManySends(waitSeconds, rule);
    }
    if (reserved.other) {
      observe({ kind: 'send-refused', userId, reason: 'phone-taken' });
      throw phoneTaken();
    }
    return { number: reserved.issued, now, counted: reserved.counted };
  }

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

  /** What was wanted and not granted. A prefix says itself when it opens again, a budget at the end of the day. */
  async function denialsOf(reserved: SendReservation, taken: Taken, now: Date): Promise<Map<string, Date>> {
    const denials = new Map<string, Date>();
    if (!reserved.leased) return denials;
    for (const { name, rule, units } of taken.wanted) {
      if (rule === 'prefix') {
        if (reserved.prefix?.granted) continue;
        const until = await store.readPrefixBlock(name);
        // A prefix that is not closed was first written by somebody else just now: to be asked again.
        if (until && until > now) denials.set(name, until);
      } else if ((reserved.budgets.get(name) ?? 0) < units) denials.set(name, endOfDay(now));
    }
    return denials;
  }

  function grantsOf({ prefix, budgets }: SendReservation, { wanted }: Taken, now: Date): Map<string, Grant> {
    const grants = new Map<string, Grant>();
    for (const [name, units] of budgets) grants.set(name, { units, until: endOfDay(now) });
    const asked = wanted.find(({ rule }) => rule === 'prefix');
    if (asked && prefix?.granted && prefix.from && live.limits.prefix) {
      grants.set(asked.name, { units: asked.block, until: secondsAfter(prefix.from, live.limits.prefix.seconds) });
    }
    return grants;
  }
}

/** Rules that hold before anyone looks at the phone. */
const ownRules: ReadonlySet<RuleName> = new Set(['user-sends', 'address-sends', 'token-sends']);

function denied({ wanted }: Taken, denials: ReadonlyMap<string, Date>): (readonly [Need, Date])[] {
  return wanted.flatMap((need) => {
    const until = denials.get(need.name);
    return until ? [[need, until] as const] : [];
  });
}
