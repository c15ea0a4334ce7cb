/** Statements by key use an index, also if they were prepared while their tables were empty. */
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Sql } from '../../src/db/database.ts';
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

it('statements that are planned each time are not kept in their session', async () => {
  const { url, drop } = await cloneDatabase();
  onTestFinished(drop);
  // One connection for long statements.
  const db = openDatabase({ url, connections: 3, statementSeconds: 5 });
  onTestFinished(db.close);
  const countKept = () =>
    db.long((sql) => sql.unsafe(`select name from pg_prepared_statements where statement like '%varies%'`));
  for (let call = 0; call < 5; call += 1) {
    await db.planned((sql) => sql`select ${call}::int as number, ${sql.unsafe(`'varies ${call}'`)} as text`);
  }
  expect(await countKept()).toEqual([]);
});

it('no connection compiles its plans, also where the database does so by default', async () => {
  const { url, drop } = await cloneDatabase();
  onTestFinished(drop);
  const owner = postgres(url, { max: 1 });
  onTestFinished(() => owner.end());
  await owner.unsafe(`alter database ${new URL(url).pathname.slice(1)} set jit = on`);
  const db = openDatabase({ url, connections: 3, statementSeconds: 5 });
  onTestFinished(db.close);
  const readSetting = (sql: Sql) => sql`select current_setting('jit') as jit`;
  expect(await readSetting(db.read)).toEqual([{ jit: 'off' }]);
  expect(await readSetting(db.write)).toEqual([{ jit: 'off' }]);
  expect(await db.long((sql) => readSetting(sql))).toEqual([{ jit: 'off' }]);
});

it('functions that run with every send, verify or event are inlined', async () => {
  const { url, drop } = await cloneDatabase();
  onTestFinished(drop);
  const db = openDatabase({ url, connections: 3, statementSeconds: 5 });
  onTestFinished(db.close);
  const calls = [
    `with_user_id(o.data, o.user_id)`,
    `about_code(json_build_object('a', o.type), o.type, null)`,
    `is_established(o.at, o.sequence, o.at)`,
    `mask_phone(o.type)`,
    `append_event(array[o.at], o.at, 3)`,
    `remove_event(array[o.at], o.at)`,
  ];
  const explained = await db.write.unsafe(
    `explain (verbose, costs off) select ${calls.join(', ')} from event_outbox o`,
  );
  const plan = explained.map((row) => row['QUERY PLAN']).join('\n');
  expect(calls.map((call) => call.slice(0, call.indexOf('('))).filter((name) => plan.includes(name))).toEqual([]);
});
