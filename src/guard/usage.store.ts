/** How much of the limits is used now. Each statement reads a limited number of keys. */
import type { Database } from '../db/database.ts';
import type { Owner } from '../sharing/slots.ts';
import type { Counter } from './rules.ts';

interface BusiestKey {
  /** Events in the window. */
  used: number;
  /** The user, if the counter is kept by user. */
  userId: number | null;
}

interface Budget {
  name: string;
  used: number;
  cap: number;
}

interface UsedRange {
  name: string;
  unverified: number;
}

type NameOf<C> = C extends Counter ? `${C['counts']} by ${C['by']}` : never;
type CounterName = NameOf<Counter>;

interface EventColumn {
  /** The column with the events. */
  events: string;
  /** The events are records with a timestamp `at`, not timestamps. */
  hasRecords?: true;
}

/** Maximum number of keys that a statement reads. */
const keyLimit = 10_000;

/** Users who requested or tried a code lately. Rows of other users are kept permanently, and are not read. */
const latestUsers = `
  from verifications where user_id in (
    (select user_id from messages where requested_at > $1 order by requested_at desc limit ${keyLimit})
    union (select user_id from verification_events where at > $1 order by at desc limit ${keyLimit}))`;
const sources = (kind: string) => `from guard_sources where kind = '${kind}' order by key limit ${keyLimit}`;

/**
 * The remaining part of the statement that reads the keys of a counter. Except for users, the tables contain only keys
 * of about the last day.
 */
const keysBy: Record<Counter['by'], string> = {
  user: latestUsers,
  address: sources('address'),
  token: sources('token'),
  phone: `from phone_sends order by key limit ${keyLimit}`,
  code: `from guard_codes order by key limit ${keyLimit}`,
};

/** The column of each counter's events. */
const columns: Record<CounterName, EventColumn> = {
  'sends by user': { events: 'sends' },
  'phones by user': { events: 'phones', hasRecords: true },
  'failures by user': { events: 'failures' },
  'confirmations by user': { events: 'confirmation_sends' },
  'failed checks by user': { events: 'confirmation_failures' },
  'sends by address': { events: 'sends' },
  'sends by token': { events: 'sends' },
  'failures by address': { events: 'failures' },
  'failures by token': { events: 'failures' },
  'sends by phone': { events: 'sends', hasRecords: true },
  'users by phone': { events: 'users', hasRecords: true },
  'failures by phone': { events: 'failures', hasRecords: true },
  'failed users by code': { events: 'users', hasRecords: true },
};

export type UsageStore = ReturnType<typeof createUsageStore>;

export function createUsageStore(db: Database) {
  return {
    /** The key with the most events since a time. */
    async findBusiest({ counts, by }: Counter, since: Date, owner: Owner): Promise<BusiestKey> {
      const { events, hasRecords } = columns[`${counts} by ${by}` as CounterName];
      const user = by === 'user' ? 'user_id' : 'null::int as user_id';
      const [row] = await db.long(
        (sql) =>
          sql.unsafe(
            `select user_id, (select count(*)::int from unnest(events) e where ${hasRecords ? 'e.at' : 'e'} > $1) as used
           from (select ${user}, ${events} as events ${keysBy[by]}) k
           order by used desc limit 1`,
            [since],
          ),
        owner,
      );
      return { used: row?.used ?? 0, userId: row && row.used > 0 ? row.user_id : null };
    },

    /** The budgets of a day that are used most, most used first. */
    readFullestBudgets: (day: string, prefix: 'sends' | 'spend', limit: number, owner: Owner) =>
      db.long(
        (sql) => sql<Budget[]>`
          select name, used::float8 as used, cap::float8 as cap from guard_budgets
          where day = ${day}::date and cap > 0 and split_part(name, ' ', 1) = ${prefix}
          order by used::float8 / cap desc, name limit ${limit}`,
        owner,
      ),

    /**
     * The ranges with the most unverified codes. The sums fade only when they are updated, so an unused range keeps its
     * last sum.
     */
    readBusiestRanges: (since: Date, now: Date, limit: number, owner: Owner) =>
      db.long(
        (sql) => sql<UsedRange[]>`
          select name, unverified * exp(-extract(epoch from ${now}::timestamptz - summed_at)::float8 / 86400) as unverified
          from (select name, unverified, summed_at from guard_ranges where summed_at > ${since}
            order by name limit ${keyLimit}) r
          order by 2 desc, name limit ${limit}`,
        owner,
      ),
  };
}
