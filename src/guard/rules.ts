/**
 * The rules against abuse, one entry each. Settings, the windows that the database counts, the operator's API and
 * console, metrics and docs/abuse.md are derived from this table. docs/how-to-add-a-rule.md shows how to add one.
 */
import type { SourceKind } from './source.ts';

/** The counters in the database, and the key of each. */
export type Counter =
  | { counts: 'sends'; by: 'user' | 'phone' | SourceKind }
  | { counts: 'confirmations'; by: 'user' }
  | { counts: 'failed checks'; by: 'user' }
  | { counts: 'phones'; by: 'user' }
  | { counts: 'users'; by: 'phone' }
  | { counts: 'failures'; by: 'user' | 'phone' | SourceKind }
  | { counts: 'failed users'; by: 'code' };

/** What a rule without such a counter judges: the number alone, or budgets that all users share. */
export type Judged =
  | { counts: 'nothing'; by: 'number' }
  | { counts: 'messages'; by: 'prefix' | 'country' }
  | { counts: 'proofs'; by: 'prefix' }
  | { counts: 'money'; by: 'country and day' };

interface RuleBase {
  /** What the rule limits, for operators. */
  sentence: string;
  /** The status for a caller above the limit, if it is not 429. 400: a code is never sent to the number. */
  answer?: '400' | '400 or 429';
  /** The message for that caller. */
  refusal: string;
  /** Does not apply to numbers on the safe list. */
  sparesSafeNumbers?: true;
  /** Enforced in the sandbox too; the others are off there. */
  isOnInSandbox?: true;
  /** Off, even in production, until it is enabled by its name. */
  isOffUntilNamed?: true;
}

export interface CountingRule extends RuleBase {
  /**
   * The limits, as LEDGERLINE_LIMITS is written: count/span, and for failures the span of the block. `single`: the rule
   * can have one window only.
   */
  windows: { sandbox: string; production: string; single?: true };
}

export interface JudgingRule extends RuleBase {
  /** The settings of the rule, which have their own formats: `guard.ts` and `ranges.ts` in src/config/settings/. */
  settings: readonly string[];
  /** Its limits by default, for docs/abuse.md. */
  defaults: string;
}

type RuleEntry = (Counter & CountingRule) | (Judged & JudgingRule);

const notSupported = 'Phone number not supported.';
const destinationLimited = 'Codes to this destination are limited at the moment. Try again later.';
const inBothModes = (limits: string) => ({ sandbox: limits, production: limits });

/** If several rules refuse, the answer names the first one in this order. */
export const rules = {
  'user-sends': {
    counts: 'sends',
    by: 'user',
    sentence: 'Codes one user may ask for.',
    windows: { sandbox: '100/10m', production: '5/10m,10/1d' },
    isOnInSandbox: true,
    refusal: 'Too many codes were requested. Try again later.',
  },
  'address-sends': {
    counts: 'sends',
    by: 'address',
    sentence: 'Codes that may be asked for from one client address.',
    windows: inBothModes('30/10m,300/1d'),
    refusal: 'Too many codes were requested from this address. Try again later.',
  },
  'token-sends': {
    counts: 'sends',
    by: 'token',
    sentence: 'Codes that may be asked for with the tokens of one person.',
    windows: inBothModes('10/10m,20/1d'),
    refusal: 'Too many codes were requested with this token. Try again later.',
  },
  'user-confirmations': {
    counts: 'confirmations',
    by: 'user',
    sentence: 'Codes for confirmations of one user. Tokens that are bound to the user may ask for half of them.',
    windows: { sandbox: '100/10m', production: '10/10m,50/1d' },
    isOnInSandbox: true,
    refusal: 'Too many confirmations were requested. Try again later.',
  },
  country: {
    counts: 'nothing',
    by: 'number',
    sentence: 'Countries that codes are sent to.',
    settings: ['LEDGERLINE_COUNTRIES'],
    defaults: 'production must choose',
    sparesSafeNumbers: true,
    answer: '400',
    refusal: notSupported,
  },
  'number-type': {
    counts: 'nothing',
    by: 'number',
    sentence: 'Kinds of numbers that no code is sent to.',
    settings: ['LEDGERLINE_REFUSED_TYPES'],
    defaults: 'premium, shared cost, toll free, pager, voicemail, personal',
    sparesSafeNumbers: true,
    answer: '400',
    refusal: notSupported,
  },
  spend: {
    counts: 'money',
    by: 'country and day',
    sentence: 'Price of a message, and what may be spent on a country and in total in a day.',
    settings: ['LEDGERLINE_PRICES', 'LEDGERLINE_SPEND'],
    defaults: '0.5 a message, 1,000 a country and day, 5,000 a day, at 0.1 a message',
    answer: '400 or 429',
    refusal: destinationLimited,
  },
  'phone-sends': {
    counts: 'sends',
    by: 'phone',
    sentence:
      'Codes that may be sent to one phone. Sends of another user count for at most half of the limit; sends of newcomers do not count against established users.',
    windows: { sandbox: 'off', production: '5/10m,10/1d' },
    sparesSafeNumbers: true,
    isOnInSandbox: true,
    refusal: 'Too many codes were requested for this phone number. Try again later.',
  },
  'phone-users': {
    counts: 'users',
    by: 'phone',
    sentence: 'Different users who may have codes sent to one phone. Newcomers do not count against established users.',
    // An hour more than a day, so that the users of one day cannot try their codes at the same time as those of the day
    // before.
    windows: { ...inBothModes('3/25h'), single: true },
    sparesSafeNumbers: true,
    refusal: 'Too many users requested codes for this phone number. Try again later.',
  },
  'user-phones': {
    counts: 'phones',
    by: 'user',
    sentence: 'Different phones one user may have codes sent to.',
    windows: { ...inBothModes('3/1d'), single: true },
    refusal: 'Codes were requested for too many phone numbers. Try again later.',
  },
  prefix: {
    counts: 'messages',
    by: 'prefix',
    sentence: 'Codes to a range of numbers that are not verified, and codes far above what is normal for the range.',
    settings: ['LEDGERLINE_RANGES'],
    defaults:
      'a day without being verified: 20 to 100 by the size of the range, 200 in a country, or 15 % of what is normal, and in an hour twice what is normal then; in total: 100 to 2,000, or 3 times what is normal',
    sparesSafeNumbers: true,
    refusal: destinationLimited,
  },
  challenge: {
    counts: 'proofs',
    by: 'prefix',
    sentence:
      'Asks for a proof if `prefix` would refuse a newcomer, or if `phone-users` or `phone-sends` would refuse. A proof allows one send from a reserved budget of the range, and for a phone above its limit of sends three in a day.',
    settings: ['LEDGERLINE_CHALLENGE_WORK', 'LEDGERLINE_ATTESTATION_KEY'],
    defaults: 'off; a reserve as large as the budget of `prefix`',
    sparesSafeNumbers: true,
    isOffUntilNamed: true,
    refusal: 'A challenge must be solved before another code is sent.',
  },
  'country-sends': {
    counts: 'messages',
    by: 'country',
    sentence: 'Codes to one country in a day.',
    settings: ['LEDGERLINE_COUNTRY_SENDS'],
    defaults: '10,000 a day',
    sparesSafeNumbers: true,
    refusal: destinationLimited,
  },
  'user-failures': {
    counts: 'failures',
    by: 'user',
    sentence: 'Failed verifications of one user.',
    windows: { sandbox: '10/1h/1h', production: '10/1h/1h,20/1d/1d' },
    isOnInSandbox: true,
    refusal: 'Too many failed attempts. Try again later.',
  },
  'confirmation-failures': {
    counts: 'failed checks',
    by: 'user',
    sentence: 'Failed checks of confirmations of one user.',
    windows: { sandbox: '10/1h/1h', production: '10/1h/1h,20/1d/1d' },
    isOnInSandbox: true,
    refusal: 'Too many failed attempts. Try again later.',
  },
  'address-failures': {
    counts: 'failures',
    by: 'address',
    sentence: 'Failed verifications from one client address.',
    windows: inBothModes('50/1h/1h,200/1d/1d'),
    refusal: 'Too many failed attempts from this address. Try again later.',
  },
  'token-failures': {
    counts: 'failures',
    by: 'token',
    sentence: 'Failed verifications with the tokens of one person.',
    windows: inBothModes('10/1h/1h,20/1d/1d'),
    refusal: 'Too many failed attempts with this token. Try again later.',
  },
  'phone-failures': {
    counts: 'failures',
    by: 'phone',
    sentence: 'Failed verifications of codes that were sent to one phone; refuses only users who failed on it.',
    windows: inBothModes('15/1d/1d'),
    refusal: 'Too many failed attempts for this phone number. Try again later.',
  },
  'one-code': {
    counts: 'failed users',
    by: 'code',
    sentence: 'Different users for whom one code failed.',
    windows: { ...inBothModes('10/1h/1h'), single: true },
    refusal: 'Too many failed attempts. Try again later.',
  },
} as const satisfies Record<string, RuleEntry>;

export type RuleName = keyof typeof rules;
export const ruleNames = Object.keys(rules) as RuleName[];

/** A rule whose limits are windows over a counter of the database. */
export type CountingRuleName = {
  [Name in RuleName]: (typeof rules)[Name] extends CountingRule ? Name : never;
}[RuleName];
export const countingRuleNames = ruleNames.filter((name): name is CountingRuleName => 'windows' in rules[name]);

export function ruleOf(name: RuleName): RuleEntry {
  return rules[name];
}

export function countingRuleOf(name: CountingRuleName): Counter & CountingRule {
  return rules[name];
}

export const ruleModes = ['off', 'shadow', 'enforce'] as const;
export type RuleMode = (typeof ruleModes)[number];
export type Modes = Readonly<Record<RuleName, RuleMode>>;

/** The configured modes: by name, by `*`, or the default of the service's mode. */
export function configuredModes(isProduction: boolean, given: ReadonlyMap<string, RuleMode>): Modes {
  const modeOfRest = (name: RuleName) =>
    given.get('*') ?? (isProduction || ruleOf(name).isOnInSandbox ? 'enforce' : 'off');
  return Object.fromEntries(
    ruleNames.map((name) => [name, given.get(name) ?? (ruleOf(name).isOffUntilNamed ? 'off' : modeOfRest(name))]),
  ) as Modes;
}

/** Whether a rule judges a send to a number that is on the safe list, or not. */
export function isOn(rule: RuleName, modes: Modes, isSafe: boolean): boolean {
  return modes[rule] !== 'off' && !(isSafe && ruleOf(rule).sparesSafeNumbers);
}
