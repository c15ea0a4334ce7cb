/** pgbouncer in front of PostgreSQL: session mode works, transaction mode is refused with what to do. */
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../src/db/sessions/pool.ts';
import { pgbouncerProgram, startPgbouncer } from '../harness/servers/pgbouncer.ts';
import { run } from '../harness/process.ts';
import { row, serviceForTest } from '../harness/service.ts';

describe.skipIf(pgbouncerProgram === undefined)('through pgbouncer', () => {
  it('in session mode everything works, without a setting for it', async () => {
    const url = await startPgbouncer('session');
    const service = await serviceForTest({ DATABASE_URL: url });
    const id = await service.verifiedUser();
    expect((await service.record(Array.from({ length: 60 }, () => row(id)))).status).toBe(200);
    expect((await service.list({ individualId: id, search: 't-' })).json.transactionCount).toBe(60);
    const exported = await service.call('/app/export-transactions', { individualId: id });
    expect(exported.text.trim().split('\n')).toHaveLength(61);
    const doctor = await run(['doctor'], { DATABASE_URL: url });
    expect(doctor.stdout).toContain('✓ Database: PostgreSQL');
  });

  it('in session mode each session has its settings, also when pgbouncer ignores those of a startup', async () => {
    const url = await startPgbouncer('session', 'ignore_startup_parameters = search_path, statement_timeout');
    for (let session = 0; session < 3; session += 1) {
      const sql = openConnection(url, 7);
      const [found] = await sql`
        select current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
          current_setting('plan_cache_mode') as plans`;
      expect(found).toEqual({ path: 'ledgerline', timeout: '7s', plans: 'force_generic_plan' });
      await sql.end({ timeout: 1 });
    }
  });

  it('in transaction mode the start is refused in words, and doctor says the same', async () => {
    const url = await startPgbouncer('transaction');
    const sentence =
      /cannot be used: it is reached through a pooler in transaction or statement mode\. Set pool_mode = session in the pooler, with a default_pool_size of at least 25 for this node/;
    await expect(serviceForTest({ DATABASE_URL: url })).rejects.toThrow(sentence);
    const doctor = await run(['doctor'], { DATABASE_URL: url });
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(sentence)]);
  });

  it('doctor warns of a host to read from that is behind one in transaction mode', async () => {
    const url = await startPgbouncer('session');
    const inTransactions = new URL(await startPgbouncer('transaction'));
    inTransactions.pathname = new URL(url).pathname;
    const findingOf = async (readUrl: string) => {
      const { stdout } = await run(['doctor'], { DATABASE_URL: url, DATABASE_READ_URL: readUrl });
      return /^. Read host .*$/m.exec(stdout)?.[0];
    };
    expect(await findingOf(inTransactions.href)).toMatch(
      /^! .*: cannot be used: it is reached through a pooler in transaction or statement mode\. Set pool_mode = session/,
    );
    expect(await findingOf(url)).toMatch(/^✓ .*: it is a primary$/);
  });
});
