/** The drill: a cold copy of the embedded database, restored elsewhere, with the users erased since erased again. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runHere } from '../harness/command.ts';
import { dataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, row, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

interface EventPage {
  events: { type: string; data: { userId?: number } }[];
  next: string;
}

/** All events after a cursor that have a position by now. */
async function readEvents(service: ServiceProcess, token: string, after?: string): Promise<EventPage> {
  const { status, json } = await service.call('GET', `/events${after === undefined ? '' : `?after=${after}`}`, token);
  expect([status, json]).toEqual([200, expect.anything()]);
  return json;
}

it('a restored backup agrees with itself, and whoever was erased after it is erased again', async () => {
  const dataDir = await dataFolder();
  const first = await startProcess(dataDir);
  const token = await first.token();
  const kept = (await first.call('POST', '/User', token, { email: 'kept@example.com' })).json.id;
  const gone = (await first.call('POST', '/User', token, { email: 'gone@example.com' })).json.id;
  await first.call('POST', '/app/record-transactions', token, { transactions: [row(kept), row(gone), row(gone)] });
  await first.end('SIGTERM');
  const backup = await dataFolder();
  // Owners and modes are part of a backup.
  execFileSync('cp', ['-a', dataDir, backup]);

  const second = await startProcess(dataDir);
  const later = (await second.call('POST', '/User', await second.token(), {})).json.id;
  const unknownToBackup = (await second.call('POST', '/User', await second.token(), {})).json.id;
  for (const id of [gone, later]) await second.call('DELETE', `/User/${id}`, await second.token());
  const erased = await runHere(['erased', '--since', '2020-01-01'], { DATA_DIR: dataDir });
  expect(erased.stdout.match(/^\d+/gm)?.map(Number)).toEqual([gone, later]);
  const cursor = (await readEvents(second, await second.token())).next;
  await second.end('SIGTERM');
  const list = path.join(path.dirname(dataDir), 'erased.txt');
  await writeFile(list, erased.stdout);

  const doctor = await runHere(['doctor', '--restored', '--erased', list], { DATA_DIR: backup });
  expect([doctor.code, doctor.stdout]).toEqual([
    0,
    expect.stringMatching(
      /✓ Restored: counts, rows and blocks of \d+ individuals agree\n✓ Ids: new users get ids above [\d,]+, since those above \d+ may have been given out after the backup; .*\n✓ Erased: 1 users are erased again; 1 ids that the backup lacks stay unused; retention counts from the times in the list\n/,
    ),
  ]);
  // Retention does not start anew: the times are those of the list.
  expect((await runHere(['erased', '--since', '2020-01-01'], { DATA_DIR: backup })).stdout).toBe(erased.stdout);
  const restored = await startProcess(backup);
  const again = await restored.token();
  expect((await restored.call('GET', `/User/${kept}/status`, again)).status).toBe(200);
  expect((await restored.call('GET', `/User/${gone}/status`, again)).status).toBe(404);
  expect((await restored.call('POST', '/User', again, { id: later })).status).toBe(400);
  // Others still know the user that only the lost database had.
  const created = (await restored.call('POST', '/User', again, {})).json.id;
  expect(created).toBeGreaterThan(unknownToBackup + 9_000_000);
  await until(async () => {
    const { events } = await readEvents(restored, again, cursor);
    return events.some(({ type, data }) => type === 'user.created' && data.userId === created);
  });
  await restored.end('SIGTERM');
  const retained = await runHere(['export', String(gone), '--erased', '--format', 'ndjson'], { DATA_DIR: backup });
  expect(retained.stdout.trim().split('\n')).toHaveLength(2);
});

/** A database that a sandbox has been started on. */
async function emptySandbox(): Promise<{ DATABASE_URL: string }> {
  const database = await cloneDatabase(inject('sandboxTemplateName'));
  onTestFinished(database.drop);
  return { DATABASE_URL: database.url };
}

it('doctor finds rows that do not agree, and asks for the list of erased users', async () => {
  const service = await serviceForTest();
  const id = await service.createUser();
  await service.record([row(id)]);
  await service.sql`update users set transaction_count = 2 where id = ${id}`;
  const { code, stdout } = await runHere(['doctor', '--restored'], { DATABASE_URL: service.databaseUrl });
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(new RegExp(`✗ Restored: the rows of 1 of \\d+ individuals do not agree: ${id}\\.`)),
  ]);
  expect(stdout).toMatch(/! Erased: no list of erased users was given/);
});

it('doctor moves ids on to the given one, and refuses if there is no room', async () => {
  const settings = await emptySandbox();
  const findIds = async (...options: string[]) => {
    const { code, stdout } = await runHere(['doctor', '--restored', ...options], settings);
    return `${code} ${/^. Ids: .*$/m.exec(stdout)?.[0]}`;
  };
  expect(await findIds('--ids-after', '2140000000')).toMatch(/^0 ✓ Ids: new users get ids above 2,140,000,000/);
  expect(await findIds()).toBe(
    '1 ✗ Ids: user ids cannot continue after 2150000000: the backup has given out 2140000000, and 1,000,000 must be ' +
      'left below 2147483648. Set --ids-after to the last id that was given out before the loss.',
  );
  expect(await findIds('--ids-after', '5')).toMatch(/^1 ✗ Ids: user ids cannot continue after 5: /);
  // After the largest id the sequence begins again at 1.
  expect(await findIds('--ids-after', '2146483648')).toMatch(/^1 ✗ Ids: user ids cannot continue after 2146483648/);
  expect(await (await serviceForTest(settings)).createUser()).toBe(2_140_000_001);
});

it('doctor erases no user if a line of the list cannot be read', async () => {
  const settings = await emptySandbox();
  const list = path.join(path.dirname(await dataFolder()), 'erased.txt');
  await writeFile(list, '1 2026-01-01T00:00:00.000Z\n2 yesterday\n');
  const { code, stderr } = await runHere(['doctor', '--restored', '--erased', list], settings);
  expect([code, stderr.trim()]).toEqual([1, `${list}, line 2: the time must be one such as 2026-11-01T12:00:00.000Z.`]);
  expect((await runHere(['erased', '--since', '2020-01-01'], settings)).stdout).toBe('');
});
