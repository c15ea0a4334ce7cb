/**
 * The ranges as one process knows them: what the database had at the last exchange, and what this process added since.
 * Every second the additions are written and the sums of all processes read, in one statement. Between two exchanges
 * each process assumes that the other processes send as much as it does.
 */
import { oneByOne } from '../../sharing/one-by-one.ts';
import {
  countryRangeName,
  emptyState,
  explainedBy,
  fade,
  isProven,
  normalConversion,
  noteRefusal,
  objectTo,
  rangesOf,
  recover,
  sums,
  type Destination,
  type Range,
  type RangeObjection,
  type RangeState,
  type Rank,
  type Rhythm,
  type Sums,
} from './ranges.ts';
import type { RangeLimits } from './range-limits.ts';
import { WeekBook, type ReadWeeks, type WeekCounts } from './week-book.ts';
import { hourName } from './week.ts';

interface RangeRefusal {
  at: Date;
  /** The latest refusal that all processes knew of. If there is a later one by now, this refusal is ignored. */
  since: Date | null;
  shrinks: number;
  limitedUntil: Date;
}

/** What a process adds to a range. */
export interface RangeChange extends Sums {
  name: string;
  /** Undefined if no send was refused. */
  refusal: RangeRefusal | undefined;
}

export interface RangeSums {
  /** Adds the counts of this process, and returns the sums of all processes. */
  exchange(changes: RangeChange[], now: Date): Promise<Map<string, RangeState>>;
  /** The verified codes of countries by hour of the week, of all processes. */
  readWeeks: ReadWeeks;
}

interface Entry {
  state: RangeState;
  /** The latest refusal that all processes know of, in milliseconds; 0 if there is none. */
  knownRefusal: number;
  change: RangeChange | undefined;
}

interface JudgedRange {
  range: Range;
  entry: Entry;
  /** Whether the unverified sends of the number count for this range. */
  countsUnverified: boolean;
}

/** The sender, and what is normal for the country. */
interface SendContext {
  country: Entry;
  rhythm: Rhythm;
  rank: Rank;
}

export interface RangeVerdict {
  /** The first objection to a newcomer; undefined if there is none. */
  objection: RangeObjection | undefined;
  /** Whether a likely sender may still send. */
  isOpenToLikely: boolean;
  /** Whether a newcomer with a proof may still send. */
  isOpenToProven: boolean;
  /** Whether an established user may still send. */
  isOpenToEstablished: boolean;
  /** Removes the send from the counts again. */
  giveBack(): void;
}

/** Ranges in memory. Above this limit the oldest is removed, which loses at most the counts of one second. */
const entryLimit = 50_000;

export class RangeBook {
  readonly #limits: RangeLimits;
  readonly #siblings: number;
  readonly #sums: RangeSums;
  readonly #entries = new Map<string, Entry>();
  readonly #weeks: WeekBook;

  constructor(limits: RangeLimits, processes: number, sums: RangeSums) {
    this.#limits = limits;
    this.#siblings = processes - 1;
    this.#sums = sums;
    this.#weeks = new WeekBook(sums.readWeeks, limits.hourCodes);
  }

  /** For a sandbox that was emptied, or whose clock was put back. */
  forget(): void {
    this.#entries.clear();
    this.#weeks.forget();
  }

  /** For a range that was lifted. Other processes learn it with their next exchange about that range. */
  forgetRange(name: string): void {
    this.#entries.delete(name);
  }

  /** Judges one more send, and counts it immediately. */
  judge(phoneNumber: Destination, now: Date): RangeVerdict {
    const { ranges, country } = this.#rangesOf(phoneNumber, now);
    const rhythm = this.#weeks.rhythmOf(countryRangeName(phoneNumber), now);
    const objectionTo = (rank: Rank) => {
      for (const judged of ranges) {
        const found = this.#objectionOf(judged, { country, rhythm, rank });
        if (found) return found;
      }
      return undefined;
    };
    const objection = objectionTo('newcomer');
    if (objection) this.#noteObjection(objection, now);
    const isOpenTo = (rank: Rank) => objection === undefined || objectionTo(rank) === undefined;
    const open = {
      isOpenToLikely: isOpenTo('likely'),
      isOpenToProven: isOpenTo('proven'),
      isOpenToEstablished: isOpenTo('established'),
    };
    this.#add(ranges, 1, now);
    return { objection, ...open, giveBack: () => this.#add(ranges, -1, now) };
  }

  #objectionOf(
    { range, entry, countsUnverified }: JudgedRange,
    { country, rhythm, rank }: SendContext,
  ): RangeObjection | undefined {
    return objectTo({
      range,
      state: entry.state,
      country: country.state,
      rhythm,
      limits: this.#limits,
      rank,
      countsUnverified,
      unseen: this.#siblings * Math.max(0, entry.change?.unverified ?? 0),
    });
  }

  /** Counts a verified code. */
  noteVerified(phoneNumber: Destination, now: Date): void {
    const { ranges, country } = this.#rangesOf(phoneNumber, now);
    this.#weeks.noteVerified(countryRangeName(phoneNumber), now);
    for (const { range, entry, countsUnverified } of ranges) {
      const conversion = normalConversion(entry.state, country.state, this.#limits);
      change(entry, range, {
        hourVerified: 1,
        normalVerified: 1,
        unverified: countsUnverified ? -explainedBy(conversion, this.#limits) : 0,
      });
      if (recover(entry.state, conversion, this.#limits)) noteLimit(entry, range, now);
    }
  }

  /** Counts what a gateway reported about a text. */
  noteReceipt(phoneNumber: Destination, state: 'delivered' | 'failed', now: Date): void {
    const { ranges } = this.#rangesOf(phoneNumber, now);
    for (const { range, entry } of ranges) change(entry, range, { [state]: 1 });
  }

  /** Rejects if the ranges cannot be exchanged. The changes are kept for the next time. */
  readonly exchange = oneByOne((now: Date) => this.#exchangeAll(now));

  async #exchangeAll(now: Date): Promise<void> {
    const sent = new Map<string, RangeChange>();
    for (const [name, entry] of this.#entries) {
      if (!entry.change) continue;
      sent.set(name, entry.change);
      entry.change = undefined;
    }
    if (sent.size === 0) return;
    const ofWeeks = this.#weeks.takeChanges();
    let known: Map<string, RangeState>;
    try {
      known = await this.#sums.exchange([...sent.values(), ...changesOfWeeks(ofWeeks)], now);
    } catch (error) {
      for (const [name, kept] of sent) this.#keep(name, kept);
      this.#weeks.keepChanges(ofWeeks);
      throw error;
    }
    for (const [name, state] of known) this.#learn(name, state);
    await this.#weeks.refresh(now);
  }

  /** Keeps a change that could not be written. */
  #keep(name: string, kept: RangeChange): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    const later = entry.change;
    entry.change = kept;
    if (later) addSums(entry.change, later);
    if (later?.refusal) entry.change.refusal = later.refusal;
  }

  #learn(name: string, state: RangeState): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    entry.state = state;
    entry.knownRefusal = state.refusedAt;
    // The additions that were made during the exchange.
    if (entry.change) addSums(entry.state, entry.change);
  }

  /**
   * The ranges of a number, brought up to date. If one of them is proven, the unverified sends of the number do not
   * count for its country; otherwise they count for the country too.
   */
  #rangesOf(phoneNumber: Destination, now: Date) {
    const all = rangesOf(phoneNumber).map((range) => ({ range, entry: this.#current(range, now) }));
    const country = all.at(-1)!.entry;
    const hasProvenRange = all.some(
      ({ range, entry }) => range.level !== 'country' && isProven(entry.state, country.state, this.#limits),
    );
    const ranges = all.map(({ range, entry }) => ({
      range,
      entry,
      countsUnverified: range.level !== 'country' || !hasProvenRange,
    }));
    return { ranges, country };
  }

  #current({ name }: Range, now: Date): Entry {
    let entry = this.#entries.get(name);
    if (!entry) {
      entry = { state: emptyState(now.getTime()), knownRefusal: 0, change: undefined };
      this.#entries.set(name, entry);
      if (this.#entries.size > entryLimit) this.#entries.delete(this.#entries.keys().next().value!);
    }
    fade(entry.state, now.getTime());
    return entry;
  }

  #add(judged: readonly JudgedRange[], count: 1 | -1, now: Date): void {
    for (const { range, entry, countsUnverified } of judged) {
      fade(entry.state, Math.max(now.getTime(), entry.state.at));
      const unverified = countsUnverified ? count : 0;
      change(entry, range, { hourSends: count, daySends: count, normalSends: count, unverified });
    }
  }

  #noteObjection({ range, waitSeconds }: RangeObjection, now: Date): void {
    const entry = this.#entries.get(range.name);
    if (!entry) return;
    noteRefusal(entry.state, this.#limits, now.getTime());
    noteLimit(entry, range, new Date(now.getTime() + 1000 * waitSeconds));
  }
}

/** Stores how often the budget was halved, and until when a send like the last one would be refused. */
function noteLimit(entry: Entry, range: Range, limitedUntil: Date): void {
  const { shrinks, refusedAt } = entry.state;
  const since = entry.knownRefusal === 0 ? null : new Date(entry.knownRefusal);
  change(entry, range, {}).refusal = { at: new Date(refusedAt), since, shrinks, limitedUntil };
}

function noChange(name: string): RangeChange {
  return { ...(Object.fromEntries(sums.map((sum) => [sum, 0])) as Sums), name, refusal: undefined };
}

/** The hours of a country's week are stored like ranges, but only their verified codes are counted. */
function changesOfWeeks(weeks: WeekCounts): RangeChange[] {
  return [...weeks].flatMap(([country, hours]) =>
    [...hours].map(([hour, normalVerified]) => ({ ...noChange(hourName(country, hour)), normalVerified })),
  );
}

function change(entry: Entry, { name }: Range, added: Partial<Sums>): RangeChange {
  entry.change ??= noChange(name);
  for (const sum of sums) {
    const value = added[sum];
    if (value === undefined) continue;
    entry.change[sum] += value;
    entry.state[sum] = Math.max(0, entry.state[sum] + value);
  }
  return entry.change;
}

function addSums(to: Sums, added: Partial<Sums>): void {
  for (const sum of sums) to[sum] += added[sum] ?? 0;
}
