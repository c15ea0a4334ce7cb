/** Retention: each kind is kept for its days, and one job removes the rest. */
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { createRetention, erasedTransactions, retentionKinds } from '../../src/privacy/retention.ts';
import { createRetentionStore } from '../../src/privacy/retention.store.ts';
import { run } from '../harness/process.ts';
import { newPhone, row, startService, type Service } from '../harness/service.ts';

const days: Record<string, number> = {
  trail: 4,
  'send-keys': 1,
  'guard-decisions': 2,
  'operator-actions': 5,
  events: 3,
  [erasedTransactions]: 6,
};
const settings = {
  LEDGERLINE_RETENTION_DAYS: 'trail=4,guard-decisions=2,operator-actions=5,events=3',
  LEDGERLINE_RETAIN_ERASED_DAYS: '6',
  LEDGERLINE_LIMITS: 'user-sends=1/10m',
};

let service: Service;
let db: Database;
beforeAll(async () => {
  service = await startService(settings);
  db = await openDetected({ url: service.databaseUrl, connections: 3, statementSeconds: 5 });
});
afterAll(async () => {
  await db.close();
  await service.stop();
});

/** The job, as if so many days later. */
const retentionAfter = (daysLater: number) =>
  createRetention({
    store: createRetentionStore(db),
    clock: { now: () => new Date(Date.now() + daysLater * 86_400_000) },
    kinds: retentionKinds(loadConfig(settings).retentionDays),
  });

const rowsByKind = (expired: { kind: string; rows: number }[]) =>
  Object.fromEntries(expired.map(({ kind, rows }) => [kind, rows]));

async function createRowsOfEveryKind(): Promise<void> {
  const id = await service.createUser();
  const headers = { 'idempotency-key': 'first' };
  const send = { id, phoneNumber: newPhone() };
  expect((await service.call('/User/phone-number/send-code', send, { headers })).status).toBe(204);
  expect((await service.sendCode(id, newPhone())).status).toBe(429);
  const erased = await service.createUser();
  await service.record([row(erased), row(erased)]);
  await service.call(`/User/${erased}`, undefined, { method: 'DELETE' });
  // The events, the trail and the decisions are written after the answers.
  await expect
    .poll(async () => rowsByKind(await retentionAfter(7).find()), { timeout: 10_000 })
    .toMatchObject({ trail: 2, 'send-keys': 1, 'guard-decisions': 1, 'operator-actions': 1 });
  await service.call('/events', undefined, { method: 'GET' });
}

it('removes each kind when its days have passed, and nothing before', async () => {
  await createRowsOfEveryKind();
  const all = rowsByKind(await retentionAfter(7).find());
  expect(Object.keys(all).toSorted()).toEqual(Object.keys(days).toSorted());
  expect(Object.values(all).filter((rows) => rows === 0)).toEqual([]);
  for (let day = 0; day < 7; day += 1) {
    const due = Object.keys(days).filter((kind) => days[kind] === day);
    const expected = Object.fromEntries(Object.keys(days).map((kind) => [kind, due.includes(kind) ? all[kind] : 0]));
    const later = retentionAfter(day + 0.01);
    expect([day, rowsByKind(await later.find())]).toEqual([day, expected]);
    expect([day, rowsByKind(await later.run())]).toEqual([day, expected]);
  }
  expect(Object.values(rowsByKind(await retentionAfter(7).find()))).toEqual(Object.keys(days).map(() => 0));
  const left = await service.sql`select from transactions where individual_id in (select user_id from erased_users)`;
  expect(left).toHaveLength(0);
  expect(await service.sql`select from erased_users where rows_removed_at is null`).toHaveLength(0);
});

/** Events that expired long ago, as a large import leaves them: all in one hour. */
const expiredEvents = (count: number) => service.sql`
  insert into events (position, id, type, at, data)
  select 1000000 + n, gen_random_uuid(), 'user.created', now() - interval '10 days', '{}' from generate_series(1, ${count}) n`;

it('removes rows that take longer than a request may, in batches', async () => {
  await expiredEvents(1200);
  await service.sql.unsafe(`
    create function slow_removal() returns trigger language plpgsql as 'begin perform pg_sleep(0.002); return old; end';
    create trigger slow before delete on ledgerline.events for each row execute function slow_removal()`);
  const limited = await openDetected({ url: service.databaseUrl, connections: 4, statementSeconds: 1 });
  try {
    const kinds = retentionKinds(loadConfig(settings).retentionDays);
    const retention = createRetention({
      store: createRetentionStore(limited),
      clock: { now: () => new Date() },
      kinds,
    });
    const lags = Object.fromEntries((await retention.readLags()).map(({ kind, seconds }) => [kind, seconds]));
    expect(Math.round(lags.events! / 86_400)).toBe(7);
    expect(lags['operator-actions']).toBe(0);
    expect(rowsByKind(await retention.run()).events).toBe(1200);
    expect((await retention.readLags()).map(({ seconds }) => seconds)).toEqual(Object.keys(days).map(() => 0));
  } finally {
    await limited.close();
    await service.sql.unsafe('drop trigger slow on ledgerline.events; drop function slow_removal()');
  }
});

it('a kind that cannot be removed does not keep back the others', async () => {
  await expiredEvents(10);
  await service.sql`
    insert into send_keys (user_id, key_digest, request_digest, claimed_at)
    values (1, decode('00', 'hex'), decode('00', 'hex'), now() - interval '10 days')`;
  await service.sql.unsafe(`
    create function failed_removal() returns trigger language plpgsql as 'begin raise exception ''kept''; end';
    create trigger failing before delete on ledgerline.send_keys for each row execute function failed_removal()`);
  try {
    await expect(retentionAfter(0).run()).rejects.toThrow('Expired data was not removed: send-keys.');
    expect(rowsByKind(await retentionAfter(0).find())).toMatchObject({ 'send-keys': 1, events: 0 });
  } finally {
    await service.sql.unsafe('drop trigger failing on ledgerline.send_keys; drop function failed_removal()');
  }
  expect(rowsByKind(await retentionAfter(0).run())['send-keys']).toBe(1);
});

it('`ledgerline retention --dry-run` says what would be removed, and the command removes it', async () => {
  await service.sql`
    insert into operator_actions (acted_at, subject, client, action, target)
    select now() - interval '6 days', 'ann', 'console', 'lift', 'user 1' from generate_series(1, 3)`;
  const env = { ...settings, DATABASE_URL: service.databaseUrl };
  const planned = await run(['retention', '--dry-run'], env);
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringMatching(/^operator-actions +20\S+Z +3$/m)]);
  expect(planned.stdout).toContain('ROWS TO REMOVE');
  expect(await service.sql`select from operator_actions`).toHaveLength(3);
  const removed = await run(['retention', '--json'], env);
  expect(JSON.parse(removed.stdout).expired).toContainEqual(
    expect.objectContaining({ kind: 'operator-actions', rows: 3 }),
  );
  expect(await service.sql`select from operator_actions where acted_at < now() - interval '5 days'`).toHaveLength(0);
});

it('a run by hand is audited, with what was due, and a dry run is not', async () => {
  await service.sql`delete from operator_actions`;
  await service.sql`
    insert into operator_actions (acted_at, subject, client, action, target)
    select now() - interval '6 days', 'ann', 'console', 'lift', 'user 1' from generate_series(1, 2)`;
  const env = { ...settings, DATABASE_URL: service.databaseUrl };
  await run(['retention', '--dry-run'], env);
  const audited = async () =>
    (await service.call('/operator/actions?action=run-retention', undefined, { method: 'GET' })).json.actions;
  expect(await audited()).toEqual([]);
  expect((await run(['retention'], env)).code).toBe(0);
  const subject = `cli:${userInfo().username}`;
  expect(await audited()).toEqual([
    expect.objectContaining({ subject, client: 'cli', target: 'expired data', detail: 'operator-actions 2' }),
  ]);
  const { json } = await service.call('/events?type=operator.acted', undefined, { method: 'GET' });
  expect(json.events.at(-1).data).toEqual({ action: 'run-retention', actor: subject, target: 'expired data' });
});

it('docs/privacy.md names every kind with its setting', async () => {
  const page = await readFile('docs/privacy.md', 'utf8');
  for (const kind of Object.keys(days)) expect(page).toContain(`| ${kind} |`);
  for (const name of Object.keys(settings).filter((each) => each.endsWith('_DAYS'))) expect(page).toContain(name);
});
