/**
 * Groups individuals by the shard that has their rows. Citus plans a statement about individuals of one shard as a task
 * of one worker, and then allows everything that PostgreSQL can do, including row locks. It recognizes this only by a
 * condition `column = any(ids)` on every distributed table in the statement: a join does not pass the condition on.
 */
import { array, type DatabaseTransaction, type Sql } from '../database.ts';

/** Ids of individuals of one shard, in order. */
export type Shard = readonly number[];

/** In the order of the shards, so that every transaction locks them in the same order. */
export async function groupByShard(sql: DatabaseTransaction | Sql, ids: readonly number[]): Promise<Shard[]> {
  if (ids.length <= 1) return ids.length === 0 ? [] : [ids];
  const rows = await sql`
    select get_shard_id_for_distribution_column('users', i.id)::text as shard, json_agg(i.id order by i.id) as ids
    from unnest(${array(ids)}::int[]) as i (id) group by 1 order by 1`;
  return rows.map((row) => row.ids as number[]);
}

/** The condition that a distributed table needs; empty if the tables are not distributed. */
export function inShard(sql: DatabaseTransaction, column: string, shard: Shard | undefined) {
  return shard ? sql`and ${sql.unsafe(column)} = any(${array(shard)}::int[])` : sql``;
}
