/** The rules against abuse: their names, their limits, and what follows from what the counters say. */
import { secondsAfter, secondsBetween } from '../clock.ts';
import { windowCounts, type FailureRate, type Rate } from './windows.ts';
import type { PhoneNumber } from '../phone/phone-number.ts';

/** Each rule in a sentence, in the order in which a refusal is named. */
export const ruleSentences = {
  'user-sends': 'Codes one user may ask for.',
  'address-sends': 'Codes that may be asked for from one client address.',
  'token-sends': 'Codes that may be asked for with the tokens of one person.',
  country: 'Countries that codes are sent to.',
  'number-type': 'Kinds of numbers that no code is sent to.',
  spend: 'Price of a message, and what may be spent on a country and in all in a day.',
  'phone-sends':
    'Codes that may be sent to one phone; what one user was sent takes at most half of it from the others.',
  'phone-users': 'Different users who may have codes sent to one phone.',
  'user-phones': 'Different phones one user may have codes sent to.',
  prefix: 'Codes an hour to numbers that differ in their last four digits, unless enough of them are verified.',
  'country-sends': 'Codes to one country in a day.',
  'user-failures': 'Failed verifications of one user.',
  'address-failures': 'Failed verifications from one client address.',
  'token-failures': 'Failed verifications with the tokens of one person.',
  'phone-failures': 'Failed verifications of codes that went to one phone; refuses only users who failed there.',
  'one-code': 'Different users on whom one code failed.',
} as const;

export type RuleName = keyof typeof ruleSentences;
export const ruleNames = Object.keys(ruleSentences) as RuleName[];

export const ruleModes = ['off', 'shadow', 'enforce'] as const;
export type RuleMode = (typeof ruleModes)[number];
export type Modes = Readonly<Record<RuleName, RuleMode>>;

/** The contract's budgets; the sandbox is open but for them. */
const budgets: ReadonlySet<RuleName> = new Set(['user-sends', 'phone-sends', 'user-failures']);

/** Modes as they are configured: by name, by `*`, or what the mode of the service asks for. */
export function configuredModes(production: boolean, given: ReadonlyMap<string, RuleMode>): Modes {
  const fallback = (name: RuleName) => (production || budgets.has(name) ? 'enforce' : 'off');
  return Object.fromEntries(
    ruleNames.map((name) => [name, given.get(name) ?? given.get('*') ?? fallback(name)]),
  ) as Modes;
}

/** `count` or more in a window of `seconds`, with less than `percent` of them verified, close a prefix. */
export interface PrefixLimit extends Rate {
  percent: number;
}

/** By `+` and leading digits, by country, or `*` for the rest. */
export type Table = ReadonlyMap<string, number>;

export interface GuardLimits {
  /** The processes of this node. Each leases a part of what one would. */
  processes?: number;
  userSends: readonly Rate[];
  phoneSends: readonly Rate[];
  addressSends: readonly Rate[];
  tokenSends: readonly Rate[];
  userPhones: readonly Rate[];
  phoneUsers: readonly Rate[];
  /** ISO 3166 codes; `*` for all. */
  countries: readonly string[];
  /** As libphonenumber names them. */
  refusedTypes: readonly string[];
  prefix: PrefixLimit | undefined;
  countrySends: Table;
  /** In ten-thousandths of the operator's currency, as are the caps. */
  prices: Table;
  messageSpend: number | undefined;
  countrySpend: Table;
  daySpend: number | undefined;
  userFailures: readonly FailureRate[];
  phoneFailures: readonly FailureRate[];
  addressFailures: readonly FailureRate[];
  tokenFailures: readonly FailureRate[];
  codeUsers: readonly FailureRate[];
}

/** Where a call came from, as far as it counts: see docs/decisions/0002-guard.md. */
export interface Source {
  address: SourceKey | undefined;
  token: SourceKey | undefined;
}

export interface SourceKey {
  key: Buffer;
  /** What an operator sees. */
  label: string;
}

/** Numbers that differ only in their last four digits are usually rented together. */
export function prefixOf(phone: string): string {
  return phone.slice(0, -4);
}

/** The longest leading digits win, then the country, then the rest. */
export function lookUp(table: Table, { key, country }: PhoneNumber): number | undefined {
  if (table.size === 0) return undefined;
  for (let length = key.length; length > 1; length -= 1) {
    const value = table.get(key.slice(0, length));
    if (value !== undefined) return value;
  }
  return (country === undefined ? undefined : table.get(country)) ?? table.get('*');
}

/** Rules that will never let a text go to this number, whatever the hour. */
export function destinationObjections(number: PhoneNumber, limits: GuardLimits): RuleName[] {
  const objections: RuleName[] = [];
  const { countries, refusedTypes, messageSpend } = limits;
  if (!countries.includes('*') && !countries.includes(number.country ?? '')) objections.push('country');
  if (number.type !== undefined && refusedTypes.includes(number.type)) objections.push('number-type');
  if (messageSpend !== undefined && (lookUp(limits.prices, number) ?? 0) > messageSpend) objections.push('spend');
  return objections;
}

/** A share of what everybody draws on. */
export interface Need {
  rule: RuleName;
  name: string;
  /** What this send takes, and how much is leased at once. */
  units: number;
  block: number;
  cap: number;
}

export interface SharedNeeds {
  prefix: Need | undefined;
  budgets: Need[];
}

const share = (cap: number, parts: number, units: number) => Math.max(units, Math.floor(cap / parts));

/** What a send draws on besides its own user, phone and source. A safe number has no prefix and no country. */
export function sharedNeeds(number: PhoneNumber, limits: GuardLimits, modes: Modes, safe: boolean): SharedNeeds {
  const country = number.country ?? 'unknown';
  const { processes = 1 } = limits;
  const budgets: Need[] = [];
  const budget = (rule: RuleName, name: string, units: number, cap: number | undefined) => {
    if (cap !== undefined && units > 0 && modes[rule] !== 'off') {
      budgets.push({ rule, name, units, cap, block: share(cap, 100 * processes, units) });
    }
  };
  if (!safe) budget('country-sends', `sends ${country}`, 1, lookUp(limits.countrySends, number));
  const price = lookUp(limits.prices, number) ?? 0;
  budget('spend', `spend ${country}`, price, lookUp(limits.countrySpend, number));
  budget('spend', 'spend', price, limits.daySpend);
  const { prefix } = limits;
  return {
    budgets,
    prefix:
      prefix && !safe && modes.prefix !== 'off'
        ? {
            rule: 'prefix',
            name: prefixOf(number.key),
            units: 1,
            cap: prefix.count,
            block: share(prefix.count, 5 * processes, 1),
          }
        : undefined,
  };
}

/** The windows as the reservation takes them, a slot each. */
export const sendSlots: readonly RuleName[] = [
  'user-sends',
  'user-sends',
  'phone-sends',
  'phone-sends',
  'address-sends',
  'address-sends',
  'token-sends',
  'token-sends',
  'user-phones',
  'phone-users',
];

const aboutPhone: ReadonlySet<RuleName> = new Set(['phone-sends', 'phone-users']);

/** What is fixed about reservations while the modes stay. */
export interface SendPlan {
  counts: (number | null)[];
  seconds: number[];
  enforced: boolean[];
}

export function planSends(limits: GuardLimits, modes: Modes, safe: boolean): SendPlan {
  const rates = [
    ...pair(limits.userSends),
    ...pair(limits.phoneSends),
    ...pair(limits.addressSends),
    ...pair(limits.tokenSends),
    limits.userPhones[0],
    limits.phoneUsers[0],
  ];
  const on = sendSlots.map((rule) => modes[rule] !== 'off' && !(safe && aboutPhone.has(rule)));
  return {
    counts: windowCounts(rates.map((rate, slot) => (on[slot] ? rate : undefined))),
    seconds: rates.map((rate) => rate?.seconds ?? 0),
    enforced: sendSlots.map((rule) => modes[rule] === 'enforce'),
  };
}

function pair<T>(rates: readonly T[]): [T | undefined, T | undefined] {
  return [rates[0], rates[1]];
}

/** A rule that a call is past, and when it will no longer be. */
export interface Objection {
  rule: RuleName;
  /** Undefined: never. */
  waitSeconds: number | undefined;
}

/** What the moments that fill the slots' windows say. */
export function sendObjections(plan: SendPlan, moments: readonly (Date | null)[], now: Date): Objection[] {
  return moments.flatMap((moment, slot) =>
    moment === null
      ? []
      : [{ rule: sendSlots[slot]!, waitSeconds: secondsBetween(now, secondsAfter(moment, plan.seconds[slot]!)) }],
  );
}

export interface Verdict {
  /** The first enforced rule, with the longest wait it asks for. */
  refusal: Objection | undefined;
  /** Rules that would have refused. */
  shadows: RuleName[];
}

export function judge(objections: readonly Objection[], modes: Modes): Verdict {
  const rules = ruleNames.filter((name) => objections.some(({ rule }) => rule === name));
  const enforced = rules.find((rule) => modes[rule] === 'enforce');
  const shadows = rules.filter((rule) => modes[rule] === 'shadow');
  if (!enforced) return { refusal: undefined, shadows };
  const waits = objections.filter(({ rule }) => rule === enforced).map(({ waitSeconds }) => waitSeconds);
  const waitSeconds = waits.includes(undefined) ? undefined : Math.max(...(waits as number[]));
  return { refusal: { rule: enforced, waitSeconds }, shadows };
}

export function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}

/** The rules of a verify, in the order of its slots, two windows each. */
export const failureRules = ['user-failures', 'phone-failures', 'address-failures', 'token-failures'] as const;

export interface FailurePlan {
  counts: (number | null)[];
  seconds: number[];
  blockSeconds: number[];
  /** By rule, as in `failureRules`. */
  enforced: boolean[];
}

export function planFailures(limits: GuardLimits, modes: Modes): FailurePlan {
  const byRule = {
    'user-failures': limits.userFailures,
    'phone-failures': limits.phoneFailures,
    'address-failures': limits.addressFailures,
    'token-failures': limits.tokenFailures,
  };
  const rates = failureRules.flatMap((rule) => pair(modes[rule] === 'off' ? [] : byRule[rule]));
  return {
    counts: windowCounts(rates),
    seconds: rates.map((rate) => rate?.seconds ?? 0),
    blockSeconds: rates.map((rate) => rate?.blockSeconds ?? 0),
    enforced: failureRules.map((rule) => modes[rule] === 'enforce'),
  };
}
