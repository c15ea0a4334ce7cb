/** A clock that is set back, of the database server or of a node, such as by NTP after it was an hour ahead. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { createJobLeases } from '../../src/db/job-leases.ts';
import { createDeliveriesStore } from '../../src/events/webhooks/deliveries.store.ts';
import { createGuardStore } from '../../src/guard/guard.store.ts';
import { emptyState } from '../../src/guard/ranges/ranges.ts';
import { secondsAfter } from '../../src/values/clock.ts';
import { cloneDatabase } from '../harness/service.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, connections: 4, statementSeconds: 5 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

it('a job of a process that has ended is taken over when its lease has passed', async () => {
  const [ended, other] = [createJobLeases(db), createJobLeases(db)];
  expect(await ended.take('sweep', 10_000)).toBe(true);
  // What a lease looks like when the clock is an hour behind the one that it was taken with.
  await db.write`update job_leases set held_until = held_until + interval '1 hour'`;
  expect(await other.take('sweep', 10_000)).toBe(false);
  const [lease] =
    await db.read`select held_until < clock_timestamp() + interval '11 seconds' as is_short from job_leases`;
  expect(lease!.is_short).toBe(true);
  await db.write`update job_leases set held_until = held_until - interval '11 seconds'`;
  expect(await other.take('sweep', 10_000)).toBe(true);
  // Its own lease it keeps.
  await db.write`update job_leases set held_until = held_until + interval '1 hour'`;
  expect(await other.take('sweep', 10_000)).toBe(true);
  expect(await ended.take('sweep', 10_000)).toBe(false);
});

it('the webhook endpoints of a process that has ended are taken over when its leases have passed', async () => {
  const { lease } = createDeliveriesStore(db);
  await db.write`insert into webhook_endpoints (id, url, types, created_at) values (1, 'http://a', '{}', now()), (2, 'http://b', '{}', now())`;
  await db.write`insert into webhook_leases (endpoint_id) values (1), (2)`;
  const [ended, other] = [randomUUID(), randomUUID()];
  const leasesOf = async (dispatcher: string) => (await lease(dispatcher, 10, new Date())).length;
  expect(await leasesOf(ended)).toBe(2);
  await db.write`update webhook_leases set held_until = held_until + interval '1 hour'`;
  await db.write`update webhook_dispatchers set seen_until = seen_until + interval '1 hour'`;
  expect(await leasesOf(other)).toBe(0);
  await db.write`update webhook_leases set held_until = held_until - interval '11 seconds'`;
  await db.write`update webhook_dispatchers set seen_until = seen_until - interval '11 seconds'`;
  await leasesOf(other);
  expect(await leasesOf(other)).toBe(2);
});

it('a node whose clock is an hour behind does not make the sums of ranges fade', async () => {
  const { exchangeRanges } = createGuardStore(db);
  const now = new Date();
  const { at: _, refusedAt: __, shrinks: ___, ...none } = emptyState(0);
  const change = { name: 'GB', ...none, refusal: undefined };
  await exchangeRanges([{ ...change, hourSends: 100 }], now);
  for (let exchange = 0; exchange < 20; exchange += 1) {
    await exchangeRanges([change], secondsAfter(now, -3600));
    await exchangeRanges([change], now);
  }
  expect((await exchangeRanges([change], now)).get('GB')!.hourSends).toBeCloseTo(100);
  // A clock that was a day ahead is not waited for.
  await exchangeRanges([{ ...change, hourSends: 100 }], secondsAfter(now, 86_400));
  await exchangeRanges([change], now);
  expect((await exchangeRanges([change], secondsAfter(now, 36_000))).get('GB')!.hourSends).toBeLessThan(1);
});
