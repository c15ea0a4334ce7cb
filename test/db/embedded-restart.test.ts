import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { isRunning } from '../../src/db/embedded/data-directory-lock.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { preparedDataFolder } from '../harness/process.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

/** As on a busy machine: the file of the killed server is read again before its end is noticed. */
function holdUpEventLoop(): void {
  const until = performance.now() + 100;
  while (performance.now() < until);
}

it('the embedded PostgreSQL is started again also when it is killed at the moment it is ready', async () => {
  const dataDir = await preparedDataFolder();
  const embedded = await startEmbedded({ dataDir, settings: { fsync: 'off' } });
  onTestFinished(() => embedded.stop());

  let killed = 0;
  /** The process id of a server that is ready and has not been killed yet. */
  function readReadyPid(): number | undefined {
    try {
      const lines = readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n');
      const pid = Number(lines[0]);
      return lines[7]?.trim() === 'ready' && pid !== killed ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  for (let round = 0; round < sized(3, 5); round += 1) {
    killed = (await until(readReadyPid))!;
    process.kill(killed, 'SIGKILL');
    holdUpEventLoop();
  }
  await until(readReadyPid);
  const sql = postgres(embedded.url, { max: 1 });
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  await sql.end();
});

it('the embedded PostgreSQL is not started again if it is stopped just after it was killed', async () => {
  const dataDir = await preparedDataFolder();
  const embedded = await startEmbedded({ dataDir, settings: { fsync: 'off' } });
  const pidFile = path.join(dataDir, 'postgres/postmaster.pid');
  const killed = readFileSync(pidFile, 'utf8').split('\n')[0]!;
  const restarted = () => {
    const [pid = ''] = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n') : [];
    return pid !== '' && pid !== killed ? Number(pid) : undefined;
  };
  process.kill(Number(killed), 'SIGKILL');
  await until(() => !isRunning(Number(killed)));
  await embedded.stop();
  // Longer than the pause before a start.
  await sleep(1500);
  expect(restarted()).toBeUndefined();
});
