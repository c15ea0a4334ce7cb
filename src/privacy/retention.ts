/** Retention: one table of what is kept for how many days, and the job that removes expired data. */
import { causeOf } from '../errors.ts';
import { daySeconds, secondsAfter, secondsBetween, type Clock } from '../values/clock.ts';
import type { Operator } from '../audit/operator-actions.ts';
import type { DatedTable, RetentionStore } from './retention.store.ts';

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

/** How long the oldest row of a kind has been expired. */
export interface RetentionLag {
  kind: string;
  seconds: number;
}

export interface RetentionParts {
  store: RetentionStore;
  clock: Clock;
  kinds: readonly RetentionKind[];
}

export type Retention = ReturnType<typeof createRetention>;

const erasedUsersAtOnce = 100;
const longestRunMilliseconds = 5 * 60_000;

const kindTables = {
  trail: [
    { table: 'messages', column: 'requested_at' },
    { table: 'verification_events', column: 'at' },
    { table: 'phone_changes', column: 'changed_at' },
    { table: 'confirmations', column: 'created_at' },
  ],
  'send-keys': [{ table: 'send_keys', column: 'claimed_at' }],
  'guard-decisions': [{ table: 'guard_decisions', column: 'decided_at' }],
  'operator-actions': [{ table: 'operator_actions', column: 'acted_at' }],
  events: [{ table: 'events', column: 'at' }],
} satisfies Record<string, readonly DatedTable[]>;

export type RetentionName = keyof typeof kindTables;
export type RetentionDays = Readonly<Record<RetentionName, number>>;

export const defaultRetentionDays: RetentionDays = {
  trail: 90,
  // As long as clients repeat a send.
  'send-keys': 1,
  'guard-decisions': 30,
  'operator-actions': 365,
  events: 30,
};

export function retentionKinds(days: RetentionDays): RetentionKind[] {
  return Object.entries(kindTables).map(([name, tables]) => ({ name, days: days[name as RetentionName], tables }));
}

/** The transactions of erased users have a date for each user: see `erased_users.retained_until`. */
export const erasedTransactions = 'erased-transactions';

export function createRetention({ store, clock, kinds }: RetentionParts) {
  const beforeOf = ({ days }: RetentionKind, now: Date) => secondsAfter(now, -days * daySeconds);

  async function countKind(kind: RetentionKind, now: Date): Promise<Expired> {
    const before = beforeOf(kind, now);
    let rows = 0;
    for (const table of kind.tables) rows += await store.count(table, before);
    return { kind: kind.name, before, rows };
  }

  async function* removeKind(kind: RetentionKind, now: Date): AsyncGenerator<number> {
    const before = beforeOf(kind, now);
    for (const table of kind.tables) yield* repeat(() => store.removeOldest(table, before));
  }

  /** All rows of one user, then those of the next. */
  async function* removeErased(now: Date): AsyncGenerator<number> {
    for (;;) {
      const users = await store.findErased(now, erasedUsersAtOnce);
      const failures: unknown[] = [];
      for (const userId of users) {
        try {
          yield* repeat(() => store.removeTransactions(userId));
          await store.markRemoved(userId, now);
        } catch (error) {
          // Such as a database node that is away. The users after this one are not kept back.
          failures.push(error);
        }
      }
      if (failures.length > 0 && failures.length === users.length) throw failures[0];
      if (users.length === 0) return;
    }
  }

  /** Finds what a run would remove now. */
  async function find(): Promise<Expired[]> {
    const now = clock.now();
    const found: Expired[] = [];
    for (const kind of kinds) found.push(await countKind(kind, now));
    return [...found, { kind: erasedTransactions, before: now, rows: await store.countErased(now) }];
  }

  /**
   * A batch of each kind in turn, so that a kind with many rows, or one that fails, does not keep back the others. It
   * ends when nothing is left, or after the batch in which `mustEnd` becomes true.
   */
  async function run(mustEnd = () => false): Promise<Expired[]> {
    const now = clock.now();
    const tasks = [
      ...kinds.map((kind) => ({
        kind: kind.name,
        before: beforeOf(kind, now),
        rows: 0,
        batches: removeKind(kind, now),
      })),
      { kind: erasedTransactions, before: now, rows: 0, batches: removeErased(now) },
    ];
    const failures: { kind: string; error: unknown }[] = [];
    let open = tasks;
    while (open.length > 0 && !mustEnd()) {
      const unfinished: typeof tasks = [];
      for (const task of open) {
        try {
          const { done, value } = await task.batches.next();
          if (done) continue;
          task.rows += value;
          unfinished.push(task);
        } catch (error) {
          failures.push({ kind: task.kind, error });
        }
      }
      open = unfinished;
    }
    if (failures.length > 0) throw failureOf(failures);
    return tasks.map(({ kind, before, rows }) => ({ kind, before, rows }));
  }

  /** A run of the job: not longer than its pause, so that each run is noted as a success, and a stop need not wait. */
  async function runJob(isStopping: () => boolean): Promise<void> {
    const endAt = performance.now() + longestRunMilliseconds;
    await run(() => isStopping() || performance.now() > endAt);
  }

  /** For each kind, for how many seconds its oldest row should have been gone. */
  async function readLags(): Promise<RetentionLag[]> {
    const now = clock.now();
    const lags: RetentionLag[] = [];
    for (const kind of kinds) {
      const times = await Promise.all(kind.tables.map((table) => store.readOldest(table)));
      lags.push({
        kind: kind.name,
        seconds: Math.max(...times.map((oldest) => secondsOf(oldest, beforeOf(kind, now)))),
      });
    }
    lags.push({ kind: erasedTransactions, seconds: secondsOf(await store.readOldestErased(now), now) });
    return lags;
  }

  /** A run that a person starts. It is audited before anything is removed, so that no run is missing from the audit. */
  async function runFor(actor: Operator): Promise<Expired[]> {
    const due = (await find()).filter(({ rows }) => rows > 0);
    const detail = due.map(({ kind, rows }) => `${kind} ${rows}`).join(', ');
    await store.recordRun(actor, detail || 'nothing was due', clock.now());
    return run();
  }

  return { find, run, runJob, runFor, readLags };
}

/** Repeats a batch until it finds nothing. */
async function* repeat(remove: () => Promise<number>): AsyncGenerator<number> {
  for (let rows = await remove(); rows > 0; rows = await remove()) yield rows;
}

function secondsOf(oldest: Date | null, before: Date): number {
  return oldest === null ? 0 : Math.max(0, secondsBetween(oldest, before));
}

/** With the cause of the first error, which is the reason that the log gives. */
function failureOf(failures: readonly { kind: string; error: unknown }[]): Error {
  const [first] = failures;
  const names = failures.map(({ kind }) => kind).join(', ');
  const { error: cause } = first!;
  return Object.assign(new Error(`Expired data was not removed: ${names}.`, { cause }), { code: causeOf(cause) });
}
