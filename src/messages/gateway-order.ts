/** Looks regularly at what came of the messages, and keeps the order of gateways for each country. */
import { secondsAfter, type Clock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import { decideOrder, type OrderBounds } from '../sms/order.ts';
import type { TrailStore } from './trail.store.ts';

export interface GatewayOrderOptions {
  store: TrailStore;
  clock: Clock;
  observe: Observe;
  gateways: readonly string[];
  byCountry: ReadonlyMap<string, readonly string[]>;
  /** Undefined where the configured order always holds. */
  bounds: (OrderBounds & { windowSeconds: number }) | undefined;
  /** A message younger than this may still be delivered and used. */
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
  const { store, clock, observe, byCountry, bounds } = options;
  const changed = new Map<string, OrderState>();

  const configured = (country: string) => byCountry.get(country) ?? options.gateways;

  async function look(): Promise<void> {
    if (!bounds) return;
    const now = clock.now();
    const to = secondsAfter(now, -Math.min(options.settleSeconds, bounds.windowSeconds / 2));
    const counts = await store.countOutcomes(secondsAfter(now, -bounds.windowSeconds), to);
    const countries = new Set([...counts.map(({ country }) => country), ...changed.keys()]);
    for (const country of countries) {
      const numbers = counts.filter((one) => one.country === country);
      const { order, reasons } = decideOrder(configured(country), numbers, bounds);
      const before = changed.get(country)?.order ?? configured(country);
      if (order.join() === before.join()) {
        // The numbers move on even where the order stays.
        if (changed.has(country)) changed.set(country, { ...changed.get(country)!, reasons });
        continue;
      }
      if (reasons.length > 0) changed.set(country, { country: country || null, order, reasons, since: now });
      else changed.delete(country);
      const reason = reasons.length > 0 ? reasons.join('; ') : 'as configured again';
      observe({ kind: 'gateway-order', country: country || 'none', order: order.join(' '), reason });
    }
  }

  return {
    orderFor: (country: string | undefined): readonly string[] =>
      changed.get(country ?? '')?.order ?? configured(country ?? ''),
    look,
    /** The orders that are not the configured ones, and why. */
    changes: (): OrderState[] => [...changed.values()],
  };
}
