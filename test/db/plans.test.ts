/** Statements by key use an index, also if they were prepared while their tables were empty. */
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { cloneDatabase } from '../harness/service.ts';

it('connections for short statements keep one plan for each, which reads no whole table', async () => {
  const { url, drop } = await cloneDatabase();
  onTestFinished(drop);
  const db = openDatabase({ url, connections: 3, statementSeconds: 5 });
  onTestFinished(db.close);
  for (const sql of [db.read, db.write]) {
    const [row] = await sql`
      select current_setting('enable_seqscan') as seqscan, current_setting('plan_cache_mode') as plans`;
    expect(row).toEqual({ seqscan: 'off', plans: 'force_generic_plan' });
  }
});
