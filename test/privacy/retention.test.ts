/** Retention: each kind is kept for its days, and one job removes the rest. */
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openDetected } from '../../src/db/citus.ts';
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
  LEDGERLINE_TRAIL_DAYS: '4',
  LEDGERLINE_SEND_KEY_DAYS: '1',
  LEDGERLINE_DECISION_DAYS: '2',
  LEDGERLINE_ACTION_DAYS: '5',
  LEDGERLINE_EVENTS_DAYS: '3',
  LEDGERLINE_RETAIN_ERASED_DAYS: '6',
  LEDGERLINE_USER_SENDS: '1/10m',
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
    kinds: retentionKinds(loadConfig(settings)),
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
