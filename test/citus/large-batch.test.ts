/** A batch of many individuals: their rows, counters and events, on one PostgreSQL and over the shards of a Citus. */
import { expect, it, onTestFinished } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { cloneDatabase } from '../harness/service.ts';
import { recordedRow } from './recorded-row.ts';

const now = new Date('2026-11-01T00:00:00Z');
const individuals = Array.from({ length: 20 }, (_, index) => index + 1);
/** What COPY writes in another way. */
const oddId = 'a\\b"c';

it('has one event for each individual, and counts rows and events', async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const db = await openDetected({ url: database.url, connections: 4, statementSeconds: 30 });
  onTestFinished(db.close);
  for (const id of individuals) await db.write`insert into users (id, created_at) values (${id}, ${now})`;
  const { recordBatch } = createRecordStore(db);
  const rowsOf = (transactionIds: string[], transactionStatus: string) =>
    transactionIds.flatMap((transactionId) =>
      individuals.map((id) => recordedRow(id, { transactionId, transactionStatus })),
    );
  const first = rowsOf([oddId, 'b', 'c'], 'Pending');
  expect(new Set(await recordBatch(first, now))).toEqual(new Set(['created']));
  // New rows of all, and changed ones.
  const second = [...rowsOf(['d', 'e', 'f'], 'Accepted'), ...rowsOf([oddId], 'Accepted')];
  const results = await recordBatch(second, now);
  expect(results.filter((result) => result === 'updated')).toHaveLength(individuals.length);

  const users = await db.write`select id, transaction_count, transaction_event_count from users order by id`;
  expect(users).toEqual(individuals.map((id) => ({ id, transaction_count: 6, transaction_event_count: 3 })));
  const events = await db.write`select user_id, sequence, type, data from user_event_outbox order by user_id, sequence`;
  expect(events).toEqual(
    individuals.flatMap((userId) => [
      event(1, 'transactions.recorded', { userId, count: 3, transactionIds: [oddId, 'b', 'c'], more: false }),
      event(2, 'transactions.recorded', { userId, count: 3, transactionIds: ['d', 'e', 'f'], more: false }),
      event(3, 'transactions.updated', { userId, transactionIds: [oddId], more: false }),
    ]),
  );
});

function event(sequence: number, type: string, data: { userId: number; [member: string]: unknown }) {
  return { user_id: data.userId, sequence, type, data };
}
