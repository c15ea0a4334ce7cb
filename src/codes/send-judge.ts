/**
 * Judges the destination of a text with a code, whatever the code is for: by the rules about the number, and by the
 * budgets that all users share.
 */
import { secondsBetween, type Clock } from '../values/clock.ts';
import { phoneUnsupported, tooManySends } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Decision, DecisionLog } from '../guard/decisions.ts';
import { endOfDay, rulesAgainst, sharedNeeds, type BudgetNeed, type Target } from '../guard/destination.ts';
import type { Objection } from '../guard/judge.ts';
import type { Grant, LeaseBook, Settlement, TakenBudgets } from '../guard/leases.ts';
import type { LiveGuard } from '../guard/live.ts';
import { ruleOf, type RuleName } from '../guard/rules.ts';
import type { Digest, Origin, Source } from '../guard/source.ts';
import type { CodeChannel } from '../sms/channels.ts';
import { maskPhone, type PhoneNumber } from '../values/phone-number.ts';
import type { CodeKind } from './code.ts';

export interface SendJudgeParts {
  live: LiveGuard;
  leases: LeaseBook;
  decisions: DecisionLog;
  digest: Digest;
  clock: Clock;
  observe: Observe;
}

/** A send that is judged. */
export interface JudgedSend {
  kind: CodeKind;
  userId: number;
  phoneNumber: PhoneNumber;
  /** The channel that is tried first. */
  channel: CodeChannel;
  origin: Origin;
  sources: readonly Source[];
}

export interface JudgedDestination {
  isSafe: boolean;
  /** The rules that always forbid the number. */
  against: readonly RuleName[];
  /** The shared budgets that a text to it uses. */
  needs: readonly BudgetNeed[];
}

/** What a reservation leased. */
export interface LeasedBudgets {
  /** Whether the leases were requested. */
  isLeased: boolean;
  /** What the budgets granted, by name. */
  budgetLeases: ReadonlyMap<string, number>;
}

/** What the decisions call a send of each kind of code. */
const operations = {
  verification: 'send-code',
  change: 'change-phone',
  confirmation: 'create-confirmation',
} as const satisfies Record<CodeKind, Decision['operation']>;

export type SendJudge = ReturnType<typeof createSendJudge>;

export function createSendJudge({ live, leases, decisions, digest, clock, observe }: SendJudgeParts) {
  const isEnforced = (rule: RuleName) => live.modes[rule] === 'enforce';

  function find(target: Target): JudgedDestination {
    const { modes, limits } = live;
    const isSafe = live.isSafe(target.phoneNumber.e164);
    return {
      isSafe,
      against: rulesAgainst(target, limits, modes, isSafe),
      needs: sharedNeeds(target, limits, modes, isSafe),
    };
  }

  /** Runs a reservation with what the leases of this process cover. */
  function lease<T>(
    { needs }: JudgedDestination,
    reserve: (taken: TakenBudgets, report: (settlement: Settlement) => void) => Promise<T>,
  ): Promise<T> {
    return leases.reserve([...needs], () => clock.now(), reserve);
  }

  /** Whether an enforced rule forbids the number, or a shared budget was refused a moment ago. */
  function isForbidden({ against }: JudgedDestination, { denied }: TakenBudgets): boolean {
    return against.some(isEnforced) || denied.some(({ need }) => isEnforced(need.rule));
  }

  /** What the reservation must lease, as JSON; null if the leases of this process are sufficient. */
  function writeLeases({ wanted }: TakenBudgets, now: Date): string | null {
    if (wanted.length === 0) return null;
    return JSON.stringify({
      budgets: wanted.map((need) => ({ isEnforced: isEnforced(need.rule), ...need })),
      day: now.toISOString().slice(0, 10),
    });
  }

  function settlementOf(leased: LeasedBudgets, taken: TakenBudgets, isUsed: boolean, now: Date): Settlement {
    const grants = new Map<string, Grant>();
    for (const [name, units] of leased.budgetLeases) grants.set(name, { units, until: endOfDay(now) });
    return { grants, denials: denialsOf(leased, taken, now), isUsed };
  }

  async function note(
    { kind, userId, phoneNumber, sources }: JudgedSend,
    { rule, evidence }: Pick<Objection, 'rule' | 'evidence'>,
    action: Decision['action'],
    at: Date,
  ): Promise<void> {
    await decisions.note({
      at,
      rule,
      action,
      evidence,
      operation: operations[kind],
      userId,
      maskedPhone: maskPhone(phoneNumber.e164),
      phoneKey: digest('phone', phoneNumber.e164),
      country: phoneNumber.country,
      source: sources[0]?.label,
    });
  }

  /** `waitSeconds` is undefined if waiting does not help. */
  async function refuse(send: JudgedSend, objection: Objection, now: Date): Promise<never> {
    const { rule, waitSeconds } = objection;
    const { kind, userId, origin } = send;
    await note(send, objection, 'refused', now);
    observe({ kind: 'send-refused', for: kind, userId, reason: rule, traceId: origin.traceId });
    throw waitSeconds === undefined ? phoneUnsupported() : tooManySends(waitSeconds, ruleOf(rule).refusal);
  }

  return { isEnforced, find, lease, isForbidden, writeLeases, settlementOf, note, refuse };
}

/** The rules that forbid the number, and the shared budgets that are used up. */
export function destinationObjections(
  { against }: JudgedDestination,
  leased: LeasedBudgets,
  taken: TakenBudgets,
  now: Date,
): Objection[] {
  const denials = denialsOf(leased, taken, now);
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
  ];
}

/** The budgets that were requested and not granted, until the end of the day. */
function denialsOf({ isLeased, budgetLeases }: LeasedBudgets, { wanted }: TakenBudgets, now: Date): Map<string, Date> {
  if (!isLeased) return new Map();
  const denied = wanted.filter(({ name, units }) => (budgetLeases.get(name) ?? 0) < units);
  return new Map(denied.map(({ name }) => [name, endOfDay(now)]));
}
