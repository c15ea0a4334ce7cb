/**
 * Individuals by the shard that has their rows. Citus plans a statement about individuals of one shard as a task of one
 * worker, and then allows everything that PostgreSQL can do, row locks among it. It sees that only from a condition
 * `column = any(ids)` on every distributed table of the statement: a join does not pass it on.
 */
import { array, type Transaction } from './database.ts';

/** Ids of individuals of one shard, in order. */
export type Shard = readonly number[];

/** In the order of the shards, so that all who lock several of them take them in one order. */
export async function groupByShard(sql: Transaction, ids: readonly number[]): Promise<Shard[]> {
  if (ids.length <= 1) return ids.length === 0 ? [] : [ids];
  const rows = await sql`
    select get_shard_id_for_distribution_column('users', i.id)::text as shard, json_agg(i.id order by i.id) as ids
    from unnest(${array(ids)}::int[]) as i (id) group by 1 order by 1`;
  return rows.map((row) => row.ids as number[]);
}

/** The condition that a distributed table needs; nothing where the tables are not distributed. */
export function inShard(sql: Transaction, column: string, shard: Shard | undefined) {
  return shard ? sql`and ${sql.unsafe(column)} = any(${array(shard)}::int[])` : sql``;
}
