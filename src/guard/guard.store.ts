/** The statements behind the guard's rules: their state, budgets and ranges, and the removal of expired rows. */
import { array, type Database } from '../db/database.ts';
import { clockDifferenceSeconds } from './challenge.ts';
import { describeEvidence } from './evidence.ts';
import type { FiredRule } from './fired-rules.ts';
import type { UnusedUnits } from './leases.ts';
import type { GuardState } from './live.ts';
import type { RangeChange } from './ranges/range-book.ts';
import { sumSpanSeconds, type Conversion, type RangeState } from './ranges/ranges.ts';
import { hourName, hoursOfWeek } from './ranges/week.ts';
import type { WeekCounts } from './ranges/week-book.ts';

/** The timestamp of the last event: `last` for a list of timestamps, `lastAt` for a list of records. */
const last = (events: string) => `coalesce(${events}[cardinality(${events})], '-infinity')`;
const lastAt = (events: string) => `coalesce(${events}[cardinality(${events})].at, '-infinity')`;

const isQuietVerification = `t.verified_phone is null
      and greatest(${last('t.sends')}, ${last('t.failures')}, ${last('t.change_failures')},
        ${last('t.confirmation_failures')}) <= $2
      and coalesce(greatest(t.blocked_until, t.change_blocked_until, t.confirmations_blocked_until) <= $3, true)`;

const typed = (condition: string) => condition.replaceAll('$2', '$2::timestamptz').replaceAll('$3', '$3::timestamptz');

const byDigest = { key: 'key', first: '\\x', type: 'bytea' };

/** Rows that are deleted when their last event is older than every window and their block has ended. */
const sweeps = {
  phone_sends: {
    ...byDigest,
    expired: `greatest(${lastAt('t.sends')}, ${lastAt('t.failures')}, ${lastAt('t.users')}) <= $2
      and (t.proven = '{}' or ${last('t.proven')} <= $3 - interval '1 day')
      and (t.blocked_until is null or t.blocked_until <= $3)`,
  },
  guard_sources: {
    ...byDigest,
    expired: `greatest(${last('t.sends')}, ${last('t.failures')}) <= $2
      and (t.blocked_until is null or t.blocked_until <= $3)`,
  },
  guard_codes: {
    ...byDigest,
    expired: `${lastAt('t.users')} <= $2 and (t.blocked_until is null or t.blocked_until <= $3)`,
  },
  guard_proofs: {
    ...byDigest,
    expired: `t.expires_at <= $3 - interval '${clockDifferenceSeconds} seconds' and $2 <= $3`,
  },
  guard_ranges: {
    key: 'name',
    first: '',
    type: 'text',
    // A range with almost no verified codes does not show what is normal.
    expired:
      "t.summed_at <= least($2, $3 - interval '2 days') and t.normal_verified < 1 or t.summed_at <= $3 - interval '60 days'",
  },
  // A row for an id that belongs to no user contains failures only.
  verifications: {
    key: 'user_id',
    first: '0',
    type: 'int',
    expired: `${isQuietVerification}
      and not exists (select from users u where u.id = t.user_id)`,
  },
} as const;

export type SweptTable = keyof typeof sweeps;
export const sweptTables = Object.keys(sweeps) as SweptTable[];

export type GuardStore = ReturnType<typeof createGuardStore>;

export function createGuardStore(db: Database) {
  return {
    async readState(): Promise<GuardState> {
      const [row] = await db.read`
        select (select json_agg(json_build_object('rule', m.rule, 'mode', m.mode)) from guard_modes m) as modes,
          (select json_agg(json_build_object('key', s.key, 'isPrefix', s.is_prefix)) from guard_safe s) as safe`;
      return { modes: row!.modes ?? [], safe: row!.safe ?? [] };
    },

    /** The share of each budget of a day that is leased. */
    async readBudgets(day: string): Promise<{ budget: string; usedRatio: number }[]> {
      return db.read<{ budget: string; usedRatio: number }[]>`
        select name as budget, used::float8 / cap as "usedRatio" from guard_budgets
        where day = ${day}::date and cap > 0`;
    },

    /** Rows are locked in the order of their names and days, as `lease_budgets` locks them. */
    async giveBackBudgets(unused: readonly UnusedUnits[]): Promise<void> {
      await db.write`
        with given as materialized (
          select b.name, b.day, g.units from guard_budgets b
          join jsonb_to_recordset(${JSON.stringify(unused)}::text::jsonb) as g (name text, day date, units bigint)
            on g.name = b.name and g.day = b.day
          order by b.name, b.day for update of b
        )
        update guard_budgets b set used = greatest(0, b.used - g.units) from given g
        where b.name = g.name and b.day = g.day`;
    },

    /** Writes the event, unless one was written for the rule and country within this time. */
    async writeFiredRule({ rule, country, mode, at, evidence }: FiredRule, seconds: number): Promise<void> {
      const data = { rule, country, mode, evidence: evidence ? describeEvidence(evidence) : null };
      await db.write`select write_fired_rule_event(${JSON.stringify(data)}::text::json, ${at}, ${seconds})`;
    },

    /** Adds the counts of this process, and returns the sums of all processes. */
    async exchangeRanges(changes: RangeChange[], now: Date): Promise<Map<string, RangeState>> {
      const rows = await db.write.unsafe(
        `select name, hour_sends as "hourSends", hour_verified as "hourVerified", day_sends as "daySends",
           greatest(0, unverified) as unverified, delivered, failed, normal_sends as "normalSends",
           normal_verified as "normalVerified", shrinks, refused_at as "refusedAt"
         from exchange_ranges($1::text::jsonb, $2::timestamptz)`,
        [JSON.stringify(changes), now],
        { prepare: true },
      );
      return new Map(
        rows.map(({ name, refusedAt, ...row }) => [
          name,
          { at: now.getTime(), refusedAt: refusedAt?.getTime() ?? 0, ...(row as Omit<RangeState, 'at' | 'refusedAt'>) },
        ]),
      );
    },

    /**
     * The number of codes that an address requested in the last day, and how many of them were verified. Only the
     * latest sends and verified codes are kept, so events that are older than the kept ones of either kind are not
     * counted.
     */
    async readConversion(key: Buffer, now: Date): Promise<Conversion> {
      const [row] = await db.read`
        select (select count(*) from unnest(s.sends) e (at) where e.at >= k.since)::int as sends,
          (select count(*) from unnest(s.verified) e (at) where e.at >= k.since)::int as verified
        from guard_sources s, lateral (select greatest(${now}::timestamptz - interval '1 day', s.sends[1],
          case when cardinality(s.verified) >= 100 then s.verified[1] end) as since) k
        where s.key = ${key}`;
      return { sends: row?.sends ?? 0, verified: row?.verified ?? 0 };
    },

    /** The verified codes of countries by hour of the week, brought up to date. */
    async readWeeks(countries: string[], now: Date): Promise<WeekCounts> {
      const hours = countries.flatMap((country) =>
        Array.from({ length: hoursOfWeek }, (_, hour) => ({ country, hour, name: hourName(country, hour) })),
      );
      const rows = await db.read`
        select name, fade(normal_verified, summed_at, ${now}, ${sumSpanSeconds.normalVerified}) as verified
        from guard_ranges where name = any(${array(hours.map(({ name }) => name))}::text[])`;
      const verifiedByName = new Map(rows.map(({ name, verified }) => [name, verified as number]));
      const weeks: WeekCounts = new Map();
      for (const country of countries) {
        const known = hours.filter((of) => of.country === country && verifiedByName.has(of.name));
        weeks.set(country, new Map(known.map(({ hour, name }) => [hour, verifiedByName.get(name)!])));
      }
      return weeks;
    },

    /**
     * Deletes expired rows among the next rows after `from`. Returns the last of them; undefined at the end of the table.
     * Rows that another transaction locks are skipped: they are in use, and others lock them in another order.
     */
    async sweep(
      table: SweptTable,
      from: string | undefined,
      limit: number,
      quietSince: Date,
      now: Date,
    ): Promise<string | undefined> {
      const { key, first, type, expired } = sweeps[table];
      if (table === 'verifications' && db.isDistributed) {
        return sweepUnknownUsers(db, Number(from ?? first), limit, quietSince, now);
      }
      const [row] = await db.write.unsafe(
        `with batch as materialized (
           select ${key} as key from ${table} where ${key} > $1::text::${type} order by ${key} limit ${limit}
         ), expired as materialized (
           select t.${key} as key from ${table} t join batch b on b.key = t.${key} where ${typed(expired)}
           for update of t skip locked
         ), gone as (
           delete from ${table} t using expired e where t.${key} = e.key
         )
         select (select key::text from batch order by key desc limit 1) as last,
           (select count(*) from batch)::int as seen`,
        [from ?? first, quietSince, now],
      );
      return row!.seen < limit ? undefined : row!.last;
    },

    /** Deletes old rows of the tables that are kept by date. */
    async sweepDated(now: Date): Promise<void> {
      await db.write`
        with budgets as (
          delete from guard_budgets where day < (${now}::timestamptz - interval '7 days')::date
        )
        delete from guard_totals where hour < ${now}::timestamptz - interval '90 days'`;
    },
  };
}

/** If `users` is distributed, it is read by a separate statement. */
async function sweepUnknownUsers(db: Database, from: number, limit: number, quietSince: Date, now: Date) {
  const batch = await db.write.unsafe(
    `select t.user_id, ${typed(isQuietVerification)} as is_quiet from verifications t
     where t.user_id > $1::int order by t.user_id limit ${limit}`,
    [from, quietSince, now],
  );
  const quiet = batch.filter(({ is_quiet }) => is_quiet).map(({ user_id }) => Number(user_id));
  const known = quiet.length > 0 ? await db.write`select id from users where id = any(${array(quiet)}::int[])` : [];
  const isKnown = new Set(known.map(({ id }) => id));
  const unknown = quiet.filter((id) => !isKnown.has(id));
  await db.write.unsafe(
    `delete from verifications where user_id in (
       select t.user_id from verifications t where t.user_id = any($1::int[]) and ${typed(isQuietVerification)}
       for update skip locked
     )`,
    [array(unknown), quietSince, now],
  );
  return batch.length < limit ? undefined : String(batch.at(-1)!.user_id);
}
