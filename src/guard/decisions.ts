/** What rules refused or would have, gathered off the request's path and written some at a time. */
import type { RuleName } from './rules.ts';

export interface Decision {
  at: Date;
  rule: RuleName;
  action: 'refused' | 'shadow';
  operation: 'send-code' | 'verify-phone';
  userId: number;
  /** Masked. */
  phone: string | undefined;
  phoneKey: Buffer | undefined;
  country: string | undefined;
  /** The address or the token's person, where it counts. */
  source: string | undefined;
}

export interface DecisionTotal {
  rule: RuleName;
  action: Decision['action'];
  hour: Date;
  decisions: number;
}

/** Between two flushes so many are kept one by one; the rest only count. */
export const mostDecisions = 100;

const hourMilliseconds = 3_600_000;

export class DecisionLog {
  readonly #write: (decisions: Decision[], totals: DecisionTotal[]) => Promise<void>;
  #decisions: Decision[] = [];
  #totals = new Map<string, DecisionTotal>();
  #writing: Promise<void> = Promise.resolve();

  constructor(write: (decisions: Decision[], totals: DecisionTotal[]) => Promise<void>) {
    this.#write = write;
  }

  note(decision: Decision): void {
    const { rule, action, at } = decision;
    const hour = Math.floor(at.getTime() / hourMilliseconds);
    const key = `${rule} ${action} ${hour}`;
    const total = this.#totals.get(key);
    if (total) total.decisions += 1;
    else this.#totals.set(key, { rule, action, hour: new Date(hour * hourMilliseconds), decisions: 1 });
    if (this.#decisions.length < mostDecisions) this.#decisions.push(decision);
  }

  /** What cannot be written now is written later. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#totals.size === 0) return;
    const [decisions, totals] = [this.#decisions, this.#totals];
    this.#decisions = [];
    this.#totals = new Map();
    this.#writing = this.#write(decisions, [...totals.values()]).catch(() => {
      this.#decisions = [...decisions, ...this.#decisions].slice(0, mostDecisions);
      for (const [key, total] of totals) {
        const since = this.#totals.get(key);
        if (since) since.decisions += total.decisions;
        else this.#totals.set(key, total);
      }
    });
    await this.#writing;
  }
}
