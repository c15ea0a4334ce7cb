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
  channels: ({ channel: string; accepted: number; cost: number } & DeliveryTime)[];
}

/** The price of a message to a country over a channel. */
export type PriceOf = (country: string | null, channel: string) => number;

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
      ...timesOf(
        delivery.find(
          ({ gateway, channel, ...row }) => row.isCurrent === isCurrent && gateway === null && channel === null,
        ),
      ),
    });
    const current = accepted.filter(({ isCurrent }) => isCurrent);
    return {
      current: figures(true),
      before: figures(false),
      gateways: delivery
        .filter(({ isCurrent }) => isCurrent)
        .flatMap(({ gateway, ...row }) => (gateway === null ? [] : [{ gateway, ...timesOf(row) }])),
      countries: groupRows(current, ({ country }) => country).map(([country, rows]) => ({
        country,
        cost: sumCost(rows, priceOf),
      })),
      channels: groupRows(current, ({ channel }) => channel).map(([channel, rows]) => ({
        channel,
        accepted: rows.reduce((sum, { accepted: count }) => sum + count, 0),
        cost: sumCost(rows, priceOf),
        ...timesOf(delivery.find((row) => row.isCurrent && row.channel === channel)),
      })),
    };
  };
}

/** The rows that have the same key, by key. */
function groupRows<K>(rows: readonly AcceptedRow[], keyOf: (row: AcceptedRow) => K): [key: K, rows: AcceptedRow[]][] {
  const keys = new Set(rows.map(keyOf));
  return [...keys].map((key) => [key, rows.filter((row) => keyOf(row) === key)]);
}

function timesOf(row: Pick<DeliveryRow, keyof DeliveryTime> | undefined): DeliveryTime {
  if (!row) return { delivered: 0, medianSeconds: null, p95Seconds: null };
  const { delivered, medianSeconds, p95Seconds } = row;
  return { delivered, medianSeconds: round(medianSeconds, 3), p95Seconds: round(p95Seconds, 3) };
}

function sumCost(rows: readonly AcceptedRow[], priceOf: PriceOf): number {
  return round(
    rows.reduce((sum, { country, channel, priced }) => sum + priced * priceOf(country, channel), 0),
    4,
  );
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
