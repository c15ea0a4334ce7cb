/** The statement of sync: a page is a range of the index on (individual_id, touched_commit, seq). */
import type { Database } from '../../db/database.ts';
import { detailedBody } from '../transactions.store.ts';
import type { SyncPosition } from './sync-cursor.ts';

/**
 * The rows behind the position $2, $3, one more than the $4 of a page. The commits of an individual become visible in
 * the order of their numbers, because each holds the lock on the individual until its end: so no row appears later at a
 * position that was passed.
 */
const syncStatement = (body: string) => `
select floor(extract(epoch from u.created_at) * 1000) as created_at, u.transaction_event_count as last_commit,
  p.rows, p.added, p.modified, p.last[1] as commit, p.last[2] as seq
from users u cross join lateral (
  select count(*) as rows,
    string_agg(body, ',') filter (where place <= $4 and is_added) as added,
    string_agg(body, ',') filter (where place <= $4 and not is_added) as modified,
    max(position) filter (where place <= $4) as last
  from (
    select ${body} as body, (t.created_commit, t.seq) > ($2::int, $3::int) as is_added,
      array[t.touched_commit, t.seq] as position, row_number() over () as place
    from (
      select individual_id, seq, body, created_commit, touched_commit from transactions
      where individual_id = $1 and (touched_commit, seq) > ($2::int, $3::int)
      order by touched_commit, seq limit $4::int + 1
    ) t
  ) page
) p
where u.id = $1`;

const plainStatement = syncStatement('t.body');
const detailedStatement = syncStatement(detailedBody);

export interface SyncQuery {
  individualId: number;
  after: SyncPosition;
  count: number;
  hasDetails: boolean;
}

export interface SyncPage {
  createdAt: Date;
  /** The number of the individual's latest commit. */
  lastCommit: number;
  /** The rows' JSON, separated by commas. */
  added: string;
  modified: string;
  /** The position of the last row; undefined if there is none. */
  last: SyncPosition | undefined;
  hasMore: boolean;
}

export type SyncStore = ReturnType<typeof createSyncStore>;

export function createSyncStore(db: Database) {
  return {
    /** Undefined for an unknown individual. */
    async readPage({ individualId, after, count, hasDetails }: SyncQuery): Promise<SyncPage | undefined> {
      const statement = hasDetails ? detailedStatement : plainStatement;
      const parameters = [individualId, after.commit, after.seq, count];
      const [row] = await db.read.unsafe(statement, parameters, { prepare: true });
      if (!row) return undefined;
      return {
        createdAt: new Date(Number(row.created_at)),
        lastCommit: row.last_commit,
        added: row.added ?? '',
        modified: row.modified ?? '',
        last: row.commit === null ? undefined : { commit: row.commit, seq: row.seq },
        hasMore: Number(row.rows) > count,
      };
    },
  };
}
