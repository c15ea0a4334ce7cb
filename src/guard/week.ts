/**
 * The rhythm of a country: how its verified codes spread over the hours of the week, in UTC. It is learned once for a
 * country, and multiplied with what is normal for each of its ranges: docs/decisions/0007-ranges.md, "The hour of the
 * week". Pure.
 */
import { spanSeconds, type Rhythm } from './ranges.ts';

export const hoursOfWeek = 168;
const hourMilliseconds = 3_600_000;

/** From 0, Sunday at midnight, on. */
export function hourOfWeek(at: Date): number {
  return 24 * at.getUTCDay() + at.getUTCHours();
}

/** The sums of a country's hours are kept like those of a range. */
export function hourName(country: string, hour: number): string {
  return `${country} ${hour}`;
}

export class Week {
  /** Verified codes by hour of the week, as fading sums. */
  #verified = new Float64Array(hoursOfWeek);
  #summedAt: number;
  /** What was counted and not yet taken, by hour of the week. */
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

  /** What was counted since the last time, by hour of the week. */
  takeChanges(): Map<number, number> {
    const taken = this.#changes;
    this.#changes = new Map();
    return taken;
  }

  /** Puts back what could not be written. */
  keepChanges(kept: ReadonlyMap<number, number>): void {
    for (const [hour, count] of kept) this.#changes.set(hour, (this.#changes.get(hour) ?? 0) + count);
  }

  /** The sums of all processes, without what this one has not yet written. */
  learn(verified: ReadonlyMap<number, number>, now: Date): void {
    for (let hour = 0; hour < hoursOfWeek; hour += 1) {
      this.#verified[hour] = (verified.get(hour) ?? 0) + (this.#changes.get(hour) ?? 0);
    }
    this.#summedAt = now.getTime();
    this.#rhythm = undefined;
  }

  /** `priorCodes` is how many codes of an even week each hour has before any are known. It is found anew each minute. */
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
      hour: fadingMean(shareOf, now, spanSeconds.hourSends),
      day: fadingMean(shareOf, now, spanSeconds.daySends),
    };
  }

  #fade(now: Date): void {
    const seconds = (now.getTime() - this.#summedAt) / 1000;
    // Within an hour the sums hardly change.
    if (seconds >= 0 && seconds < 3600) return;
    const left = Math.exp(-Math.max(0, seconds) / spanSeconds.normalVerified);
    for (let hour = 0; hour < hoursOfWeek; hour += 1) this.#verified[hour]! *= left;
    this.#summedAt = now.getTime();
  }
}

/** The mean over the week that ends now. Each hour has the weight that its events still have in a fading sum. */
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
