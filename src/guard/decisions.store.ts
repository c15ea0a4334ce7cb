/** The statements about decisions of the rules, and about their totals by hour. */
import type { Database } from '../db/database.ts';
import type { Owner } from '../sharing/slots.ts';
import type { Decision, DecisionTotal } from './decisions.ts';
import type { Evidence } from './evidence.ts';

export interface DecisionFilter {
  rule: string | undefined;
  action: string | undefined;
  userId: number | undefined;
  /** Only decisions with a smaller id. */
  before: number | undefined;
  limit: number;
}

export interface ListedDecision {
  id: number;
  at: Date;
  rule: string;
  action: string;
  operation: string;
  userId: number;
  /** Masked. */
  phone: string | null;
  phoneKey: string | null;
  country: string | null;
  source: string | null;
  evidence: Evidence | null;
}

interface DecisionSum {
  rule: string;
  action: string;
  decisions: number;
}

export function createDecisionsStore(db: Database) {
  return {
    /** Nothing is written about a user who was erased meanwhile; the totals count everything. */
    async writeDecisions(decisions: Decision[], totals: DecisionTotal[]): Promise<void> {
      const singles = decisions.map(({ at, userId, maskedPhone, phoneKey, ...decision }) => ({
        ...decision,
        decided_at: at,
        user_id: userId,
        phone: maskedPhone,
        phone_key: phoneKey?.toString('hex'),
      }));
      await db.write.unsafe('select write_decisions($1::text::json, $2::text::json)', [
        JSON.stringify(singles),
        JSON.stringify(totals),
      ]);
    },

    async readDecisions(filter: DecisionFilter, owner?: Owner): Promise<ListedDecision[]> {
      const { rule, action, userId, before, limit } = filter;
      // Some rules decide often and others very rarely: only a plan for the given values uses the right index.
      return db.planned((sql) => {
        const conditions = [
          sql`true`,
          ...(rule === undefined ? [] : [sql`and rule = ${rule}`]),
          ...(action === undefined ? [] : [sql`and action = ${action}`]),
          ...(userId === undefined ? [] : [sql`and user_id = ${userId}`]),
          ...(before === undefined ? [] : [sql`and id < ${before}`]),
        ];
        return sql<ListedDecision[]>`
          select id::float8 as id, decided_at as at, rule, action, operation, user_id as "userId", phone,
            encode(phone_key, 'hex') as "phoneKey", country, source, evidence
          from guard_decisions where ${conditions} order by id desc limit ${limit}`;
      }, owner);
    },

    async readTotals(since: Date, owner?: Owner): Promise<DecisionSum[]> {
      return db.long(
        (sql) => sql<DecisionSum[]>`
          select rule, action, sum(decisions)::float8 as decisions from guard_totals where hour > ${since}
          group by rule, action`,
        owner,
      );
    },
  };
}
