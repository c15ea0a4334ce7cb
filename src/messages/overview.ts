/** The operator's overview: messages by day, country and gateway, and the health of the gateways. */
import type { Clock } from '../values/clock.ts';
import type { Owner } from '../sharing/slots.ts';
import type { Failover } from '../sms/failover.ts';
import type { GatewayOrder } from './gateway-order.ts';
import type { TrailStore } from './trail.store.ts';

export interface OverviewOptions {
  store: TrailStore;
  clock: Clock;
  failover: Failover;
  order: GatewayOrder;
  configuredOrder: readonly string[];
  /** Whether the service sends nothing. */
  isQuiet: boolean;
}

const dayMilliseconds = 86_400_000;

export type ReadOverview = (days: number, owner: Owner) => Promise<string>;

export function createOverview(options: OverviewOptions): ReadOverview {
  const { store, clock, failover, order, configuredOrder, isQuiet } = options;
  return async function readOverview(days, owner) {
    const today = Math.floor(clock.now().getTime() / dayMilliseconds);
    const rows = await store.summarize(new Date((today - days + 1) * dayMilliseconds), owner);
    const rest = { isQuiet, configuredOrder, gateways: failover.health(), orders: order.changes() };
    return `{"days":${rows},${JSON.stringify(rest).slice(1)}`;
  };
}
