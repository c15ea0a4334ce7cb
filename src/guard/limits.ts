/** The limits of all rules: as configured, and as they are passed to the database in the current modes. */
import { countingRuleNames, countingRuleOf, isOn, type Counter, type CountingRuleName, type Modes } from './rules.ts';
import { readRangeLimits, type RangeLimits, type RangeSettings } from './ranges/range-limits.ts';
import { sourceKinds, type SourceKind } from './source.ts';
import { createLimit, type Limit, type Rate, type Window } from './windows.ts';

/**
 * By `+` and leading digits, by country, or `*` for all others; `voice:GB` and the like for a channel. Undefined: without
 * a limit.
 */
export type DestinationTable = ReadonlyMap<string, number | undefined>;

/**
 * A user who is older than this, or has transactions, is established: newcomers cannot use up the sends of a phone for
 * such a user. A week is longer than an attack with new accounts usually waits.
 */
export const establishedSeconds = 7 * 86_400;

/** The limits of the rules that count in windows. */
export type Rates = Readonly<Record<CountingRuleName, readonly Rate[]>>;

export interface GuardLimits {
  /** The number of processes of this node. Leases are divided by this number. */
  processes?: number;
  rates: Rates;
  /** ISO 3166 codes; `*` for all. */
  countries: readonly string[];
  /** The names of libphonenumber. */
  refusedTypes: readonly string[];
  ranges: RangeLimits;
  countrySends: DestinationTable;
  /** In ten-thousandths of the operator's currency, as are the limits on spending. */
  prices: DestinationTable;
  spend: SpendLimits;
}

/** Undefined: without a limit. */
export interface SpendLimits {
  /** The highest price of one message. */
  message: number | undefined;
  /** In a day, to all countries. */
  day: number | undefined;
  /** In a day, to one country; `voice:day` and the like over one channel to all countries. */
  countries: DestinationTable;
}

/** The settings with the limits. */
export type GuardSettings = Omit<GuardLimits, 'countries' | 'ranges'> &
  RangeSettings & { countries: readonly string[] | undefined };

export function readLimits(settings: GuardSettings): GuardLimits {
  return { ...settings, ranges: readRangeLimits(settings), countries: settings.countries ?? [] };
}

type SourceLimits = Readonly<Record<SourceKind, Limit>>;

export interface SendLimits {
  userSends: Limit;
  userPhones: Limit;
  phoneSends: Limit;
  phoneUsers: Limit;
  sources: SourceLimits;
}

export interface FailureLimits {
  userFailures: Limit;
  phoneFailures: Limit;
  /** Of the rule about one code. */
  codeUsers: Limit;
  sources: SourceLimits;
}

export interface ConfirmationLimits {
  userConfirmations: Limit;
  /** Those that tokens ask for that are bound to the user. */
  boundConfirmations: Limit;
  failedChecks: Limit;
}

/**
 * The number of failures that are kept beyond the limit of a phone, so that users who fail while it is blocked remain
 * known.
 */
const keptNewcomers = 50;

export function planSends(limits: GuardLimits, modes: Modes, isSafe: boolean): SendLimits {
  const windows = (counter: Counter) => windowsOf(counter, limits, modes, isSafe);
  return {
    userSends: createLimit(windows({ counts: 'sends', by: 'user' })),
    userPhones: createLimit(windows({ counts: 'phones', by: 'user' })),
    // Some sends do not count against every user, but are kept too: up to twice the limit by newcomers, and as many by
    // established users, because the sends of newcomers do not count against those.
    phoneSends: createLimit(windows({ counts: 'sends', by: 'phone' }), (count) => 4 * count),
    phoneUsers: createLimit(windows({ counts: 'users', by: 'phone' }), (count) => 2 * count),
    sources: bySource((by) => createLimit(windows({ counts: 'sends', by }))),
  };
}

export function planFailures(limits: GuardLimits, modes: Modes): FailureLimits {
  const windows = (counter: Counter) => windowsOf(counter, limits, modes, false);
  return {
    userFailures: createLimit(windows({ counts: 'failures', by: 'user' })),
    phoneFailures: createLimit(windows({ counts: 'failures', by: 'phone' }), (count) => count + keptNewcomers),
    codeUsers: createLimit(windows({ counts: 'failed users', by: 'code' })),
    sources: bySource((by) => createLimit(windows({ counts: 'failures', by }))),
  };
}

export function planConfirmations(limits: GuardLimits, modes: Modes): ConfirmationLimits {
  const windows = (counter: Counter) => windowsOf(counter, limits, modes, false);
  const confirmations = windows({ counts: 'confirmations', by: 'user' });
  return {
    userConfirmations: createLimit(confirmations),
    // A stolen token must not use up what the person's own payments need.
    boundConfirmations: createLimit(
      confirmations.map((window) => ({ ...window, count: Math.max(1, Math.floor(window.count / 2)) })),
    ),
    failedChecks: createLimit(windows({ counts: 'failed checks', by: 'user' })),
  };
}

/** The windows of the rules over the counter, except rules that are off. */
function windowsOf({ counts, by }: Counter, limits: GuardLimits, modes: Modes, isSafe: boolean): Window[] {
  return countingRuleNames.flatMap((name) => {
    const rule = countingRuleOf(name);
    if (!isOn(name, modes, isSafe) || rule.counts !== counts || rule.by !== by) return [];
    return limits.rates[name].map((rate) => ({ ...rate, rule: name, isEnforced: modes[name] === 'enforce' }));
  });
}

function bySource(limitOf: (kind: SourceKind) => Limit): SourceLimits {
  return Object.fromEntries(sourceKinds.map((kind) => [kind, limitOf(kind)])) as SourceLimits;
}

/** The longest window of any rule: after this time an event no longer counts. */
export function longestWindowSeconds({ rates }: GuardLimits): number {
  const all = Object.values(rates).flat();
  return Math.max(0, ...all.map(({ seconds }) => seconds));
}
