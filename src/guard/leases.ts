/**
 * The leases of this process on the shared budgets. The units of a lease are already counted in the database: so using
 * them here can never exceed a cap. Units that are not used soon are given back. Those that a killed process had in
 * memory stay counted, since nobody knows how many of them it used: so a block is only as large as the process needs for
 * a moment.
 */
import type { BudgetNeed } from './destination.ts';

interface Lease {
  unitsLeft: number;
  /** The units that were leased together last. */
  block: number;
  from: number;
  /** When a unit was last taken. */
  usedAt: number;
  until: number;
  /** The database refused more units until this time. */
  deniedUntil: number;
  /** The database is not asked again before this time. */
  retryAt: number;
  /** A reservation in progress that will lease more units. */
  pending: Promise<void> | undefined;
}

export interface Grant {
  units: number;
  until: Date;
}

/** Units of a lease that are to be given back to the database. */
export interface UnusedUnits {
  name: string;
  /** The budget's day, such as 2026-01-31. */
  day: string;
  units: number;
}

/** A need that the reservation leases, with the number of units that it asks for. */
export type WantedBudget = BudgetNeed & { block: number };

/** What became of a reservation. */
export interface Settlement {
  /** The units that the database granted, and what it refused until when. */
  grants: ReadonlyMap<string, Grant>;
  denials: ReadonlyMap<string, Date>;
  /** Whether the budgets were used. If not, covered units are given back. */
  isUsed: boolean;
}

export interface TakenBudgets {
  /** Needs that the leases of this process cover. */
  covered: BudgetNeed[];
  /** To be leased by the reservation. */
  wanted: WantedBudget[];
  /** Refused a moment ago. */
  denied: { need: BudgetNeed; until: Date }[];
}

interface Taking {
  taken: TakenBudgets;
  settle(settlement: Settlement): void;
}

const noLease: Lease = {
  unitsLeft: 0,
  block: 0,
  from: 0,
  usedAt: 0,
  until: 0,
  deniedUntil: 0,
  retryAt: 0,
  pending: undefined,
};

const unused: Settlement = { grants: new Map(), denials: new Map(), isUsed: false };

/** How long a denial is used without asking the database again: changes by an operator take effect within seconds. */
const denialMilliseconds = 2000;

/**
 * A block is meant to last this long. A budget that is used a few times a second is then leased for each send, which
 * costs nothing more, since the reservation is a statement anyway; a hundred sends a second make four leases.
 */
const blockMilliseconds = 250;
/** A process that did not use a budget for this long gives its units back. */
export const idleLeaseMilliseconds = 5000;

export class LeaseBook {
  /** By the names of the budgets: there are a few for each country and channel. */
  readonly #leases = new Map<string, Lease>();

  /** For a sandbox that was emptied, or whose clock was put back. */
  forget(): void {
    for (const lease of this.#leases.values()) {
      lease.unitsLeft = 0;
      lease.deniedUntil = 0;
    }
  }

  /** Takes out the units that were not used for so long; 0 for all. They must be given back to the database. */
  takeUnused(now: Date, idleMilliseconds: number): UnusedUnits[] {
    const at = now.getTime();
    return [...this.#leases].flatMap(([name, lease]) => {
      const isIdle = at - lease.usedAt >= idleMilliseconds || at < lease.usedAt;
      if (!isIdle || lease.pending || lease.unitsLeft === 0 || hasEnded(lease, at)) return [];
      const units = lease.unitsLeft;
      lease.unitsLeft = 0;
      return [{ name, units, day: new Date(lease.until - 1).toISOString().slice(0, 10) }];
    });
  }

  /**
   * Takes budgets for a reservation, and settles them when it ends, also if it fails: other reservations wait for it.
   * The reservation reports its outcome before it ends.
   */
  async reserve<T>(
    needs: readonly BudgetNeed[],
    clock: () => Date,
    reservation: (taken: TakenBudgets, report: (outcome: Settlement) => void) => Promise<T>,
  ): Promise<T> {
    const { taken, settle } = await this.#take(needs, clock);
    let settlement = unused;
    try {
      return await reservation(taken, (outcome) => (settlement = outcome));
    } finally {
      settle(settlement);
    }
  }

  async #take(needs: readonly BudgetNeed[], clock: () => Date): Promise<Taking> {
    // Only one reservation at a time leases more of a budget; the others wait for it, so that they do not lease blocks
    // too.
    for (;;) {
      const now = clock().getTime();
      const pending = needs.map((need) => this.#waitFor(need, now)).find((wait) => wait !== undefined);
      if (!pending) return this.#takeNow(needs, now);
      await pending;
    }
  }

  #waitFor({ name, units }: BudgetNeed, now: number): Promise<void> | undefined {
    const lease = this.#current(name, now);
    return lease.unitsLeft < units && lease.deniedUntil <= now ? lease.pending : undefined;
  }

  #current(name: string, now: number): Lease {
    const lease = this.#leases.get(name) ?? { ...noLease };
    this.#leases.set(name, lease);
    if (hasEnded(lease, now)) lease.unitsLeft = 0;
    if (!isDenialFresh(lease, now)) lease.deniedUntil = 0;
    return lease;
  }

  #takeNow(needs: readonly BudgetNeed[], now: number): Taking {
    const covered: BudgetNeed[] = [];
    const wanted: WantedBudget[] = [];
    const denied: TakenBudgets['denied'] = [];
    const arrivals: (() => void)[] = [];
    for (const need of needs) {
      const lease = this.#current(need.name, now);
      if (lease.unitsLeft >= need.units) {
        lease.unitsLeft -= need.units;
        lease.usedAt = now;
        covered.push(need);
      } else if (lease.deniedUntil > now) {
        denied.push({ need, until: new Date(lease.deniedUntil) });
      } else {
        wanted.push({ block: nextBlock(lease, need, now), ...need });
        lease.pending = new Promise<void>((resolve) => arrivals.push(resolve)).then(() => {
          lease.pending = undefined;
        });
      }
    }
    return {
      taken: { covered, wanted, denied },
      settle: (settlement) => {
        for (const need of wanted) this.#settle(need, now, settlement);
        if (!settlement.isUsed) for (const { name, units } of covered) this.#leases.get(name)!.unitsLeft += units;
        for (const arrive of arrivals) arrive();
      },
    };
  }

  #settle({ name, units }: BudgetNeed, now: number, { grants, denials, isUsed }: Settlement): void {
    const lease = this.#leases.get(name)!;
    const grant = grants.get(name);
    const denial = denials.get(name);
    if (grant && grant.units > 0) {
      lease.unitsLeft = Math.max(0, lease.unitsLeft + grant.units - (isUsed ? units : 0));
      lease.block = grant.units;
      lease.from = now;
      lease.usedAt = now;
      lease.until = grant.until.getTime();
    }
    if (denial) {
      lease.deniedUntil = denial.getTime();
      lease.retryAt = now + denialMilliseconds;
    }
  }
}

/** As many units as the last block suggests for the next moment, at most twice as many as the last time. */
function nextBlock(lease: Lease, { units, largestBlock }: BudgetNeed, now: number): number {
  const used = lease.block - lease.unitsLeft;
  const perMoment = Math.floor((used * blockMilliseconds) / Math.max(1, now - lease.from));
  return Math.min(largestBlock, Math.max(units, Math.min(perMoment, 2 * lease.block)));
}

/** Its window has ended, or is in the future because the clock was put back. */
function hasEnded({ from, until }: Lease, now: number): boolean {
  return now >= until || now < from;
}

function isDenialFresh({ retryAt }: Lease, now: number): boolean {
  return now < retryAt && now >= retryAt - denialMilliseconds;
}
