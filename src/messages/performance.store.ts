/** What the messages of a span cost, and how long they took to arrive. */
import type { Database } from '../db/database.ts';
import type { Owner } from '../sharing/slots.ts';

export interface DeliveryRow {
  isCurrent: boolean;
  /** Null for all gateways together. */
  gateway: string | null;
  /** Null for all channels together. At most one of gateway and channel is given. */
  channel: string | null;
  delivered: number;
  medianSeconds: number;
  p95Seconds: number;
}

export interface AcceptedRow {
  isCurrent: boolean;
  /** Null if the country of the number is unknown. */
  country: string | null;
  channel: string;
  accepted: number;
  /** How often the price was paid: each segment of a text costs it. */
  priced: number;
}

export type PerformanceStore = ReturnType<typeof createPerformanceStore>;

/** Rows from `middle` on belong to the current span; those between `from` and `middle` to the span before. */
export function createPerformanceStore(db: Database) {
  return {
    /** The time from the gateway's answer to its receipt, if there is one. */
    measureDelivery: (from: Date, middle: Date, owner: Owner) =>
      db.long(
        (sql) =>
          sql.unsafe<DeliveryRow[]>(
            // Citus supports neither grouping sets nor percentiles on distributed tables, so they are only used to read
            // the rows.
            `with delivered as materialized (
             select requested_at >= $2 as is_current, gateway, channel,
               greatest(0, extract(epoch from state_at - answered_at))::float8 as seconds
             from messages where requested_at >= $1 and state = 'delivered'
           )
           select is_current as "isCurrent", gateway, channel, count(*)::int as delivered,
             percentile_cont(0.5) within group (order by seconds) as "medianSeconds",
             percentile_cont(0.95) within group (order by seconds) as "p95Seconds"
           from delivered
           group by grouping sets ((is_current), (is_current, gateway), (is_current, channel))
           order by gateway, channel`,
            [from, middle],
            { prepare: true },
          ),
        owner,
      ),

    countAccepted: (from: Date, middle: Date, owner: Owner) =>
      db.long(
        (sql) =>
          sql.unsafe<AcceptedRow[]>(
            `select requested_at >= $2 as "isCurrent", nullif(country, '') as country, channel,
             count(*)::int as accepted, sum(case channel when 'sms' then segments else 1 end)::int as priced
           from messages where requested_at >= $1 and state <> 'refused' group by 1, 2, 3`,
            [from, middle],
            { prepare: true },
          ),
        owner,
      ),
  };
}
