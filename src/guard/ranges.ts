/**
 * What is known of a range of numbers: how many codes it was sent, how many of them were verified, and what is normal
 * for it. Pure: docs/decisions/0007-ranges.md explains the figures.
 *
 * Counts fade with time instead of standing in windows: a count over an hour holds e^-1 of what was an hour ago. So two
 * processes can add their parts, and no moment exists at which a budget is suddenly full again.
 */
import type { PhoneNumber } from '../phone/phone-number.ts';

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
  /** Sends of a day that a range may have, at least, verified or not. */
  sends: ByLevel;
  /** The same, as a multiple of a normal day. */
  growth: number;
  /** The lowest share of verified codes that is taken for normal, in percent. */
  conversionPercent: number;
}

/** What is known of the sender. Each rank has a share that those before it do not reach. */
export type Rank = 'newcomer' | 'proven' | 'established';
const shareOfRank: Readonly<Record<Rank, number>> = { newcomer: 1, proven: 2, established: 3 };

const learnedDays = spanSeconds.normalSends / 86_400;
/** So many verified codes in the learned days make a range a proven one, if its conversion is not far below normal. */
const provenCount = 10;
const provenShare = 0.7;
/** Below this a range has no conversion of its own, and the country's is taken. */
const conversionCount = 50;
/** A country with so many verified codes in the learned days is known: the least budgets are for the time before. */
const knownCountryCount = 500;
const leastShareWhenKnown = 0.3;
/** A verified code explains a little more than it must, so that honest traffic does not drift to its limit. */
const tolerance = 0.95;
const maxShrinks = 3;
/** A range whose budget is used up is tried with so many unverified sends an hour: if they are verified, it is open. */
const trialSends = 1.5;
const trialShareOfHour = 0.1;
const hourMilliseconds = 3_600_000;
const dayMilliseconds = 86_400_000;

export function emptyState(at: number): RangeState {
  const zeros = Object.fromEntries(sums.map((sum) => [sum, 0])) as Sums;
  return { ...zeros, at, shrinks: 0, refusedAt: 0 };
}

/** A plus, the calling code and a digit. */
const shortestRange = 4;

/** The smallest range first. A short number has fewer of them. */
export function rangesOf({ key, country }: Pick<PhoneNumber, 'key' | 'country'>): Range[] {
  const nameAt = (level: RangeLevel) => (level === 'country' ? (country ?? 'unknown') : key.slice(0, -Number(level)));
  return rangeLevels
    .map((level) => ({ name: nameAt(level), level }))
    .filter(({ name, level }) => level === 'country' || name.length >= shortestRange);
}

/** Within a second nothing fades that anyone would notice. */
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

/** Normal sends of a day. Only verified codes count: what is never verified makes nothing normal. */
export function normalDay({ normalVerified }: RangeState, conversion: number): number {
  return normalVerified / learnedDays / conversion;
}

/** The share of codes that is normally verified: the range's own if it is known well enough, or the country's. */
export function normalConversion(state: RangeState, country: RangeState, limits: RangeLimits): number {
  const own = state.normalVerified >= conversionCount ? state : country;
  const least = limits.conversionPercent / 100;
  if (own.normalVerified < conversionCount) return least;
  return Math.min(1, Math.max(least, own.normalVerified / own.normalSends));
}

/** Enough codes were verified here lately for the range to answer for itself, instead of drawing on its country. */
export function isProven(state: RangeState, country: RangeState, limits: RangeLimits): boolean {
  if (state.normalVerified < provenCount) return false;
  return state.normalVerified >= provenShare * normalConversion(country, country, limits) * state.normalSends;
}

/** How many sends one verified code explains. */
export function explainedBy(conversion: number): number {
  return 1 / (tolerance * conversion);
}

export interface Objection {
  range: Range;
  waitSeconds: number;
  evidence: string;
}

export interface Question {
  range: Range;
  state: RangeState;
  /** The sums of the range's country. */
  country: RangeState;
  limits: RangeLimits;
  rank: Rank;
  /** Further sends that other processes may have made since the sums were read. */
  unseen: number;
  /** False for a country if a range of it has proved itself, and answers for its unverified sends. */
  answersForUnverified: boolean;
}

/** Why one more send would be too much for the range; undefined if it is not. The state must be up to date. */
export function objectTo(question: Question): Objection | undefined {
  const { range, state, country, limits, rank, unseen } = question;
  const conversion = normalConversion(state, country, limits);
  const normal = normalDay(state, conversion);
  const least = limits.unverified[range.level] * (country.normalVerified < knownCountryCount ? 1 : leastShareWhenKnown);
  // The budget that is halved is that of newcomers: the others keep theirs.
  const share = rank === 'newcomer' ? shareOfRank[rank] / 2 ** state.shrinks : shareOfRank[rank];
  const unverifiedLimit = share * Math.max(least, (limits.unverifiedPercent / 100) * normal);
  const sendLimit = shareOfRank[rank] * Math.max(limits.sends[range.level], limits.growth * normal);
  const trial = Math.max(trialSends, (trialShareOfHour * normal) / 24) - 1;
  const tried = hourUnverified(state, conversion);
  const waits = [
    // It ends when the budget has room, or when the range is tried again, whichever comes first.
    question.answersForUnverified
      ? Math.min(
          fadingSeconds(state.unverified + unseen, unverifiedLimit - 1, spanSeconds.unverified),
          fadingSeconds(tried, trial, spanSeconds.hourSends),
        )
      : 0,
    range.level === 'country' ? 0 : fadingSeconds(state.daySends + unseen, sendLimit - 1, spanSeconds.daySends),
  ];
  const wait = Math.max(...waits);
  if (wait === 0) return undefined;
  const waitSeconds = Math.min(86_400, Math.max(60, Math.ceil(wait)));
  return { range, waitSeconds, evidence: describe(range, state, normal, conversion) };
}

/** How long a sum needs until it has faded to a level; 0 if it is there. */
function fadingSeconds(sum: number, level: number, span: number): number {
  if (sum <= level) return 0;
  return level > 0 ? Math.log(sum / level) * span : 86_400;
}

function hourUnverified({ hourSends, hourVerified }: RangeState, conversion: number): number {
  return Math.max(0, hourSends - explainedBy(conversion) * hourVerified);
}

function describe(range: Range, state: RangeState, normal: number, conversion: number): string {
  const sent = Math.round(state.hourSends);
  const verified = state.hourSends < 0.5 ? 0 : Math.min(100, Math.round((100 * state.hourVerified) / state.hourSends));
  const name = range.level === 'country' ? `country ${range.name}` : `range ${range.name}`;
  const codes = sent === 1 ? '1 code' : `${sent} codes`;
  return `${name} was sent ${codes} in the last hour, normal ${round(normal / 24)}; ${verified} % verified, normal ${Math.round(100 * conversion)} %; ${Math.round(state.unverified)} unverified in the last day`;
}

const round = (value: number) => (value < 10 ? Number(value.toFixed(1)) : Math.round(value));

/** After a refusal the budget is halved, once an hour at most, and not for ever. */
export function noteRefusal(state: RangeState, now: number): void {
  const isRepeated = now - state.refusedAt < hourMilliseconds;
  if (isRepeated) return;
  state.shrinks = Math.min(maxShrinks, state.shrinks + 1);
  state.refusedAt = now;
}
