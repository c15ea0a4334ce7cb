/** A short run of the fault test with a fixed seed. `npm run chaos` runs for as long as one likes. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { sized } from '../harness/size.ts';

const main = fileURLToPath(new URL('../../chaos/main.js', import.meta.url));

const minutes = sized('0.5', '1');

it(`${minutes} minutes of faults break no promise`, { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-chaos-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const history = path.join(folder, 'history.ndjson');
  // This seed kills services and workers several times. Fewer calls than a run by hand makes: the faults are what matters here.
  const options = [
    '--minutes',
    minutes,
    '--seed',
    '302',
    '--round-seconds',
    sized('15', '20'),
    '--pause-milliseconds',
    sized('400', '150'),
  ];
  // A failure shows what the run printed, with the violations.
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...options, '--history', history]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toMatch(/\nNo violation\.\n$/);
  expect(stdout).toMatch(/\| kill service \| [1-9]/);
  const [start, ...entries] = (await readFile(history, 'utf8')).trim().split('\n');
  expect(JSON.parse(start!)).toMatchObject({ kind: 'start', seed: 302 });
  expect(entries.length).toBeGreaterThan(100);
});
