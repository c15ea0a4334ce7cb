/** What callers notice of rolling restarts and of a failover: the tests of both, with the figures that they note. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { round } from './harness.js';

const tests = ['test/process/drain.test.ts', 'test/db/failover.test.ts'];

async function runTests(file) {
  const vitest = path.resolve('node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--maxWorkers=1', ...tests], {
    env: { ...process.env, FIGURES_FILE: file },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${tests.join(' and ')} failed. Run them by themselves to see why.`);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ name, ...figures }) => [name, figures]));
}

export async function benchAvailability(bench) {
  const { restarts, failover } = await runTests(path.join(bench.folder, 'figures.ndjson'));
  return {
    title: 'Rolling restarts and a failover',
    columns: { requests: 'requests', failed: 'failed', seconds: 'seconds' },
    rows: [
      {
        what: `${restarts.restarts} restarts of two nodes in turn, with a change of the schema in between, under load`,
        requests: restarts.requests,
        failed: restarts.failed,
        seconds: round(restarts.seconds),
      },
      {
        what: 'failover to a synchronous standby: acknowledged writes, and those of them that were lost',
        requests: failover.acknowledged,
        failed: failover.lost,
      },
      { what: 'no write taken: from the end of the primary to the first write', seconds: round(failover.awaySeconds) },
      { what: 'of that, after the standby was promoted', seconds: round(failover.healingSeconds) },
    ],
    notes: [
      `The tests wait on purpose between the end of the primary and the promotion, to see that the standby is not taken for the database. (${tests.join(', ')})`,
    ],
    goals: [
      { what: 'failed requests in 12 rolling restarts', is: restarts.failed, most: 0 },
      { what: 'acknowledged writes lost in a failover', is: failover.lost, most: 0 },
      {
        what: 'seconds from the promotion of a standby to the first write',
        is: round(failover.healingSeconds),
        most: 5,
      },
    ],
  };
}
