/** What `ledgerline doctor` says about the nodes of a Citus. */
import { expect, inject, it, onTestFinished } from 'vitest';
import { openConnection } from '../../src/db/sessions/pool.ts';
import { checkCitus, judgeNodes } from '../../src/cli/doctor/check-citus.ts';
import { cloneDatabase } from '../harness/service.ts';

const right = { walLevel: 'logical', preparedTransactions: 100, synchronousCommit: 'on' };

it('names each node that is not reached or has a setting that breaks commits or moves', () => {
  const findings = judgeNodes([
    { name: 'coordinator:5432', settings: right },
    { name: 'worker-1:5432', settings: { walLevel: 'replica', preparedTransactions: 0, synchronousCommit: 'off' } },
    { name: 'worker-2:5432', settings: null },
  ]);
  expect(findings.map(({ level, text }) => `${level}: ${text}`)).toEqual([
    'problem: worker-1:5432 has wal_level = replica: a rebalance would fail and be tried again for ever.',
    'problem: worker-1:5432 has max_prepared_transactions = 0: a commit over several nodes fails.',
    'problem: worker-1:5432 has synchronous_commit = off: the move of a shard may lose rows whose recording was answered.',
    'problem: The coordinator cannot reach worker-2:5432.',
  ]);
});

it('reads the settings of every node, and says nothing where nothing is distributed', async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const sql = openConnection(database.url, 5);
  onTestFinished(() => sql.end({ timeout: 1 }));
  const nodes = inject('citusNodes').length;
  const findings = (await checkCitus(sql)).map(({ level, text }) => `${level}: ${text}`);
  expect(findings).toEqual(nodes === 0 ? [] : [`ok: ${nodes} nodes, all reachable`]);
});
