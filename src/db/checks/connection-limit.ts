/** How many connections the server allows: for `ledgerline doctor`. */
import type { Sql } from '../sql.ts';

export interface ConnectionLimit {
  limit: number;
  /** What the limit is set by. */
  setting: string;
  /** The connections of all clients. */
  used: number;
}

/** The tightest of the limits on the server, the database and the role, and how many connections are open. */
export async function readConnectionLimit(sql: Sql): Promise<ConnectionLimit> {
  const [row] = await sql`
    select l.allowed, l.setting, (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used
    from (
      values (
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0), 'max_connections')
      union all
      select rolconnlimit, 'connection limit of the role ' || rolname from pg_roles where rolname = current_user
      union all
      select datconnlimit, 'connection limit of the database' from pg_database where datname = current_database()
    ) as l (allowed, setting)
    where l.allowed >= 0 order by l.allowed limit 1`;
  return { limit: row!.allowed, setting: row!.setting, used: row!.used };
}
