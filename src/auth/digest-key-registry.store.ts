/** The digest keys that the nodes on a database have registered. */
import type { Database, DatabaseTransaction, Sql } from '../db/database.ts';
import { planKeys, type KeyPlan, type KnownKey, type NodeKeys } from './digest-key-registry.ts';

/** The digest keys that nodes on this database have, oldest first. */
export async function readKnownKeys(sql: Sql | DatabaseTransaction): Promise<KnownKey[]> {
  const rows = await sql`select fingerprint, is_current, wrapped_guard_key from digest_keys order by number`;
  return rows.map(({ fingerprint, is_current, wrapped_guard_key }) => ({
    fingerprint,
    isCurrent: is_current,
    wrappedGuardKey: wrapped_guard_key,
  }));
}

/** Registers the keys of this node, or refuses the node. Nodes that start together do this one after another. */
export async function enterKeys(db: Database, nodeKeys: NodeKeys): Promise<KeyPlan> {
  return db.transaction(async (sql) => {
    await sql`select from installation for update`;
    const planned = planKeys(await readKnownKeys(sql), nodeKeys);
    for (const { fingerprint, wrappedGuardKey } of planned.added) {
      await sql`
        insert into digest_keys (fingerprint, number, is_current, wrapped_guard_key)
        select ${fingerprint}, coalesce(max(number), 0) + 1, false, ${wrappedGuardKey} from digest_keys`;
    }
    const { currentFingerprint, fingerprints } = planned;
    await sql`
      update digest_keys set is_current = fingerprint = ${currentFingerprint}
      where is_current <> (fingerprint = ${currentFingerprint})`;
    await sql`
      delete from digest_keys
      where number < (select number from digest_keys where is_current)
        and not fingerprint = any(string_to_array(${fingerprints.join(',')}, ','))`;
    return planned;
  });
}

/** For a sandbox that was emptied: nothing is left that was made with the earlier keys. */
export async function forgetKeys(db: Database): Promise<void> {
  await db.write`delete from digest_keys`;
}
