/** The mode in which a database has been used, and whether another server has a copy of it. */
import { StartError } from '../../errors.ts';
import { schema, type Database, type Sql } from '../database.ts';
import { readDatabaseId, readIsStandby, readTimeline } from '../sessions/route.ts';

type Mode = 'sandbox' | 'production';

/** Refuses a database of the other mode before its schema, or anything in it, is changed. */
export async function refuseOtherMode(sql: Sql, mode: Mode): Promise<void> {
  const [table] = await sql`select to_regclass(${`${schema}.installation`}) is not null as present`;
  if (table?.present) await refuse(sql, mode);
}

/** One statement decides. So if a sandbox and a production node start together, one of them is refused. */
export async function enterMode(sql: Sql, mode: Mode): Promise<void> {
  if (mode === 'production') {
    await sql`
      update installation set served_production = true, clock_ahead_seconds = 0
      where not served_production and not served_sandbox`;
  } else {
    await sql`update installation set served_sandbox = true where not served_production and not served_sandbox`;
  }
  await refuse(sql, mode);
}

async function refuse(sql: Sql, mode: Mode): Promise<void> {
  const [served] = await sql`select served_production, served_sandbox from installation`;
  if (mode === 'sandbox' && served!.served_production) {
    throw new StartError(
      'This database has served production, and the sandbox would open it to anyone. ' +
        'Set DATABASE_URL to another database, or MODE=production.',
    );
  }
  if (mode === 'production' && served!.served_sandbox) {
    throw new StartError(
      'This database has served the sandbox: phones that were verified through its inbox, rules that were switched ' +
        'off and the demo wallet would stay. Set DATABASE_URL to a new database, or MODE=sandbox.',
    );
  }
}

/**
 * Whether a server has a copy of the primary's database and follows it: it is the same database of the same cluster.
 * Servers that do not report these ids are compared by the generation of events, a random value. An old primary that is running
 * again has all of them, but its rows differ from ours since the failover.
 */
export async function isCopyOf(primary: Database, copy: Database): Promise<boolean> {
  const inBoth = (read: (sql: Sql) => Promise<unknown>) => Promise.all([primary, copy].map((db) => read(db.read)));
  const [ours, theirs] = await inBoth(async (sql) => (await sql`select generation from event_log`)[0]?.generation);
  if (ours === undefined || ours !== theirs) return false;
  const [database, otherDatabase] = await inBoth(readDatabaseId);
  if (database !== otherDatabase) return false;
  if (await readIsStandby(copy.read)) return true;
  const [timeline, otherTimeline] = await inBoth(readTimeline);
  return timeline === otherTimeline;
}
