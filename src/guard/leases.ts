/**
 * What this process holds of the shared budgets. A lease has been counted in the database already: what is
 * taken from it here can never pass a cap, and what is left when its window ends is lost.
 */
import type { Need } from './rules.ts';

interface Lease {
  left: number;
  from: number;
  until: number;
  /** Nobody asks again before this moment, and what was refused is refused until that one. */
  deniedUntil: number;
  retryAt: number;
  /** A reservation under way that will bring more. */
  coming: Promise<void> | undefined;
}

export interface Grant {
  units: number;
  until: Date;
}

export interface Taken {
  /** Drawn from what was held. */
  held: Need[];
  /** To be leased by the reservation. */
  wanted: Need[];
  /** Refused a moment ago. */
  denied: { need: Need; until: Date }[];
  /** To be called with what the database granted, or with nothing when the reservation failed. */
  settle(grants: ReadonlyMap<string, Grant>, denials: ReadonlyMap<string, Date>, used: boolean): void;
}

const mostLeases = 50_000;
/** A denial is believed so long without asking: an operator's hand takes effect within seconds. */
const denialMilliseconds = 2000;

export class LeaseBook {
  readonly #leases = new Map<string, Lease>();

  /** For a sandbox that was emptied, or whose clock was put back. */
  forget(): void {
    for (const lease of this.#leases.values()) {
      lease.left = 0;
      lease.deniedUntil = 0;
    }
  }

  async take(needs: readonly Need[], clock: () => Date): Promise<Taken> {
    // One reservation at a time brings more of a budget; the others wait for it rather than lease blocks too.
    for (;;) {
      const now = clock().getTime();
      const coming = needs.map((need) => this.#waitFor(need, now)).find((wait) => wait !== undefined);
      if (!coming) return this.#takeNow(needs, now);
      await coming;
    }
  }

  #waitFor({ name, units }: Need, now: number): Promise<void> | undefined {
    const lease = this.#current(name, now);
    return lease && lease.left < units && lease.deniedUntil <= now ? lease.coming : undefined;
  }

  /** A lease whose window has passed, or lies ahead of a clock that was put back, holds nothing. */
  #current(name: string, now: number): Lease | undefined {
    const lease = this.#leases.get(name);
    if (!lease) return undefined;
    if (now >= lease.until || now < lease.from) lease.left = 0;
    if (now >= lease.retryAt || now < lease.retryAt - denialMilliseconds) lease.deniedUntil = 0;
    return lease;
  }

  #takeNow(needs: readonly Need[], now: number): Taken {
    const held: Need[] = [];
    const wanted: Need[] = [];
    const denied: Taken['denied'] = [];
    const arrivals: (() => void)[] = [];
    for (const need of needs) {
      const lease = this.#current(need.name, now) ?? this.#open(need.name);
      if (lease.left >= need.units) {
        lease.left -= need.units;
        held.push(need);
      } else if (lease.deniedUntil > now) {
        denied.push({ need, until: new Date(lease.deniedUntil) });
      } else {
        wanted.push(need);
        lease.coming = new Promise<void>((resolve) => arrivals.push(resolve)).then(() => {
          lease.coming = undefined;
        });
      }
    }
    return {
      held,
      wanted,
      denied,
      settle: (grants, denials, used) => {
        for (const need of wanted) this.#settle(need, now, grants.get(need.name), denials.get(need.name), used);
        if (!used) for (const need of held) (this.#leases.get(need.name) ?? this.#open(need.name)).left += need.units;
        for (const arrive of arrivals) arrive();
      },
    };
  }

  #settle({ name, units }: Need, now: number, grant: Grant | undefined, denial: Date | undefined, used: boolean): void {
    const lease = this.#leases.get(name) ?? this.#open(name);
    if (grant && grant.units > 0) {
      lease.left += grant.units - (used ? units : 0);
      if (lease.left < 0) lease.left = 0;
      lease.from = now;
      lease.until = grant.until.getTime();
    }
    if (denial) {
      lease.deniedUntil = denial.getTime();
      lease.retryAt = now + denialMilliseconds;
    }
  }

  /** Names come with whatever number anybody asks for, so only one that holds nothing for anyone may go. */
  #evict(): void {
    for (const [name, { left, coming }] of this.#leases) {
      if (left > 0 || coming) continue;
      this.#leases.delete(name);
      return;
    }
  }

  #open(name: string): Lease {
    if (this.#leases.size >= mostLeases) this.#evict();
    const lease: Lease = { left: 0, from: 0, until: 0, deniedUntil: 0, retryAt: 0, coming: undefined };
    this.#leases.set(name, lease);
    return lease;
  }
}
