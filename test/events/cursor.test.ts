/** The cursor against many writers at once: some slow, some rolled back, and readers that must miss and repeat nothing. */
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { createEventLogStore } from '../../src/events/event-log.store.ts';
import { createListEvents } from '../../src/events/list-events.ts';
import { createSequencer } from '../../src/events/sequencer.ts';
import type { Amount } from '../../src/transactions/amount.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { makeRow } from '../../src/transactions/row.ts';
import { createUsersStore } from '../../src/users/users.store.ts';
import { parseInstant } from '../../src/values/instant.ts';
import { cloneDatabase } from '../harness/service.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
let writers: postgres.Sql;
beforeAll(async () => {
  database = await cloneDatabase();
  db = await openDetected({ url: database.url, connections: 16, statementSeconds: 30 });
  writers = postgres(database.url, { max: 24, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
});
afterAll(async () => {
  await writers.end();
  await db.close();
  await database.drop();
});

interface Event {
  id: string;
  type: string;
  sequence?: number;
  data: { userId?: number; mark?: string };
}

const clock = { now: () => new Date() };

/** As one process of several would read: with a sequencer of its own. */
function createReader() {
  const store = createEventLogStore(db);
  const { sequence } = createSequencer({ store, clock });
  const listEvents = createListEvents({ store, sequence, clock, keepDays: 30 });
  let after: string | undefined;
  const seen: Event[] = [];
  return {
    seen,
    async read(limit: number): Promise<number> {
      const page = await listEvents({ after, limit, types: undefined, userId: undefined });
      after = page.next;
      seen.push(...page.events.map((text) => JSON.parse(text) as Event));
      return page.events.length;
    },
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const random = (limit: number) => Math.floor(Math.random() * limit);

class RolledBack extends Error {}

/** Writes an event in a transaction that stays open for a while. The mark, if it was committed. */
async function writeSlowly(userId: number | null, mark: string, milliseconds: number, commits: boolean) {
  return writers
    .begin(async (sql) => {
      await sql`select write_event('guard.rule_fired', ${userId}, now(), json_build_object('mark', ${mark}::text))`;
      await pause(milliseconds);
      if (!commits) throw new RolledBack();
      return mark;
    })
    .catch((error: unknown) => {
      if (error instanceof RolledBack) return undefined;
      throw error;
    });
}

let transactionNumber = 0;
function newRow(individualId: number) {
  transactionNumber += 1;
  return makeRow({
    individualId,
    transactionId: `p-${transactionNumber}`,
    amount: '1.00' as Amount,
    currency: 'EUR',
    timeStamp: parseInstant('2026-01-01T00:00:00Z')!,
    transactionType: '',
    transactionCategory: '',
    transactionStatus: '',
    senderName: '',
    receiverName: '',
    paymentNotes: '',
    paymentSystem: '',
  });
}

function counterOf({ type, data: { userId } }: Event): string {
  return `${userId} ${type.startsWith('transactions.') ? 'transactions' : 'others'}`;
}

function expectWhole(seen: Event[], marks: Set<string>, recorded: number): void {
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  expect(seen.flatMap(({ data: { mark } }) => mark ?? []).toSorted()).toEqual([...marks].toSorted());
  expect(seen.filter(({ type }) => type === 'transactions.recorded')).toHaveLength(recorded);
  const last = new Map<string, number>();
  for (const event of seen) {
    if (event.sequence === undefined) continue;
    const counter = counterOf(event);
    expect([counter, event.sequence]).toEqual([counter, (last.get(counter) ?? 0) + 1]);
    last.set(counter, event.sequence);
  }
}

it('readers that follow the cursor get every event exactly once, each counter in order', async () => {
  const users = createUsersStore(db);
  const records = createRecordStore(db);
  const ids: number[] = [];
  const marks = new Set<string>();
  let recorded = 0;
  let isWriting = true;

  async function write(writer: number): Promise<void> {
    for (let step = 0; step < 30; step += 1) {
      const userId = ids[random(ids.length)]!;
      const kind = random(10);
      if (kind < 5) {
        const slow = random(8) === 0 ? 200 + random(400) : random(5);
        const mark = await writeSlowly(kind === 0 ? null : userId, `${writer}-${step}`, slow, random(5) > 0);
        if (mark !== undefined) marks.add(mark);
      } else if (kind < 9) {
        await records.recordBatch([newRow(userId), newRow(userId)], new Date());
        recorded += 1;
      } else {
        const created = await users.insertUser(
          { id: undefined, merchantId: undefined, email: undefined, additionalData: undefined },
          new Date(),
        );
        ids.push(created!);
      }
    }
  }

  for (let count = 0; count < 4; count += 1) {
    const user = { id: undefined, merchantId: undefined, email: undefined, additionalData: undefined };
    ids.push((await users.insertUser(user, new Date()))!);
  }
  const readers = [createReader(), createReader(), createReader()];
  const reading = readers.map(async (reader, index) => {
    while (isWriting) {
      await reader.read(1 + random(index === 0 ? 3 : 200));
      if (index === 2) await pause(random(50));
    }
    while ((await reader.read(1000)) > 0);
  });
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
  isWriting = false;
  await Promise.all(reading);
  for (const { seen } of readers) {
    expectWhole(seen, marks, recorded);
    expect(seen.filter(({ type }) => type === 'user.created')).toHaveLength(ids.length);
  }
  const [first, ...others] = readers.map(({ seen }) => seen.map(({ id }) => id));
  for (const order of others) expect(order).toEqual(first);
});

it('a transaction that stays open holds back its own event and no other', async () => {
  const reader = createReader();
  while ((await reader.read(1000)) > 0);
  const known = reader.seen.length;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let hasBegun = () => {};
  const begun = new Promise<void>((resolve) => (hasBegun = resolve));
  const slow = writers.begin(async (sql) => {
    await sql`select write_event('gateway.up', null, now(), '{"mark":"slow"}')`;
    hasBegun();
    await released;
  });
  await begun;
  await writers`select write_event('gateway.up', null, now(), '{"mark":"fast"}')`;
  await reader.read(1000);
  const marks = () => reader.seen.slice(known).map(({ data: { mark } }) => mark);
  expect(marks()).toEqual(['fast']);
  release();
  await slow;
  await reader.read(1000);
  expect(marks()).toEqual(['fast', 'slow']);
});

it('an event about an id that no user has names no user', async () => {
  await writers`select write_event('operator.acted', 2000000000, now(), '{"mark":"nobody"}')`;
  const reader = createReader();
  while ((await reader.read(1000)) > 0);
  const written = reader.seen.find(({ data: { mark } }) => mark === 'nobody')!;
  expect(written).not.toHaveProperty('sequence');
  expect(written.data).toEqual({ mark: 'nobody' });
});
