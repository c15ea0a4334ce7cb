/**
 * The order in which gateways are tried, for each country. A job refreshes it from the outcomes of recent messages; the
 * rule is `decideOrder` in decide-gateway-order.ts.
 */
import { secondsAfter, type Clock } from '../values/clock.ts';
import type { Observe } from '../monitoring/observe.ts';
import { decideOrder, type OrderDecision, type OrderLimits } from './decide-gateway-order.ts';
import type { TrailStore } from './trail.store.ts';

/** When the order follows what became of recent messages. */
export const adaptiveOrder = {
  /** Messages that are compared, and so how long a gateway stays behind the others. */
  windowSeconds: 6 * 3600,
  /** With fewer messages to a country, chance decides. */
  minMessages: 50,
  /** A gateway is tried later if another one is better by more than this many percentage points. */
  marginPercent: 15,
  /** A gateway below this percentage is tried later, even if nothing is known about the others. */
  floorPercent: 30,
};

export interface GatewayOrderOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
  gateways: readonly string[];
  byCountry: ReadonlyMap<string, readonly string[]>;
  /** Whether two gateways serve the same channel. */
  areRivals?: (one: string, other: string) => boolean;
  /** Undefined if the configured order is fixed. */
  limits: (OrderLimits & { windowSeconds: number }) | undefined;
  /** A younger message may still be delivered and used. */
  settleSeconds: number;
}

export interface OrderState {
  country: string | null;
  order: readonly string[];
  reasons: readonly string[];
  since: Date;
}

export type GatewayOrder = ReturnType<typeof createGatewayOrder>;

export function createGatewayOrder(options: GatewayOrderOptions) {
  const { store, clock, observe, byCountry, limits } = options;
  const changed = new Map<string, OrderState>();

  const configuredFor = (country: string) => byCountry.get(country) ?? options.gateways;

  async function refresh(): Promise<void> {
    if (!limits) return;
    const now = clock.now();
    const until = secondsAfter(now, -Math.min(options.settleSeconds, limits.windowSeconds / 2));
    const figures = await store.countOutcomes(secondsAfter(now, -limits.windowSeconds), until);
    const countries = new Set([...figures.map(({ country }) => country), ...changed.keys()]);
    for (const country of countries) {
      const own = figures.filter((each) => each.country === country);
      apply(country, decideOrder(configuredFor(country), own, limits, options.areRivals), now);
    }
  }

  function apply(country: string, { order, reasons }: OrderDecision, now: Date): void {
    const before = changed.get(country);
    if (order.join() === (before?.order ?? configuredFor(country)).join()) {
      // The figures in the reasons change although the order does not.
      if (before) changed.set(country, { ...before, reasons });
      return;
    }
    if (reasons.length > 0) changed.set(country, { country: country || null, order, reasons, since: now });
    else changed.delete(country);
    const reason = reasons.length > 0 ? reasons.join('; ') : 'as configured again';
    observe({ kind: 'gateway-order', country: country || 'none', order: order.join(' '), reason });
  }

  return {
    orderFor: (country: string | undefined): readonly string[] =>
      changed.get(country ?? '')?.order ?? configuredFor(country ?? ''),
    refresh,
    /** The orders that differ from the configured ones, and why. */
    changes: (): OrderState[] => [...changed.values()],
  };
}
