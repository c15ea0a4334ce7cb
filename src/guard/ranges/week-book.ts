/**
 * The weeks of countries as one process knows them: what the database had when it was last asked, and what this process
 * counted since.
 */
import type { Rhythm } from './ranges.ts';
import { Week } from './week.ts';

/** Verified codes by country and hour of the week. */
export type WeekCounts = Map<string, ReadonlyMap<number, number>>;
export type ReadWeeks = (countries: string[], now: Date) => Promise<WeekCounts>;

/** How often the weeks are read. A rhythm changes slowly, since it is learned over weeks. */
const readingMilliseconds = 600_000;

interface WeekEntry {
  week: Week;
  /** When it was last read, in milliseconds; undefined if never. */
  readAt: number | undefined;
}

export class WeekBook {
  readonly #read: ReadWeeks;
  readonly #hourCodes: number;
  readonly #entries = new Map<string, WeekEntry>();

  constructor(read: ReadWeeks, hourCodes: number) {
    this.#read = read;
    this.#hourCodes = hourCodes;
  }

  rhythmOf(country: string, now: Date): Rhythm {
    return this.#of(country, now).week.rhythmAt(now, this.#hourCodes);
  }

  noteVerified(country: string, now: Date): void {
    this.#of(country, now).week.noteVerified(now);
  }

  takeChanges(): WeekCounts {
    const changes: WeekCounts = new Map();
    for (const [country, { week }] of this.#entries) {
      const taken = week.takeChanges();
      if (taken.size > 0) changes.set(country, taken);
    }
    return changes;
  }

  /** Keeps changes that could not be written. */
  keepChanges(changes: WeekCounts): void {
    for (const [country, kept] of changes) this.#entries.get(country)?.week.keepChanges(kept);
  }

  /** Reads the weeks that are not known yet, or were read long ago. Rejects if they cannot be read. */
  async refresh(now: Date): Promise<void> {
    const due = [...this.#entries].filter(([, { readAt }]) => isDue(readAt, now)).map(([country]) => country);
    if (due.length === 0) return;
    const known = await this.#read(due, now);
    for (const country of due) {
      const entry = this.#entries.get(country);
      if (!entry) continue;
      entry.week.learn(known.get(country) ?? new Map(), now);
      entry.readAt = now.getTime();
    }
  }

  forget(): void {
    this.#entries.clear();
  }

  #of(country: string, now: Date): WeekEntry {
    let entry = this.#entries.get(country);
    if (!entry) {
      entry = { week: new Week(now), readAt: undefined };
      this.#entries.set(country, entry);
    }
    return entry;
  }
}

/** Also true after the clock was put back. */
function isDue(readAt: number | undefined, now: Date): boolean {
  return readAt === undefined || Math.abs(now.getTime() - readAt) >= readingMilliseconds;
}
