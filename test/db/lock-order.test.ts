/** Transactions that lock the same rows do it in one order: otherwise they end in a deadlock, which is a 503 for one of them. */
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { createDeliveriesStore } from '../../src/events/webhooks/deliveries.store.ts';
import { createEndpointsStore } from '../../src/events/webhooks/endpoints.store.ts';
import { createGuardStore } from '../../src/guard/guard.store.ts';
import { createPhoneStore } from '../../src/phone/phone.store.ts';
import { createRetentionStore } from '../../src/privacy/retention.store.ts';
import { createUsersStore } from '../../src/users/users.store.ts';
import { parsePhoneNumber } from '../../src/values/phone-number.ts';
import { cloneDatabase, newPhone, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
let sql: postgres.Sql;
beforeAll(async () => {
  clone = await cloneDatabase();
  db = await openDetected({ url: clone.url, connections: 4, statementSeconds: 10 });
  sql = postgres(clone.url, { max: 2, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
});
afterAll(async () => {
  await db.close();
  await sql.end();
  await clone.drop();
});

const now = new Date();
const longAgo = new Date(now.getTime() - 30 * 86_400_000);
const audited = { now, who: { subject: 'test', client: 'test' } };

type Step = (transaction: postgres.TransactionSql) => Promise<unknown>;

/**
 * Another transaction takes its first locks. The call begins, and waits for one of them or ends. Then the other
 * transaction takes its last locks, and is committed.
 */
async function between<T>(first: Step, call: () => Promise<T>, last: Step): Promise<T> {
  const { result } = await sql.begin(async (transaction) => {
    await first(transaction);
    let hasEnded = false;
    const result = call().finally(() => (hasEnded = true));
    // Its error is that of the test, unless the other transaction fails.
    result.catch(() => undefined);
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return hasEnded || waiting.length > 0;
    });
    await last(transaction);
    return { result };
  });
  return result;
}

let lastId = 100;
const nextId = () => (lastId += 1);

async function createEndpoint({ isEnabled = true } = {}): Promise<number> {
  const id = nextId();
  await sql`
    insert into webhook_endpoints (id, url, types, created_at, enabled, disabled_reason)
    values (${id}, 'https://hooks.example', '{}', ${now}, ${isEnabled}, ${isEnabled ? null : 'request'})`;
  await sql`insert into webhook_leases (endpoint_id, epoch) values (${id}, 1)`;
  return id;
}

/** Two deliveries, of which the one with the lower id was stored later. */
async function createDeliveries(endpointId: number): Promise<{ lower: number; higher: number; positions: number[] }> {
  const [lower, higher] = [nextId(), nextId()];
  for (const id of [higher, lower]) {
    await sql`
      insert into events (position, id, type, at, data) values (${id}, gen_random_uuid(), 'user.created', ${longAgo}, '{}')`;
    await sql`
      insert into webhook_deliveries (id, endpoint_id, event_position, due_at) overriding system value
      values (${id}, ${endpointId}, ${id}, ${now})`;
  }
  return { lower, higher, positions: [lower, higher] };
}

const lockDelivery =
  (id: number): Step =>
  (transaction) =>
    transaction`select from webhook_deliveries where id = ${id} for update`;

describe('webhook endpoints', () => {
  const changes: [string, (id: number) => Promise<unknown>][] = [
    ['changed', (id) => createEndpointsStore(db).update(id, { url: 'https://other.example' }, audited)],
    ['enabled', (id) => createEndpointsStore(db).enable(id, audited)],
    ['disabled', (id) => createEndpointsStore(db).disable(id, audited)],
    ['deleted', (id) => createEndpointsStore(db).remove(id, audited)],
  ];

  it.each(changes)(
    'one is %s while a process has locked its lease and then locks the endpoint',
    async (name, change) => {
      const id = await createEndpoint({ isEnabled: name !== 'enabled' });
      await between(
        (transaction) => transaction`select from webhook_leases where endpoint_id = ${id} for update`,
        () => change(id),
        (transaction) => transaction`select from webhook_endpoints where id = ${id} for update`,
      );
    },
  );

  it('expired secrets are removed while an operator rotates them', async () => {
    const id = await createEndpoint();
    const [first, second] = await sql`
      insert into webhook_secrets (endpoint_id, sealed, expires_at)
      select ${id}, 'x', ${longAgo}::timestamptz from generate_series(1, 2) returning id`;
    const lockSecret =
      (secret: number): Step =>
      (transaction) =>
        transaction`select from webhook_secrets where id = ${secret} for update`;
    await between(
      lockSecret(second!.id),
      () => createEndpointsStore(db).removeExpiredSecrets(now),
      lockSecret(first!.id),
    );
    await createEndpointsStore(db).removeExpiredSecrets(now);
    expect(await sql`select from webhook_secrets where endpoint_id = ${id}`).toHaveLength(0);
  });
});

describe('deliveries of expired events', () => {
  it('are removed while their outcomes are written', async () => {
    const { lower, higher } = await createDeliveries(await createEndpoint());
    await between(
      lockDelivery(lower),
      () => createRetentionStore(db).removeOldest({ table: 'events', column: 'at' }, now),
      lockDelivery(higher),
    );
    expect(await sql`select from webhook_deliveries where id in (${lower}, ${higher})`).toHaveLength(0);
  });

  it('get their outcomes while they are removed', async () => {
    const endpointId = await createEndpoint();
    const { lower, higher } = await createDeliveries(endpointId);
    const outcomes = [higher, lower].map((id) => ({
      id,
      state: 'delivered' as const,
      attempts: 1,
      attemptedAt: now,
      isExhausted: false,
    }));
    const marked = { endpointId, epoch: '1', outcomes, failingSince: null, disableReason: undefined, now };
    await between(lockDelivery(lower), () => createDeliveriesStore(db).mark(marked), lockDelivery(higher));
    expect(
      await sql`select from webhook_deliveries where state = 'delivered' and endpoint_id = ${endpointId}`,
    ).toHaveLength(2);
  });

  const ends: [string, (id: number) => Promise<unknown>][] = [
    ['of a disabled endpoint become failed', (id) => createDeliveriesStore(db).failDue(id)],
    ['of a deleted endpoint are removed', (id) => createDeliveriesStore(db).removeOfEndpoint(id)],
  ];

  it.each(ends)('%s while they are removed', async (_name, end) => {
    const endpointId = await createEndpoint({ isEnabled: false });
    const { lower, higher } = await createDeliveries(endpointId);
    await between(lockDelivery(lower), () => end(endpointId), lockDelivery(higher));
    await end(endpointId);
    expect(await sql`select from webhook_deliveries where state = 'due' and endpoint_id = ${endpointId}`).toHaveLength(
      0,
    );
  });
});

describe('an import of users', () => {
  const importUsers = (...users: [id: number, phone: string][]) =>
    createUsersStore(db).importUsers(
      users.map(([id, phone]) => ({ id, phoneNumber: parsePhoneNumber(phone)!, verified: true })),
      now,
    );

  // On a Citus an erasure is no single transaction.
  it.skipIf(inject('citusNodes').length > 0)('waits for an erasure of one of them', async () => {
    const [id, other] = [nextId(), nextId()];
    await importUsers([id, newPhone()]);
    const results = await between(
      // As eraseInOneTransaction does.
      (transaction) => transaction`select from verifications where user_id = ${id} for update`,
      () => importUsers([id, newPhone()], [other, newPhone()]),
      async (transaction) => {
        await transaction`select from users where id = ${id} for update`;
        await transaction`delete from phone_links where user_id = ${id}`;
        await transaction`delete from verifications where user_id = ${id}`;
        await transaction`delete from users where id = ${id}`;
        await transaction`insert into erased_users (user_id, erased_at) values (${id}, ${now})`;
      },
    );
    expect(results).toEqual([{ user: 'erased' }, { user: 'created' }]);
    expect(await sql`select from phone_links where user_id = ${id}`).toHaveLength(0);
    // The guard removes what the import has left of the erased user.
    await createGuardStore(db).sweep('verifications', undefined, 1000, now, now);
    expect(await sql`select from verifications where user_id = ${id}`).toHaveLength(0);
  });

  it('waits for a change of number between two of its numbers', async () => {
    const [changing, first, second] = [nextId(), nextId(), nextId()];
    const [before, after] = [newPhone(), newPhone()].toSorted();
    await importUsers([changing, before!]);
    const results = await between(
      // As consume_code does.
      (transaction) =>
        transaction`insert into phone_links (phone, user_id, linked_at) values (${after!}, ${changing}, ${now})`,
      () => importUsers([first, before!], [second, after!]),
      (transaction) => transaction`delete from phone_links where phone = ${before!}`,
    );
    expect(results).toEqual([
      { user: 'created', phoneProblem: 'taken' },
      { user: 'created', phoneProblem: 'taken' },
    ]);
  });

  it('waits while the events of missed blocks are written', async () => {
    const [lower, higher] = [nextId(), nextId()];
    const until = new Date(now.getTime() + 3_600_000);
    for (const id of [higher, lower]) {
      await sql`insert into users (id, created_at) values (${id}, ${now})`;
      await sql`
        insert into verifications (user_id, failures, blocked_until) values (${id}, array[${longAgo}::timestamptz], ${until})`;
    }
    const lockUser =
      (id: number): Step =>
      (transaction) =>
        transaction`select from verifications where user_id = ${id} for update`;
    const written = await between(
      lockUser(lower),
      () => createPhoneStore(db).writeMissedBlockEvents(now, now, 10),
      lockUser(higher),
    );
    expect(written).toBe(2);
  });
});

describe('expired rows', () => {
  it('are removed while their user is erased', async () => {
    const id = nextId();
    await sql`
      insert into verification_events (user_id, at, kind, reason, times)
      select ${id}, ${longAgo}::timestamptz, 'attempt', n::text, 1 from generate_series(1, 3) n`;
    const lockRow =
      (reason: string): Step =>
      (transaction) =>
        transaction`select from verification_events where user_id = ${id} and reason = ${reason} for update`;
    const kind = { table: 'verification_events', column: 'at' };
    const removed = await between(lockRow('3'), () => createRetentionStore(db).removeOldest(kind, now), lockRow('1'));
    expect(removed).toBe(2);
    expect(await createRetentionStore(db).removeOldest(kind, now)).toBe(1);
  });

  it('of the guard are removed while a send locks them', async () => {
    const [first, second] = [Buffer.from('01', 'hex'), Buffer.from('02', 'hex')];
    for (const key of [first, second]) {
      await sql`
        insert into guard_sources (key, kind, label, sends) values (${key}, 'address', 'x', array[${longAgo}::timestamptz])`;
    }
    const lockSource =
      (key: Buffer): Step =>
      (transaction) =>
        transaction`select from guard_sources where key = ${key} for update`;
    const sweep = () => createGuardStore(db).sweep('guard_sources', undefined, 1000, now, now);
    await between(lockSource(second), sweep, lockSource(first));
    expect(await sql`select key from guard_sources`).toMatchObject([{ key: second }]);
    await sweep();
    expect(await sql`select from guard_sources`).toHaveLength(0);
  });
});

it('a first send to a phone of another user loses a race, instead of waiting for a call that waits for its source', async () => {
  const service = await serviceForTest({
    LEDGERLINE_RULES: '*=off,address-sends=enforce,token-sends=enforce',
    LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
  });
  const taken = newPhone();
  await service.verifiedUser(taken);
  const id = await service.createUser();
  const token = await service.token('', id);
  const send = (phoneNumber: string) =>
    service.call(
      '/User/phone-number/send-code',
      { id, phoneNumber },
      { token, headers: { 'x-forwarded-for': '198.51.100.7' } },
    );
  await send(newPhone());
  const [source] = await service.sql`select key, label from guard_sources where kind = 'token'`;
  const [address] = await service.sql`select key from guard_sources where label = '198.51.100.7'`;
  await service.sql`delete from guard_sources where kind = 'token'`;
  await service.sql`delete from verifications where user_id = ${id}`;

  const connections = postgres(service.databaseUrl, { max: 3, connection: { search_path: 'ledgerline' } });
  onTestFinished(() => connections.end({ timeout: 1 }));
  const [first, second] = await Promise.all([connections.reserve(), connections.reserve()]);
  const isWaitingFor = async (session: postgres.ReservedSql) => {
    const [holder] = await session`select pg_backend_pid() as pid`;
    const waiting = await connections`
      select from pg_stat_activity where query like '%reserve_send%' and ${holder!.pid} = any(pg_blocking_pids(pid))`;
    return waiting.length > 0;
  };
  await first`begin`;
  await first`select from guard_sources where key = ${address!.key} for update`;
  const sent = send(taken);
  await until(() => isWaitingFor(first));
  await connections`insert into verifications (user_id) values (${id})`;
  await second`begin`;
  await second`select from verifications where user_id = ${id} for update`;
  await first`commit`;
  await until(() => isWaitingFor(second));
  // If this waits, it is a deadlock. PostgreSQL would end the send, which is then run again.
  await second`set local lock_timeout = '200ms'`;
  await second`insert into guard_sources (key, kind, label) values (${source!.key}, 'token', ${source!.label})`;
  await second`commit`;
  const { headers } = await sent;
  expect(headers.get('error-reason')).toBe('phone-taken');
  first.release();
  second.release();
});
