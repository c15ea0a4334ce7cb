/** What rules refused, or would have refused: collected in memory, and written in batches outside the request. */
import { oneByOne } from '../sharing/one-by-one.ts';
import type { Evidence } from './evidence.ts';
import type { RuleName } from './rules.ts';

/** The operations that rules refuse. */
export const decidedOperations = [
  'send-code',
  'verify-phone',
  'change-phone',
  'verify-change',
  'create-confirmation',
  'check-confirmation',
] as const;

export interface Decision {
  at: Date;
  rule: RuleName;
  action: 'refused' | 'shadow';
  operation: (typeof decidedOperations)[number];
  userId: number;
  maskedPhone: string | undefined;
  phoneKey: Buffer | undefined;
  country: string | undefined;
  /** The address, or the subject of the token, that the call is counted against. */
  source: string | undefined;
  /** What the rule saw; undefined if the name of the rule is enough. */
  evidence?: Evidence | undefined;
}

export interface DecisionTotal {
  rule: RuleName;
  action: Decision['action'];
  hour: Date;
  decisions: number;
}

/**
 * Maximum number of single decisions that are kept between two flushes. Further ones are only counted in the totals.
 */
const decisionLimit = 100;

const hourMilliseconds = 3_600_000;

export class DecisionLog {
  readonly #write: (decisions: Decision[], totals: DecisionTotal[]) => Promise<void>;
  readonly #writeEvent: (decision: Decision) => Promise<void>;
  #decisions: Decision[] = [];
  #totals = new Map<string, DecisionTotal>();

  constructor(
    write: (decisions: Decision[], totals: DecisionTotal[]) => Promise<void>,
    writeEvent: (decision: Decision) => Promise<void>,
  ) {
    this.#write = write;
    this.#writeEvent = writeEvent;
  }

  /** Resolves when the event of the decision is written, if it has one. */
  note(decision: Decision): Promise<void> {
    const { rule, action, at } = decision;
    const hour = new Date(Math.floor(at.getTime() / hourMilliseconds) * hourMilliseconds);
    this.#count({ rule, action, hour, decisions: 1 });
    if (this.#decisions.length < decisionLimit) this.#decisions.push(decision);
    return this.#writeEvent(decision);
  }

  #count(total: DecisionTotal): void {
    const key = `${total.rule} ${total.action} ${total.hour.getTime()}`;
    const known = this.#totals.get(key);
    if (known) known.decisions += total.decisions;
    else this.#totals.set(key, { ...total });
  }

  /** Rejects if the decisions cannot be written. They are kept, and written by the next flush that succeeds. */
  readonly flush = oneByOne(() => this.#writeAll());

  async #writeAll(): Promise<void> {
    if (this.#totals.size === 0) return;
    const [decisions, totals] = [this.#decisions, [...this.#totals.values()]];
    this.#decisions = [];
    this.#totals = new Map();
    try {
      await this.#write(decisions, totals);
    } catch (error) {
      this.#decisions = [...decisions, ...this.#decisions].slice(0, decisionLimit);
      for (const total of totals) this.#count(total);
      throw error;
    }
  }
}
