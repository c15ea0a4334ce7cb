/** A process that has no file descriptor left. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { cloneDatabase, row } from '../harness/service.ts';
import { dataFolder, startProcess } from '../harness/process.ts';
import { until } from '../harness/until.ts';

/** Leaves the process so many descriptors in addition to those that it has open. */
function leaveDescriptors(pid: number, free: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let left = free; left > 0; limit += 1) if (!open.has(limit)) left -= 1;
  expect(spawnSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`]).status).toBe(0);
}

const canLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).error === undefined;

it.skipIf(!canLimit)('a document for which no thread can be started is a 503', async () => {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  const service = await startProcess(await dataFolder(), { DATABASE_URL: database.url });
  const token = await service.token();
  const { json: user } = await service.call('POST', '/User', token, {});
  await service.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
  // Enough for a caller and for the session that reads the rows.
  leaveDescriptors(service.child.pid!, 3);
  const refused = await until(async () => {
    const { status, headers } = await service.call('POST', '/app/statement', token, { individualId: user.id });
    expect(status).toBe(503);
    // The pools may have opened a session meanwhile.
    if (headers.get('error-reason') === 'database-unavailable') leaveDescriptors(service.child.pid!, 3);
    return headers.get('error-reason') === 'overloaded' && headers;
  });
  expect(Number(refused.get('retry-after'))).toBeGreaterThan(0);
});
