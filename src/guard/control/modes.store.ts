/** The statements about modes that operators have set. The statement that changes a mode records who did it. */
import type { Database } from '../../db/database.ts';
import { callRecordAction } from '../../db/record-action.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';
import type { RuleMode } from '../rules.ts';

interface ChangedMode {
  rule: string;
  mode: RuleMode;
  changedAt: Date;
  changedBy: string;
}

export type ModesStore = ReturnType<typeof createModesStore>;

export function createModesStore(db: Database) {
  return {
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
  };
}
