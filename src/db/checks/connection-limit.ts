/** How many connections the server allows: for `ledgerline doctor`. */
import type { Sql } from '../sql.ts';

export interface ConnectionLimit {
  limit: number;
  /** What the limit is set by. */
  setting: string;
  /** The connections that count against it. */
  used: number;
  /** The connections of nodes to this database. They may be those of the node that is checked. */
  ownUsed: number;
}

/** The limits on the server, the database and the role, the tightest first. A role without rights sees its own sessions only. */
export async function readConnectionLimits(sql: Sql): Promise<ConnectionLimit[]> {
  return sql<ConnectionLimit[]>`
    select l.allowed as "limit", l.setting, l.used, (
      select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'ledgerline'
    ) as "ownUsed"
    from (
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0), 'max_connections',
        (select sum(numbackends)::int from pg_stat_database)
      union all
      select rolconnlimit, 'connection limit of the role ' || rolname,
        (select count(*)::int from pg_stat_activity where usesysid = r.oid and backend_type = 'client backend')
      from pg_roles r where rolname = current_user
      union all
      select datconnlimit, 'connection limit of the database', numbackends
      from pg_database join pg_stat_database using (datname) where datname = current_database()
    ) as l (allowed, setting, used)
    where l.allowed >= 0 order by l.allowed`;
}
