/** The drill: a cold copy of the embedded database, restored elsewhere, with the users erased since erased again. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { runningEmbedded } from '../../src/db/embedded.ts';
import { dataFolder, run, startProcess } from '../harness/process.ts';
import { row } from '../harness/service.ts';

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
  for (const id of [gone, later]) await second.call('DELETE', `/User/${id}`, await second.token());
  const erased = await run(['erased', '--since', '2020-01-01'], { DATA_DIR: dataDir });
  expect(erased.stdout.match(/^\d+/gm)?.map(Number)).toEqual([gone, later]);
  await second.end('SIGTERM');
  const list = path.join(path.dirname(dataDir), 'erased.txt');
  await writeFile(list, erased.stdout);

  const doctor = await run(['doctor', '--restored', '--erased', list], { DATA_DIR: backup });
  expect([doctor.code, doctor.stdout]).toEqual([
    0,
    expect.stringMatching(
      /✓ Restored: counts, rows and blocks of \d+ individuals agree\n✓ Erased: 1 users are erased again; 1 ids that the backup lacks stay unused\n/,
    ),
  ]);
  const restored = await startProcess(backup);
  const again = await restored.token();
  expect((await restored.call('GET', `/User/${kept}/status`, again)).status).toBe(200);
  expect((await restored.call('GET', `/User/${gone}/status`, again)).status).toBe(404);
  expect((await restored.call('POST', '/User', again, { id: later })).status).toBe(400);
  await restored.end('SIGTERM');
  const retained = await run(['export', String(gone), '--erased', '--format', 'ndjson'], { DATA_DIR: backup });
  expect(retained.stdout.trim().split('\n')).toHaveLength(2);
});

it('doctor finds rows that do not agree, and asks for the list of erased users', async () => {
  const dataDir = await dataFolder();
  const service = await startProcess(dataDir);
  const token = await service.token();
  const { id } = (await service.call('POST', '/User', token, {})).json;
  await service.call('POST', '/app/record-transactions', token, { transactions: [row(id)] });
  const sql = postgres((await runningEmbedded(dataDir))!, { max: 1 });
  await sql`update ledgerline.users set transaction_count = 2 where id = ${id}`;
  await sql.end();
  await service.end('SIGTERM');
  const { code, stdout } = await run(['doctor', '--restored'], { DATA_DIR: dataDir });
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(new RegExp(`✗ Restored: the rows of 1 of \\d+ individuals do not agree: ${id}\\.`)),
  ]);
  expect(stdout).toMatch(/! Erased: no list of erased users was given/);
});
