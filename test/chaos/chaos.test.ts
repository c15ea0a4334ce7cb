/**
 * Short runs of the fault test, in the full run only: in the usual one each kind of fault has a test of its own.
 * `npm run chaos` runs for as long as one likes.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { isFull } from '../harness/size.ts';

const inFull = it.runIf(isFull);

const main = fileURLToPath(new URL('../../chaos/main.js', import.meta.url));

/** Runs it, and expects that no promise was broken. Returns what it printed, and its history. */
async function runChaos(options: string[], replay?: object[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-chaos-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const history = path.join(folder, 'history.ndjson');
  if (replay) {
    const earlier = path.join(folder, 'earlier.ndjson');
    await writeFile(earlier, replay.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    options.push('--replay', earlier);
  }
  // A failure shows what the run printed, with the violations.
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...options, '--history', history]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toMatch(/\nNo violation\.\n$/);
  const [start, ...entries] = (await readFile(history, 'utf8')).trim().split('\n');
  expect(JSON.parse(start!)).toMatchObject({ kind: 'start', seed: 302 });
  expect(entries.length).toBeGreaterThan(100);
  return stdout;
}

inFull('a service, a worker and PostgreSQL are killed: no promise is broken', { timeout: 600_000 }, async () => {
  const faults = [
    ['cut database connections half-way', { service: 1, bytes: 900 }],
    ['gateway misbehaves', { gateway: 0, behaviour: 'hang', milliseconds: 2000 }],
    ['kill service', { service: 0 }],
    ['kill a PostgreSQL backend', { share: 0.95 }],
    ['kill a worker', { share: 0.5 }],
    ['cut client connections half-way', { service: 1, bytes: 300 }],
    ['kill PostgreSQL', {}],
  ] as const;
  const stdout = await runChaos(
    ['--pause-milliseconds', '400'],
    [
      { kind: 'start', seed: 302 },
      ...faults.map(([name, drawn], index) => ({ kind: 'fault', at: 500 * index, name, drawn })),
    ],
  );
  for (const [name] of faults) expect(stdout).toContain(`| ${name} | 1 | 1 |`);
});

inFull('a minute of random faults breaks no promise', { timeout: 600_000 }, async () => {
  // This seed kills services and workers several times. Fewer calls than a run by hand makes: the faults are what matters here.
  const options = ['--minutes', '1', '--seed', '302', '--round-seconds', '20', '--pause-milliseconds', '150'];
  expect(await runChaos(options)).toMatch(/\| kill service \| [1-9]/);
});
