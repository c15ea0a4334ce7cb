/**
 * What is known about a range of numbers: how many codes were sent to it, how many of them were verified, and what is
 * normal for it. Pure functions; docs/decisions/0007-ranges.md explains the figures.
 *
 * Counts fade with time instead of using windows: in a sum over an hour, an event from an hour ago counts e^-1. So the
 * sums of two processes can be added, and a budget becomes free gradually.
 */
import type { PhoneNumber } from '../../values/phone-number.ts';
import type { Evidence } from '../evidence.ts';
import { rangeLevels, type RangeLevel, type RangeLimits } from './range-limits.ts';

export interface Range {
  /** Leading digits such as +447911, or a country such as GB. */
  name: string;
  level: RangeLevel;
}

/** Fading sums, each with its span. The database stores them, and processes add to them. */
export const sumSpanSeconds = {
  hourSends: 3600,
  hourVerified: 3600,
  daySends: 86_400,
  /** Sends that the verified codes do not explain: see `explainedBy`. */
  unverified: 86_400,
  /** Texts that gateways reported as delivered, and as failed. */
  delivered: 86_400,
  failed: 86_400,
  normalSends: 14 * 86_400,
  normalVerified: 14 * 86_400,
} as const;
export type Sum = keyof typeof sumSpanSeconds;
export const sums = Object.keys(sumSpanSeconds) as Sum[];
export type Sums = Record<Sum, number>;

export interface RangeState extends Sums {
  /** When the sums were last brought up to date, in milliseconds. */
  at: number;
  /** How often its budget was halved. */
  shrinks: number;
  /** When a send was last refused, in milliseconds; 0 if never. */
  refusedAt: number;
}

/** What is known about the sender. Each rank has an additional budget that the ranks before it cannot use. */
export type Rank = 'newcomer' | 'likely' | 'proven' | 'established';

/** What is normal for the sums that end now, as multiples of those of an average hour and an average day. */
export interface Rhythm {
  hour: number;
  day: number;
}

const learnedDays = sumSpanSeconds.normalSends / 86_400;
const hourMilliseconds = 3_600_000;
const dayMilliseconds = 86_400_000;

export function emptyState(at: number): RangeState {
  const zeros = Object.fromEntries(sums.map((sum) => [sum, 0])) as Sums;
  return { ...zeros, at, shrinks: 0, refusedAt: 0 };
}

/** A plus, the calling code and a digit. */
const shortestRange = 4;

export interface Destination extends Pick<PhoneNumber, 'e164' | 'country'> {
  /** A channel other than texts, which has ranges of its own: what is normal for texts is not normal for calls. */
  channel?: string;
}

const nameOver = ({ channel = 'sms' }: Destination, name: string) => (channel === 'sms' ? name : `${channel}:${name}`);

/** The name of the range that is the whole country. */
export function countryRangeName(destination: Destination): string {
  return nameOver(destination, destination.country ?? 'unknown');
}

/** The smallest range first. A short number has fewer of them. */
export function rangesOf(phoneNumber: Destination): Range[] {
  const { e164 } = phoneNumber;
  return rangeLevels
    .filter((level) => level === 'country' || e164.length - Number(level) >= shortestRange)
    .map((level) => ({
      name: level === 'country' ? countryRangeName(phoneNumber) : nameOver(phoneNumber, e164.slice(0, -Number(level))),
      level,
    }));
}

/** Sums are faded at most this often: within a second they hardly change. */
const fadingMilliseconds = 1000;

/** Brings the sums and the budget up to `now`. Every day without a refusal undoes one halving. */
export function fade(state: RangeState, now: number): void {
  if (now >= state.at && now - state.at < fadingMilliseconds) return;
  const seconds = Math.max(0, now - state.at) / 1000;
  for (const sum of sums) state[sum] *= Math.exp(-seconds / sumSpanSeconds[sum]);
  // If the clock was put back, the sums continue from its new time.
  state.at = now;
  while (state.shrinks > 0 && now - state.refusedAt >= dayMilliseconds) {
    state.shrinks -= 1;
    state.refusedAt += dayMilliseconds;
  }
}

/** Normal sends of a day. Only verified codes count, so that unverified sends never become normal. */
function normalDay({ normalVerified }: RangeState, conversion: number): number {
  return normalVerified / learnedDays / conversion;
}

/** The share of codes that is normally verified: the range's own if it is known well enough, or the country's. */
export function normalConversion(state: RangeState, country: RangeState, limits: RangeLimits): number {
  const own = state.normalVerified >= limits.conversionCodes ? state : country;
  const minimum = limits.conversionPercent / 100;
  if (own.normalVerified < limits.conversionCodes) return minimum;
  return Math.min(1, Math.max(minimum, own.normalVerified / own.normalSends));
}

/**
 * Whether enough codes of the range were verified lately. Unverified sends of a proven range do not count against its
 * country.
 */
export function isProven(state: RangeState, country: RangeState, limits: RangeLimits): boolean {
  if (state.normalVerified < limits.provenCodes) return false;
  const minimum = (limits.provenPercent / 100) * normalConversion(country, country, limits);
  return state.normalVerified >= minimum * state.normalSends;
}

/** How many sends one verified code explains. */
export function explainedBy(conversion: number, { tolerancePercent }: RangeLimits): number {
  return 100 / ((100 - tolerancePercent) * conversion);
}

/**
 * Failed texts of a range above the failure rate in all other ranges of its country. 0 if those have too few delivered
 * texts to compare with, and always 0 for a whole country.
 */
export function excessFailures(state: RangeState, country: RangeState, limits: RangeLimits): number {
  const delivered = country.delivered - state.delivered;
  const failed = Math.max(0, country.failed - state.failed);
  if (state.failed === 0 || delivered < limits.provenCodes) return 0;
  const elsewhere = (limits.failedGrowthPercent / 100) * (failed / (delivered + failed));
  const normal = Math.min(0.9, Math.max(limits.failedPercent / 100, elsewhere));
  return Math.max(0, state.failed - (normal / (1 - normal)) * state.delivered);
}

export interface RangeObjection {
  range: Range;
  waitSeconds: number;
  evidence: Evidence;
}

export interface RangeQuestion {
  range: Range;
  state: RangeState;
  /** The sums of the range's country, and its rhythm. */
  country: RangeState;
  rhythm: Rhythm;
  limits: RangeLimits;
  rank: Rank;
  /** Further sends that other processes may have made since the sums were read. */
  unseen: number;
  /** False for a country if the send is to one of its proven ranges, for which unverified sends are counted alone. */
  countsUnverified: boolean;
}

/** Why one more send would exceed a budget of the range; undefined if it would not. The state must be up to date. */
export function objectTo(question: RangeQuestion): RangeObjection | undefined {
  const { range, state, limits, unseen } = question;
  const normal = findNormal(question);
  const budgets = findBudgets(question, normal);
  const hourUnverified = unverifiedOfHour(state, normal.conversion, limits);
  const excess = excessFailures(state, question.country, limits);
  const unverified = state.unverified + unseen + excess;
  const waits = [
    // The wait ends when the budgets have room, or when the next trial send is allowed, whichever comes first.
    question.countsUnverified
      ? Math.min(
          Math.max(
            fadingSeconds(unverified, budgets.unverified - 1, sumSpanSeconds.unverified),
            fadingSeconds(hourUnverified, budgets.hourUnverified - 1, sumSpanSeconds.hourSends),
          ),
          fadingSeconds(hourUnverified, budgets.trial - 1, sumSpanSeconds.hourSends),
        )
      : 0,
    fadingSeconds(state.daySends + unseen, budgets.sends - 1, sumSpanSeconds.daySends),
  ];
  const wait = Math.max(...waits);
  if (wait === 0) return undefined;
  const waitSeconds = Math.min(86_400, Math.max(60, Math.ceil(wait)));
  return { range, waitSeconds, evidence: evidenceOf(range, state, normal, excess) };
}

/** What is normal for a range at this hour of the week. */
interface Normal {
  conversion: number;
  hour: number;
  day: number;
  /**
   * The same, or an average day if that is less. The additional codes of busy hours are explained by their own verified
   * codes, and need no larger budget.
   */
  quietDay: number;
}

function findNormal({ state, country, limits, rhythm }: RangeQuestion): Normal {
  const conversion = normalConversion(state, country, limits);
  const day = normalDay(state, conversion);
  return {
    conversion,
    hour: (day / 24) * rhythm.hour,
    day: day * rhythm.day,
    quietDay: day * Math.min(1, rhythm.day),
  };
}

/** The additional share of a rank, relative to the newcomers' budget. */
function reserveOf(rank: Rank, { likelyPercent, reservePercent }: RangeLimits): number {
  const percents = { newcomer: 0, likely: likelyPercent, proven: reservePercent, established: 2 * reservePercent };
  return percents[rank] / 100;
}

/**
 * How often the share of a rank is halved. The share of likely senders is halved one step later than that of newcomers,
 * so that they have room when newcomers have used up theirs. Proven and established senders keep their whole share.
 */
function halvingsOf(rank: Rank, { shrinks }: RangeState): number {
  if (rank === 'newcomer') return shrinks;
  return rank === 'likely' ? Math.max(0, shrinks - 1) : 0;
}

/** The budgets of a range. A country has no budget for an hour and none for all sends. */
function findBudgets({ range, state, country, limits, rank }: RangeQuestion, normal: Normal) {
  const isKnown = country.normalVerified >= limits.knownCodes;
  const minimum = (percent: number) => (limits.unverified[range.level] * (isKnown ? percent : 100)) / 100;
  const share = 1 + reserveOf(rank, limits);
  const unverifiedShare = share / 2 ** halvingsOf(rank, state);
  const isCountry = range.level === 'country';
  return {
    unverified:
      unverifiedShare * Math.max(minimum(limits.knownPercent), (limits.unverifiedPercent / 100) * normal.quietDay),
    hourUnverified: isCountry
      ? Infinity
      : unverifiedShare * Math.max(minimum(limits.knownHourPercent), (limits.hourPercent / 100) * normal.hour),
    sends: isCountry ? Infinity : share * Math.max(limits.sends[range.level], limits.growth * normal.day),
    trial: Math.max(limits.trials / 24, (limits.trialPercent / 100) * normal.hour),
  };
}

/** The time until a sum has faded to a level; 0 if it is not above the level. */
function fadingSeconds(sum: number, level: number, span: number): number {
  if (sum <= level) return 0;
  return level > 0 ? Math.log(sum / level) * span : 86_400;
}

function unverifiedOfHour({ hourSends, hourVerified }: RangeState, conversion: number, limits: RangeLimits): number {
  return Math.max(0, hourSends - explainedBy(conversion, limits) * hourVerified);
}

function evidenceOf(range: Range, state: RangeState, normal: Normal, excess: number): Evidence {
  const sent = Math.round(state.hourSends);
  const verified = state.hourSends < 0.5 ? 0 : Math.min(100, Math.round((100 * state.hourVerified) / state.hourSends));
  const hasFailures = excess >= 0.5;
  return {
    level: range.level === 'country' ? 'country' : 'range',
    name: range.name,
    sent,
    normalSent: normal.hour < 10 ? Number(normal.hour.toFixed(1)) : Math.round(normal.hour),
    verifiedPercent: verified,
    normalVerifiedPercent: Math.round(100 * normal.conversion),
    unverified: Math.round(state.unverified),
    failed: hasFailures ? Math.round(state.failed) : 0,
    reported: hasFailures ? Math.round(state.delivered + state.failed) : 0,
  };
}

/** Halves the budget after a refusal, at most once in `halvingHours`, and at most `halvings` times. */
export function noteRefusal(state: RangeState, { halvings, halvingHours }: RangeLimits, now: number): void {
  const isRepeated = now - state.refusedAt < halvingHours * hourMilliseconds;
  if (isRepeated) return;
  state.shrinks = Math.min(halvings, state.shrinks + 1);
  state.refusedAt = now;
}

/** Undoes one halving if the last hour's codes were verified at about the usual rate. Returns whether it did. */
export function recover(state: RangeState, conversion: number, limits: RangeLimits): boolean {
  if (state.shrinks === 0 || state.hourVerified < limits.recoveryCodes) return false;
  if (state.hourVerified < (limits.provenPercent / 100) * conversion * state.hourSends) return false;
  state.shrinks -= 1;
  return true;
}

/** The codes that were sent from an address, and those of them that were verified. */
export interface Conversion {
  sends: number;
  verified: number;
}

/** Whether most codes that are sent from an address are verified. */
export function isGoodAddress({ sends, verified }: Conversion, { addressCodes, addressPercent }: RangeLimits): boolean {
  return Math.min(sends, verified) >= addressCodes && verified >= (addressPercent / 100) * sends;
}
