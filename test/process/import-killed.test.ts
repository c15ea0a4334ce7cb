/** An import that is killed while it writes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runHere } from '../harness/command.ts';
import { importDatabase } from '../harness/database/import-database.ts';
import { row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const database = importDatabase();
const { env, newIndividual, file } = database;
const main = fileURLToPath(new URL('../../dist/ledgerline.js', import.meta.url));

/** The batch that is killed: while it copies its rows, and the next one while it writes its blocks. */
const kills = sized<('first' | 'later')[]>(['first', 'later'], ['first', 'first', 'later', 'later']);

it(
  'kill -9 in the middle of a batch, again and again, then run again: the table equals the file',
  { timeout: 180_000 },
  async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, newIndividual));
    const rows = Array.from({ length: 32_000 }, (_, index) =>
      row(ids[index % 5 === 0 ? index % 4 : 0]!, {
        transactionId: `k${index}`,
        amount: `${index}.25`,
        timeStamp: new Date(1_700_000_000_000 + ((index * 7919) % 32_000) * 1000).toISOString(),
      }),
    );
    const target = await file('kill.ndjson', rows.map((each) => JSON.stringify(each)).join('\n'));
    const individuals = `{${ids.join(',')}}`;
    /** Committed rows, and transactions: open ones, those that copy rows, and those that wait for a lock. */
    const readProgress = async () => {
      const [progress] = await database.sql<{ rows: number; open: number; copying: number; waiting: number }[]>`
        select (select count(*)::int from transactions where individual_id = any(${individuals}::int[])) as rows,
          count(*)::int as open,
          count(*) filter (where query like 'copy transactions%')::int as copying,
          count(*) filter (where wait_event_type = 'Lock')::int as waiting
        from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and state <> 'idle'
          and pid <> pg_backend_pid()`;
      return progress!;
    };
    type Progress = Awaited<ReturnType<typeof readProgress>>;
    let before = 0;
    let undone = 0;
    for (const [index, batch] of kills.entries()) {
      const child = spawn(process.execPath, [main, 'import', target], {
        env: { PATH: process.env.PATH!, ...env },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const reach = (isReached: (progress: Progress) => boolean) =>
        until(async () => {
          const progress = await readProgress();
          return (isReached(progress) || child.exitCode !== null) && progress;
        });
      const killWhen = async (isReached: (progress: Progress) => boolean) => {
        const progress = await reach(isReached);
        child.kill('SIGKILL');
        expect((await ended)[1]).toBe('SIGKILL');
        return progress;
      };
      if (batch === 'later') await reach(({ rows: count }) => count > before);
      const killed =
        index % 2 === 0
          ? await killWhen(({ copying }) => copying > 0)
          : await database.sql.begin(async (sql) => {
              // A batch writes its blocks after its rows, and cannot now.
              await sql`lock table transaction_blocks in share mode`;
              return killWhen(({ waiting }) => waiting > 0);
            });
      const after = await until(async () => {
        const progress = await readProgress();
        return progress.open === 0 && progress;
      });
      expect(after.rows).toBeLessThan(rows.length);
      if (after.rows === killed.rows) undone += 1;
      before = after.rows;
    }
    // Some rows had been committed, and others had been written and were not.
    expect(before).toBeGreaterThan(0);
    expect(undone).toBeGreaterThan(0);
    expect((await runHere(['import', target], env)).code).toBe(0);
    const found =
      await database.sql`select individual_id, transaction_id, amount::text from transactions where individual_id = any(${individuals}::int[])`;
    const wanted = new Set(
      rows.map(({ individualId, transactionId, amount }) => `${individualId} ${transactionId} ${amount}`),
    );
    expect(found).toHaveLength(rows.length);
    expect(found.every((each) => wanted.has(`${each.individual_id} ${each.transaction_id} ${each.amount}`))).toBe(true);
    const [check] = await database.sql`
    select bool_and(u.transaction_count = c.rows and c.rows = c.last and (c.rows <= 2000 or c.rows = c.blocked)) as right
    from users u, lateral (
      select count(*)::int as rows, max(seq) as last, (select sum(row_count)::int from transaction_blocks b where b.individual_id = u.id) as blocked
      from transactions t where t.individual_id = u.id) c
    where u.id = any(${individuals}::int[])`;
    expect(check!.right).toBe(true);
  },
);
