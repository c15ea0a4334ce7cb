/**
 * The rhythm of a country: how its verified codes spread over the hours of the week, in UTC. It is learned for the
 * whole country, and multiplied with what is normal for each of its ranges: docs/decisions/0007-ranges.md, "The hour of
 * the week". Pure functions.
 */
import { sumSpanSeconds, type Rhythm } from './ranges.ts';

export const hoursOfWeek = 168;
const hourMilliseconds = 3_600_000;

/** 0 is the hour that starts on Sunday at midnight. */
export function hourOfWeek(at: Date): number {
  return 24 * at.getUTCDay() + at.getUTCHours();
}

/** The sums of a country's hours are stored like those of a range. */
export function hourName(country: string, hour: number): string {
  return `${country} ${hour}`;
}

export class Week {
  /** Verified codes by hour of the week, as fading sums. */
  #verified = new Float64Array(hoursOfWeek);
  #summedAt: number;
  /** Counts that were not taken yet, by hour of the week. */
  #changes = new Map<number, number>();
  #rhythm: { minute: number; value: Rhythm } | undefined;

  constructor(now: Date) {
    this.#summedAt = now.getTime();
  }

  noteVerified(now: Date): void {
    this.#fade(now);
    this.#add(hourOfWeek(now), 1);
  }

  #add(hour: number, count: number): void {
    this.#verified[hour]! += count;
    this.#changes.set(hour, (this.#changes.get(hour) ?? 0) + count);
  }

  /** Returns the counts since the last call, by hour of the week. */
  takeChanges(): Map<number, number> {
    const taken = this.#changes;
    this.#changes = new Map();
    return taken;
  }

  /** Adds counts again that could not be written. */
  keepChanges(kept: ReadonlyMap<number, number>): void {
    for (const [hour, count] of kept) this.#changes.set(hour, (this.#changes.get(hour) ?? 0) + count);
  }

  /** Sets the sums of all processes. They do not contain what this process has not written yet. */
  learn(verified: ReadonlyMap<number, number>, now: Date): void {
    for (let hour = 0; hour < hoursOfWeek; hour += 1) {
      this.#verified[hour] = (verified.get(hour) ?? 0) + (this.#changes.get(hour) ?? 0);
    }
    this.#summedAt = now.getTime();
    this.#rhythm = undefined;
  }

  /**
   * `priorCodes` is the number of codes assumed for each hour before any are known. The rhythm is computed once a
   * minute.
   */
  rhythmAt(now: Date, priorCodes: number): Rhythm {
    const minute = Math.floor(now.getTime() / 60_000);
    if (this.#rhythm?.minute !== minute) {
      this.#fade(now);
      this.#rhythm = { minute, value: this.#findRhythm(now, priorCodes) };
    }
    return this.#rhythm.value;
  }

  #findRhythm(now: Date, priorCodes: number): Rhythm {
    const mean = this.#verified.reduce((sum, count) => sum + count, 0) / hoursOfWeek;
    const shareOf = (hour: number) => (this.#verified[hour]! + priorCodes) / (mean + priorCodes);
    return {
      hour: fadingMean(shareOf, now, sumSpanSeconds.hourSends),
      day: fadingMean(shareOf, now, sumSpanSeconds.daySends),
    };
  }

  #fade(now: Date): void {
    const seconds = (now.getTime() - this.#summedAt) / 1000;
    // Within an hour the sums hardly change.
    if (seconds >= 0 && seconds < 3600) return;
    const left = Math.exp(-Math.max(0, seconds) / sumSpanSeconds.normalVerified);
    for (let hour = 0; hour < hoursOfWeek; hour += 1) this.#verified[hour]! *= left;
    this.#summedAt = now.getTime();
  }
}

/** The mean over the week that ends now. Each hour is weighted as its events are in a fading sum. */
function fadingMean(shareOf: (hour: number) => number, now: Date, span: number): number {
  const spanHours = span / 3600;
  const current = hourOfWeek(now);
  let since = 0;
  let until = (now.getTime() % hourMilliseconds) / hourMilliseconds;
  let mean = 0;
  let weight = 0;
  for (let age = 0; age < hoursOfWeek; age += 1) {
    const left = Math.exp(-since / spanHours) - Math.exp(-until / spanHours);
    mean += left * shareOf((current - age + hoursOfWeek) % hoursOfWeek);
    weight += left;
    since = until;
    until += 1;
  }
  return mean / weight;
}
