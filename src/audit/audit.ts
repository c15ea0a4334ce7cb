/** The audit of what operators did: list, export, and record of lookups. Changes are recorded by their own statements. */
import type { Clock } from '../values/clock.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Operator, OperatorActionName } from './operator-actions.ts';
import type { Owner } from '../sharing/slots.ts';
import { maskPhone } from '../values/phone-number.ts';
import type { ActionFilter, AuditStore, OperatorAction } from './audit.store.ts';

/** The user, phone number or e-mail address that an operator looked up. */
export type LookupTarget = { userId: number } | { e164: string } | { email: string };

export type Audit = ReturnType<typeof createAudit>;

/** The number of actions that an export reads at a time, and in total. */
const exportPage = 500;
const exportLimit = 100_000;

export function createAudit(store: AuditStore, clock: Clock, observe: Observe) {
  return {
    listActions: (filter: ActionFilter, owner?: Owner): Promise<OperatorAction[]> => store.readActions(filter, owner),

    /** All actions that match, newest first, in lists of at most a page. */
    async *exportActions(
      filter: Omit<ActionFilter, 'before' | 'limit'>,
      owner: Owner,
    ): AsyncGenerator<OperatorAction[], void> {
      let before: number | undefined;
      for (let count = 0; count < exportLimit; count += exportPage) {
        const page = await store.readActions({ ...filter, before, limit: exportPage }, owner);
        if (page.length > 0) yield page;
        if (page.length < exportPage) return;
        before = page.at(-1)!.id;
      }
    },

    /** A lookup changes nothing, but it is audited: which operator looked up which user. */
    async recordLookup(who: Operator, action: OperatorActionName, lookedUp: LookupTarget): Promise<void> {
      const userId = 'userId' in lookedUp ? lookedUp.userId : undefined;
      const target = targetOf(lookedUp);
      await store.recordAction(who, action, target, userId, clock.now());
      observe({ kind: 'operator-action', subject: who.subject, action, target });
    },
  };
}

/** The text that the audit shows. */
function targetOf(lookedUp: LookupTarget): string {
  if ('userId' in lookedUp) return `user ${lookedUp.userId}`;
  return 'e164' in lookedUp ? maskPhone(lookedUp.e164) : maskEmail(lookedUp.email);
}

/** `a…@….com` */
function maskEmail(email: string): string {
  const [local = '', host = ''] = email.split('@', 2);
  const dot = host.lastIndexOf('.');
  return `${local.slice(0, 1)}…@…${dot < 0 ? '' : host.slice(dot)}`;
}
