/** Cost and delivery time of the last days, compared with the same number of days before. */
import type { Clock } from '../values/clock.ts';
import type { Owner } from '../sharing/slots.ts';
import type { AcceptedRow, DeliveryRow, PerformanceStore } from './performance.store.ts';

export interface DeliveryTime {
  delivered: number;
  /** Null if no receipt arrived. */
  medianSeconds: number | null;
  p95Seconds: number | null;
}

export interface SpanFigures extends DeliveryTime {
  /** Of all countries, by the configured prices. */
  cost: number;
}

export interface Performance {
  current: SpanFigures;
  before: SpanFigures;
  gateways: ({ gateway: string } & DeliveryTime)[];
  countries: { country: string | null; cost: number }[];
}

/** The price of a message to a country. */
export type PriceOf = (country: string | null) => number;

const dayMilliseconds = 86_400_000;

export type ReadPerformance = (days: number, owner: Owner) => Promise<Performance>;

export function createPerformance(store: PerformanceStore, clock: Clock, priceOf: PriceOf): ReadPerformance {
  return async function readPerformance(days, owner) {
    const tomorrow = Math.floor(clock.now().getTime() / dayMilliseconds) + 1;
    const middle = new Date((tomorrow - days) * dayMilliseconds);
    const from = new Date((tomorrow - 2 * days) * dayMilliseconds);
    const [delivery, accepted] = await Promise.all([
      store.measureDelivery(from, middle, owner),
      store.countAccepted(from, middle, owner),
    ]);
    const figures = (isCurrent: boolean): SpanFigures => ({
      cost: sumCost(
        accepted.filter((row) => row.isCurrent === isCurrent),
        priceOf,
      ),
      ...timesOf(delivery.find((row) => row.isCurrent === isCurrent && row.gateway === null)),
    });
    const current = accepted.filter(({ isCurrent }) => isCurrent);
    return {
      current: figures(true),
      before: figures(false),
      gateways: delivery
        .filter(({ isCurrent }) => isCurrent)
        .flatMap(({ gateway, ...row }) => (gateway === null ? [] : [{ gateway, ...timesOf(row) }])),
      countries: current.map((row) => ({ country: row.country, cost: sumCost([row], priceOf) })),
    };
  };
}

function timesOf(row: Omit<DeliveryRow, 'isCurrent' | 'gateway'> | undefined): DeliveryTime {
  if (!row) return { delivered: 0, medianSeconds: null, p95Seconds: null };
  const { delivered, medianSeconds, p95Seconds } = row;
  return { delivered, medianSeconds: round(medianSeconds, 3), p95Seconds: round(p95Seconds, 3) };
}

function sumCost(rows: readonly AcceptedRow[], priceOf: PriceOf): number {
  return round(
    rows.reduce((sum, { country, accepted }) => sum + accepted * priceOf(country), 0),
    4,
  );
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
