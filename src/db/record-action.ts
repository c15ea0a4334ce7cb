/** The audit of what operators do. */
import type { Sql, Statement } from './sql.ts';

export interface ActionRecord {
  who: { subject: string; client: string; reason?: string | undefined };
  now: Date;
  action: string;
  target: string | Statement;
  detail?: string;
  userId?: number | null | undefined;
}

/** The call of `record_action`, as a part of the statement that does what is recorded. */
export function callRecordAction(sql: Sql, record: ActionRecord): Statement {
  const { who, now, action, target, detail = null, userId = null } = record;
  const { subject, client, reason = null } = who;
  return sql`
    record_action(called_at => ${now}, of_subject => ${subject}, of_client => ${client}, action => ${action},
      target => ${target}, detail => ${detail}, of_user => ${userId}, reason => ${reason})`;
}
