/** The statements of the audit. Lists run on separate connections, so that no request of a user waits for them. */
import type { Database } from '../db/database.ts';
import { callRecordAction } from '../db/record-action.ts';
import type { Operator, OperatorActionName } from './operator-actions.ts';
import type { Owner } from '../sharing/slots.ts';

export interface ActionFilter {
  subject?: string | undefined;
  action?: string | undefined;
  userId?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Only actions with a smaller id. */
  before?: number | undefined;
  limit: number;
}

export interface OperatorAction {
  id: number;
  at: Date;
  subject: string;
  client: string;
  action: string;
  target: string;
  detail: string | null;
  reason: string | null;
  userId: number | null;
}

export type AuditStore = ReturnType<typeof createAuditStore>;

export function createAuditStore(db: Database) {
  return {
    async recordAction(
      who: Operator,
      action: OperatorActionName,
      target: string,
      userId: number | undefined,
      now: Date,
    ): Promise<void> {
      await db.write`select ${callRecordAction(db.write, { who, now, action, target, userId })}`;
    },

    async readActions(filter: ActionFilter, owner?: Owner): Promise<OperatorAction[]> {
      const { subject: who, action: name, userId, from, to, before, limit } = filter;
      return db.long((sql) => {
        const conditions = [
          sql`true`,
          ...(who === undefined ? [] : [sql`and subject = ${who}`]),
          ...(name === undefined ? [] : [sql`and action = ${name}`]),
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(from === undefined ? [] : [sql`and acted_at >= ${from}::text::timestamptz`]),
          ...(to === undefined ? [] : [sql`and acted_at <= ${to}::text::timestamptz`]),
          ...(before === undefined ? [] : [sql`and id < ${before}`]),
        ];
        return sql<OperatorAction[]>`
          select id::float8 as id, acted_at as at, subject, client, action, target, detail, reason, user_id as "userId"
          from operator_actions where ${conditions} order by id desc limit ${limit}`;
      }, owner);
    },
  };
}
