/**
 * What is known of a range of numbers: how many codes it was sent, how many of them were verified, and what is normal
 * for it. Pure: docs/decisions/0007-ranges.md explains the figures.
 *
 * Counts fade with time instead of using windows: in a sum over an hour, an event of an hour ago counts e^-1. So the
 * sums of two processes can be added, and a budget never becomes free all at once.
 */
import type { PhoneNumber } from '../phone/phone-number.ts';
import { writeEvidence } from './evidence.ts';

/** How many of the last digits a range leaves open; `country` for a whole country. */
export const rangeLevels = ['4', '5', '6', '7', 'country'] as const;
export type RangeLevel = (typeof rangeLevels)[number];
/** A value for each level. */
export type ByLevel = Readonly<Record<RangeLevel, number>>;

export interface Range {
  /** Leading digits such as +447911, or a country such as GB. */
  name: string;
  level: RangeLevel;
}

/** Fading sums, each with its span. They are what the database keeps, and what processes add up. */
export const spanSeconds = {
  hourSends: 3600,
  hourVerified: 3600,
  daySends: 86_400,
  /** Sends that no verification explains. */
  unverified: 86_400,
  /** Texts that gateways reported as delivered, and as failed. */
  delivered: 86_400,
  failed: 86_400,
  normalSends: 14 * 86_400,
  normalVerified: 14 * 86_400,
} as const;
export type Sum = keyof typeof spanSeconds;
export const sums = Object.keys(spanSeconds) as Sum[];
export type Sums = Record<Sum, number>;

export interface RangeState extends Sums {
  /** When the sums were last brought up to date, in milliseconds. */
  at: number;
  /** How often its budget was halved. */
  shrinks: number;
  /** When a send was last refused, in milliseconds; 0 if never. */
  refusedAt: number;
}

export interface RangeLimits {
  /** Unverified sends that a range may have, at least. */
  unverified: ByLevel;
  /** The same, in percent of a normal day. */
  unverifiedPercent: number;
  /** What of it may be used in an hour, in percent of what is normal at this hour of the week. */
  hourPercent: number;
  /** Codes of an even week that each hour of a country's week has before any are known. */
  hourCodes: number;
  /** Sends of a day that a range may have, at least, verified or not. */
  sends: ByLevel;
  /** The same, as a multiple of a normal day. */
  growth: number;
  /** The lowest share of verified codes that is taken for normal, in percent. */
  conversionPercent: number;
  /** Verified codes of the learned days that prove a range, if it has so much of its country's conversion. */
  provenCodes: number;
  provenPercent: number;
  /** Below so many verified codes a range has no conversion of its own, and the country's is taken. */
  conversionCodes: number;
  /** A country with so many is known, and has only a part of the least budgets, which are for the time before. */
  knownCodes: number;
  knownPercent: number;
  /** The same for an hour: less, so that a pump at night leaves something for the morning. */
  knownHourPercent: number;
  /** A verified code explains a little more than it must, so that honest traffic does not drift to its limit. */
  tolerancePercent: number;
  /** How often the budget of newcomers is halved at most. */
  halvings: number;
  /** The least time between two halvings: what honest users are refused after an attack must not count as a second one. */
  halvingHours: number;
  /** So many verified codes in an hour, at about the usual conversion, take a halving back. */
  recoveryCodes: number;
  /** A range whose budget is used up is tried with so many unverified sends a day: if they are verified, it is open. */
  trials: number;
  /** The same, in percent of what is normal. */
  trialPercent: number;
  /** The lowest share of failed texts that is taken for normal, in percent. */
  failedPercent: number;
  /** A range may fail so much more than the rest of its country, in percent of that. */
  failedGrowthPercent: number;
  /** What each failed text above that counts as, in percent of an unverified send. */
  failedWeightPercent: number;
  /** What likely senders have that newcomers do not reach, in percent of the newcomers' budget. */
  likelyPercent: number;
  /** An address is good with so many verified codes of the last day, if they are so much of its sends, in percent. */
  addressCodes: number;
  addressPercent: number;
  /** What each rank has that those before it do not reach, in percent of the newcomers' budget. */
  reservePercent: number;
}

/** What is known of the sender. Each rank has a share that those before it do not reach. */
export type Rank = 'newcomer' | 'likely' | 'proven' | 'established';

/** What is normal for the sums that end now, as multiples of those of an average hour and an average day. */
export interface Rhythm {
  hour: number;
  day: number;
}

const learnedDays = spanSeconds.normalSends / 86_400;
const hourMilliseconds = 3_600_000;
const dayMilliseconds = 86_400_000;

export function emptyState(at: number): RangeState {
  const zeros = Object.fromEntries(sums.map((sum) => [sum, 0])) as Sums;
  return { ...zeros, at, shrinks: 0, refusedAt: 0 };
}

/** A plus, the calling code and a digit. */
const shortestRange = 4;

export type Destination = Pick<PhoneNumber, 'e164' | 'country'>;

/** The name of the range that is the whole country. */
export function countryOf({ country }: Destination): string {
  return country ?? 'unknown';
}

/** The smallest range first. A short number has fewer of them. */
export function rangesOf(number: Destination): Range[] {
  const nameAt = (level: RangeLevel) =>
    level === 'country' ? countryOf(number) : number.e164.slice(0, -Number(level));
  return rangeLevels
    .map((level) => ({ name: nameAt(level), level }))
    .filter(({ name, level }) => level === 'country' || name.length >= shortestRange);
}

/** Sums are faded at most this often: within a second they hardly change. */
const fadingMilliseconds = 1000;

/** Brings the sums and the budget up to `now`. Every quiet day takes one halving back. */
export function fade(state: RangeState, now: number): void {
  if (now >= state.at && now - state.at < fadingMilliseconds) return;
  const seconds = Math.max(0, now - state.at) / 1000;
  for (const sum of sums) state[sum] *= Math.exp(-seconds / spanSeconds[sum]);
  // A clock that was put back starts anew from its time.
  state.at = now;
  while (state.shrinks > 0 && now - state.refusedAt >= dayMilliseconds) {
    state.shrinks -= 1;
    state.refusedAt += dayMilliseconds;
  }
}

/** Normal sends of a day. Only verified codes count, so that unverified sends never become normal. */
export function normalDay({ normalVerified }: RangeState, conversion: number): number {
  return normalVerified / learnedDays / conversion;
}

/** The share of codes that is normally verified: the range's own if it is known well enough, or the country's. */
export function normalConversion(state: RangeState, country: RangeState, limits: RangeLimits): number {
  const own = state.normalVerified >= limits.conversionCodes ? state : country;
  const least = limits.conversionPercent / 100;
  if (own.normalVerified < limits.conversionCodes) return least;
  return Math.min(1, Math.max(least, own.normalVerified / own.normalSends));
}

/** Enough codes were verified here lately for the range to answer for itself, instead of drawing on its country. */
export function isProven(state: RangeState, country: RangeState, limits: RangeLimits): boolean {
  if (state.normalVerified < limits.provenCodes) return false;
  const least = (limits.provenPercent / 100) * normalConversion(country, country, limits);
  return state.normalVerified >= least * state.normalSends;
}

/** How many sends one verified code explains. */
export function explainedBy(conversion: number, { tolerancePercent }: RangeLimits): number {
  return 100 / ((100 - tolerancePercent) * conversion);
}

/**
 * Failed texts of a range above the share that fails in the rest of its country. 0 if the rest of the country has too
 * few delivered texts to compare with; a whole country has no rest.
 */
export function excessFailures(state: RangeState, country: RangeState, limits: RangeLimits): number {
  const delivered = country.delivered - state.delivered;
  const failed = Math.max(0, country.failed - state.failed);
  if (state.failed === 0 || delivered < limits.provenCodes) return 0;
  const elsewhere = (limits.failedGrowthPercent / 100) * (failed / (delivered + failed));
  const normal = Math.min(0.9, Math.max(limits.failedPercent / 100, elsewhere));
  return Math.max(0, state.failed - (normal / (1 - normal)) * state.delivered);
}

export interface Objection {
  range: Range;
  waitSeconds: number;
  evidence: string;
}

export interface Question {
  range: Range;
  state: RangeState;
  /** The sums of the range's country, and its rhythm. */
  country: RangeState;
  rhythm: Rhythm;
  limits: RangeLimits;
  rank: Rank;
  /** Further sends that other processes may have made since the sums were read. */
  unseen: number;
  /** False for a country if a range of it has proved itself, and answers for its unverified sends. */
  answersForUnverified: boolean;
}

/** Why one more send would be too much for the range; undefined if it is not. The state must be up to date. */
export function objectTo(question: Question): Objection | undefined {
  const { range, state, limits, unseen } = question;
  const normal = findNormal(question);
  const budgets = findBudgets(question, normal);
  const hourUnverified = unverifiedOfHour(state, normal.conversion, limits);
  const excess = excessFailures(state, question.country, limits);
  const unverified = state.unverified + unseen + (limits.failedWeightPercent / 100) * excess;
  const waits = [
    // It ends when the budgets have room, or when the range is tried again, whichever comes first.
    question.answersForUnverified
      ? Math.min(
          Math.max(
            fadingSeconds(unverified, budgets.unverified - 1, spanSeconds.unverified),
            fadingSeconds(hourUnverified, budgets.hourUnverified - 1, spanSeconds.hourSends),
          ),
          fadingSeconds(hourUnverified, budgets.trial - 1, spanSeconds.hourSends),
        )
      : 0,
    fadingSeconds(state.daySends + unseen, budgets.sends - 1, spanSeconds.daySends),
  ];
  const wait = Math.max(...waits);
  if (wait === 0) return undefined;
  const waitSeconds = Math.min(86_400, Math.max(60, Math.ceil(wait)));
  return { range, waitSeconds, evidence: describe(range, state, normal, excess) };
}

/** What is normal for a range at this hour of the week. */
interface Normal {
  conversion: number;
  hour: number;
  day: number;
  /** The same, or an average day if that is less. Busy hours explain their codes themselves, and need no more room. */
  quietDay: number;
}

function findNormal({ state, country, limits, rhythm }: Question): Normal {
  const conversion = normalConversion(state, country, limits);
  const day = normalDay(state, conversion);
  return {
    conversion,
    hour: (day / 24) * rhythm.hour,
    day: day * rhythm.day,
    quietDay: day * Math.min(1, rhythm.day),
  };
}

/** What a rank has on top of the newcomers' share. */
function reserveOf(rank: Rank, { likelyPercent, reservePercent }: RangeLimits): number {
  const percents = { newcomer: 0, likely: likelyPercent, proven: reservePercent, established: 2 * reservePercent };
  return percents[rank] / 100;
}

/**
 * How often the share of a rank is halved. Likely senders follow newcomers one step later, so that they have room when
 * newcomers have used theirs up; proven and established senders keep all of it.
 */
function halvingsOf(rank: Rank, { shrinks }: RangeState): number {
  if (rank === 'newcomer') return shrinks;
  return rank === 'likely' ? Math.max(0, shrinks - 1) : 0;
}

/** What a range may have. A country has no budgets of its own for an hour, and for sends in all. */
function findBudgets({ range, state, country, limits, rank }: Question, normal: Normal) {
  const isKnown = country.normalVerified >= limits.knownCodes;
  const least = (percent: number) => (limits.unverified[range.level] * (isKnown ? percent : 100)) / 100;
  const share = 1 + reserveOf(rank, limits);
  const unverifiedShare = share / 2 ** halvingsOf(rank, state);
  const isCountry = range.level === 'country';
  return {
    unverified:
      unverifiedShare * Math.max(least(limits.knownPercent), (limits.unverifiedPercent / 100) * normal.quietDay),
    hourUnverified: isCountry
      ? Infinity
      : unverifiedShare * Math.max(least(limits.knownHourPercent), (limits.hourPercent / 100) * normal.hour),
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

function describe(range: Range, state: RangeState, normal: Normal, excess: number): string {
  const sent = Math.round(state.hourSends);
  const verified = state.hourSends < 0.5 ? 0 : Math.min(100, Math.round((100 * state.hourVerified) / state.hourSends));
  const hasFailures = excess >= 0.5;
  return writeEvidence({
    level: range.level === 'country' ? 'country' : 'range',
    name: range.name,
    sent,
    normalSent: normal.hour,
    verifiedPercent: verified,
    normalVerifiedPercent: Math.round(100 * normal.conversion),
    unverified: Math.round(state.unverified),
    failed: hasFailures ? Math.round(state.failed) : 0,
    reported: hasFailures ? Math.round(state.delivered + state.failed) : 0,
  });
}

/** Halves the budget after a refusal, at most once in `halvingHours`, and at most `halvings` times. */
export function noteRefusal(state: RangeState, { halvings, halvingHours }: RangeLimits, now: number): void {
  const isRepeated = now - state.refusedAt < halvingHours * hourMilliseconds;
  if (isRepeated) return;
  state.shrinks = Math.min(halvings, state.shrinks + 1);
  state.refusedAt = now;
}

/** Takes one halving back if the last hour's codes were verified at about the usual rate. Returns whether it did. */
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
