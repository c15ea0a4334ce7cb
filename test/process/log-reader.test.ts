/** Nobody reads the log: its collector is stuck, and the pipe is full. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLogOutput } from '../../src/cli/log-output.ts';
import { cloneDatabase } from '../harness/service.ts';
import { dataFolder, startProcess } from '../harness/process.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

it('keeps a limited number of lines, and says how many were lost', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pipe = path.join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  const output = openLogOutput(false, fd);
  const line = `${'a'.repeat(1023)}\n`;
  const written = 20_000;
  for (let count = 0; count < written; count += 1) output.write(line);
  const chunk = Buffer.alloc(1024 * 1024);
  let text = '';
  const last = await until(() => {
    try {
      text += chunk.toString('latin1', 0, readSync(fd, chunk));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
    return text.split('\n').find((each) => each.startsWith('{'));
  }, 1);
  const { lines, msg } = JSON.parse(last);
  expect(msg).toBe('log-lines-lost');
  // All others arrived whole.
  expect(text.split('\n').filter((each) => `${each}\n` === line)).toHaveLength(written - lines);
  expect(text.length).toBeLessThan(10 * 1024 * 1024);
});

it('does not keep the service from stopping', async () => {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  const service = await startProcess(await dataFolder(), { DATABASE_URL: database.url });
  service.child.stdout!.pause();
  // More than a pipe takes.
  for (let count = 0; count < sized(30, 100); count += 1) {
    await Promise.all(Array.from({ length: 20 }, () => service.call('GET', '/nothing', null)));
  }
  expect(await service.end('SIGTERM')).toBe(0);
});
