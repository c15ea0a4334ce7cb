/** The statements about what operators see and change. Those that change something record who did it. */
import type { Database } from '../../db/database.ts';
import { callRecordAction } from '../../db/record-action.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';
import { createDecisionsStore } from '../decisions.store.ts';
import type { RuleMode } from '../rules.ts';
import { createBlocksStore } from './blocks.store.ts';

interface ChangedMode {
  rule: string;
  mode: RuleMode;
  changedAt: Date;
  changedBy: string;
}

export interface SafeEntry {
  id: string;
  /** The prefix, or the masked number. */
  label: string;
  isPrefix: boolean;
  addedAt: Date;
  addedBy: string;
}

export type GuardControlStore = ReturnType<typeof createGuardControlStore>;

export function createGuardControlStore(db: Database) {
  return {
    ...createBlocksStore(db),
    ...createDecisionsStore(db),

    readModes: (owner?: Owner) =>
      db.long(
        (sql) => sql<ChangedMode[]>`
          select rule, mode, changed_at as "changedAt", changed_by as "changedBy" from guard_modes`,
        owner,
      ),

    /** Without a mode, the rule returns to its configured mode. */
    async setMode(rule: string, mode: RuleMode | undefined, who: Operator, now: Date): Promise<void> {
      const change =
        mode === undefined
          ? db.write`delete from guard_modes where rule = ${rule}`
          : db.write`
              insert into guard_modes (rule, mode, changed_at, changed_by)
              values (${rule}, ${mode}, ${now}, ${who.subject})
              on conflict (rule) do update set
                mode = excluded.mode, changed_at = excluded.changed_at, changed_by = excluded.changed_by`;
      const record = { who, now, action: 'set-mode', target: rule, detail: mode ?? 'configured' };
      await db.write`with changed as (${change}) select ${callRecordAction(db.write, record)}`;
    },

    listSafe: (owner?: Owner) =>
      db.long(
        (sql) => sql<SafeEntry[]>`
          select key as id, label, is_prefix as "isPrefix", added_at as "addedAt", added_by as "addedBy"
          from guard_safe order by added_at desc, key`,
        owner,
      ),

    /** False if the list is full. Adding an existing entry changes nothing. */
    async addSafe(
      { key, label, isPrefix }: { key: string; label: string; isPrefix: boolean },
      limit: number,
      who: Operator,
      now: Date,
    ): Promise<boolean> {
      const [row] = await db.write`
        with added as (
          insert into guard_safe (key, label, is_prefix, added_at, added_by)
          select ${key}::text, ${label}::text, ${isPrefix}::boolean, ${now}::timestamptz, ${who.subject}::text
          where (select count(*) from guard_safe) < ${limit}::int
          on conflict (key) do nothing
          returning key
        )
        select exists (select from added) or exists (select from guard_safe where key = ${key}) as is_listed,
          (select ${callRecordAction(db.write, { who, now, action: 'add-safe', target: label })} from added)`;
      return row!.is_listed;
    },

    /** False if there is no such entry. */
    async removeSafe(key: string, who: Operator, now: Date): Promise<boolean> {
      const record = { who, now, action: 'remove-safe', target: db.write.unsafe('r.label') };
      const rows = await db.write`
        with removed as (delete from guard_safe where key = ${key} returning label)
        select ${callRecordAction(db.write, record)} from removed r`;
      return rows.length === 1;
    },
  };
}
