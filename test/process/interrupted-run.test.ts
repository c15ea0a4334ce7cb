/** A test run that is killed leaves nothing behind. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isFull } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** The command lines of processes that work in this folder or below it. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [command, environment] = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
      return `${command}${environment}`.includes(folder) ? [command!] : [];
    } catch {
      // It is no process, or has ended.
      return [];
    }
  });
}

/** It is a whole run, with a PostgreSQL of its own. */
it.skipIf(process.platform !== 'linux' || !isFull)(
  'kill -9 of the run ends its PostgreSQL and its services, and removes its files',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'interrupted-'));
    const run = spawn(process.execPath, [vitest, 'run', 'test/process/stop.test.ts'], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: { ...process.env, TMPDIR: folder },
      stdio: 'ignore',
    });
    await until(() => {
      const commands = processesOf(folder);
      return commands.some((each) => each.includes('bin/postgres')) && commands.some((each) => each.includes('serve'));
    });
    run.kill('SIGKILL');
    await expect.poll(() => processesOf(folder)).toEqual([]);
    // Vitest has a folder of its own.
    await expect.poll(async () => (await readdir(folder)).filter((name) => name.startsWith('ledgerline-'))).toEqual([]);
  },
  120_000,
);
