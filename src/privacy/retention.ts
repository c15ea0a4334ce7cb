/** Retention: one table of what is kept for how many days, and the job that removes expired data. */
import { secondsAfter, type Clock } from '../clock.ts';
import type { Actor } from './privacy.store.ts';
import type { DatedTable, RetentionStore } from './retention.store.ts';

export interface RetentionDays {
  trailDays: number;
  sendKeyDays: number;
  decisionDays: number;
  actionDays: number;
  eventDays: number;
}

export interface RetentionKind {
  name: string;
  days: number;
  tables: readonly DatedTable[];
}

/** The rows of one kind that were found or removed. */
export interface Expired {
  kind: string;
  /** Rows from before this time. */
  before: Date;
  rows: number;
}

export interface RetentionParts {
  store: RetentionStore;
  clock: Clock;
  kinds: readonly RetentionKind[];
}

export type Retention = ReturnType<typeof createRetention>;

const daySeconds = 86_400;
const erasedUsersAtOnce = 100;

export function retentionKinds(days: RetentionDays): RetentionKind[] {
  return [
    {
      name: 'trail',
      days: days.trailDays,
      tables: [
        { table: 'messages', column: 'requested_at' },
        { table: 'verification_events', column: 'at' },
      ],
    },
    { name: 'send-keys', days: days.sendKeyDays, tables: [{ table: 'send_keys', column: 'claimed_at' }] },
    { name: 'guard-decisions', days: days.decisionDays, tables: [{ table: 'guard_decisions', column: 'decided_at' }] },
    { name: 'operator-actions', days: days.actionDays, tables: [{ table: 'operator_actions', column: 'acted_at' }] },
    { name: 'events', days: days.eventDays, tables: [{ table: 'events', column: 'at' }] },
  ];
}

/** The transactions of erased users have a date for each user: see `erased_users.retained_until`. */
export const erasedTransactions = 'erased-transactions';

export function createRetention({ store, clock, kinds }: RetentionParts) {
  const beforeOf = ({ days }: RetentionKind, now: Date) => secondsAfter(now, -days * daySeconds);

  async function overTables(kind: RetentionKind, now: Date, work: RetentionStore['count']): Promise<Expired> {
    const before = beforeOf(kind, now);
    let rows = 0;
    for (const table of kind.tables) rows += await work(table, before);
    return { kind: kind.name, before, rows };
  }

  async function overKinds(work: RetentionStore['count'], now: Date): Promise<Expired[]> {
    const found: Expired[] = [];
    for (const kind of kinds) found.push(await overTables(kind, now, work));
    return found;
  }

  async function removeAll(table: DatedTable, before: Date): Promise<number> {
    let rows = 0;
    for (;;) {
      const removed = await store.removeOldest(table, before);
      if (removed === undefined) return rows;
      rows += removed;
    }
  }

  /** Removes all rows of a user, never only a part. */
  async function removeErased(now: Date): Promise<number> {
    let rows = 0;
    for (const userId of await store.findErased(now, erasedUsersAtOnce)) {
      rows += await store.removeTransactions(userId);
      await store.markRemoved(userId, now);
    }
    return rows;
  }

  /** Finds what a run would remove now. */
  async function find(): Promise<Expired[]> {
    const now = clock.now();
    const found = await overKinds(store.count, now);
    return [...found, { kind: erasedTransactions, before: now, rows: await store.countErased(now) }];
  }

  async function run(): Promise<Expired[]> {
    const now = clock.now();
    const removed = await overKinds(removeAll, now);
    return [...removed, { kind: erasedTransactions, before: now, rows: await removeErased(now) }];
  }

  /** A run that a person starts. It is audited before anything is removed, so that no run is missing from the audit. */
  async function runFor(actor: Actor): Promise<Expired[]> {
    const due = (await find()).filter(({ rows }) => rows > 0);
    const detail = due.map(({ kind, rows }) => `${kind} ${rows}`).join(', ');
    await store.recordRun(actor, detail || 'nothing was due', clock.now());
    return run();
  }

  return { find, run, runFor };
}
