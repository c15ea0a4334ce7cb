/** How a schema changes under nodes that run: kinds, order, locks, indexes, and the plan of it. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { readSchema, runMigrations } from '../../src/db/migrations/migrate.ts';
import { migrationsFolder, parseMigration, readMigrationFiles } from '../../src/db/migrations/migration-files.ts';
import { locksOf, planMigrations } from '../../src/db/migrations/migration-plan.ts';
import { splitStatements } from '../../src/db/migrations/split-statements.ts';
import { lockOf } from '../../src/db/migrations/table-locks.ts';
import { dataFolder, run } from '../harness/process.ts';
import { cloneDatabase, serviceForTest } from '../harness/service.ts';

async function migratedDatabase() {
  const database = await cloneDatabase();
  const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await database.drop();
  });
  return { ...database, sql };
}

/** This release's migrations and some of a later one. */
async function folderWith(files: Record<string, string>): Promise<URL> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(migrationsFolder, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}

it('no two files have the same number', async () => {
  const numbers = (await readMigrationFiles()).map(({ name }) => name.split('_')[0]!);
  expect(numbers).toEqual([...new Set(numbers)]);
});

it('a file says in its first line what it does to older nodes', () => {
  expect(parseMigration('1.sql', '-- expand: a table\ncreate table x ()')).toMatchObject({
    kind: 'expand',
    isOutsideTransaction: false,
  });
  expect(parseMigration('1.sql', '-- contract\ndrop table x')).toMatchObject({ kind: 'contract' });
  expect(parseMigration('1.sql', '-- expand, outside a transaction: an index\n')).toMatchObject({
    kind: 'expand',
    isOutsideTransaction: true,
  });
  expect(() => parseMigration('1.sql', 'create table x ()')).toThrow('1.sql must begin with "-- expand"');
});

it('a node starts on a schema that a newer release has expanded, and not on one that it has contracted', async () => {
  const database = await migratedDatabase();
  const folder = await folderWith({
    '9001_more.sql': '-- expand\nalter table users add column nickname text',
    '9002_less.sql': '-- contract\nalter table users drop column nickname',
  });
  expect(await runMigrations(database.url, { folder })).toEqual(['9001_more.sql']);
  const service = await serviceForTest({ DATABASE_URL: database.url });
  expect(await service.createUser()).toBeGreaterThan(0);
  const doctor = await run(['doctor'], { DATABASE_URL: database.url });
  expect([doctor.code, doctor.stdout]).toEqual([
    0,
    expect.stringContaining('a newer Ledgerline has added 9001_more.sql, which this one can work with'),
  ]);

  expect(await runMigrations(database.url, { folder, withContracts: true })).toEqual(['9002_less.sql']);
  await expect(serviceForTest({ DATABASE_URL: database.url })).rejects.toThrow(
    'The database has been migrated by a newer Ledgerline (9002_less.sql). Start that one.',
  );
});

it('a contract waits until it is asked for, and so does what comes after it', async () => {
  const database = await migratedDatabase();
  const contract = { '9001_less.sql': '-- contract\ndrop table send_keys' };
  const folder = await folderWith(contract);
  expect(await runMigrations(database.url, { folder })).toEqual([]);
  expect((await readSchema(database.url, folder)).pending.map(({ name }) => name)).toEqual(['9001_less.sql']);
  const further = await folderWith({ ...contract, '9002_more.sql': '-- expand\ncreate table more ()' });
  await expect(runMigrations(database.url, { folder: further })).rejects.toThrow(
    '9001_less.sql has to be applied before 9002_more.sql',
  );
  expect(await runMigrations(database.url, { folder: further, withContracts: true })).toEqual([
    '9001_less.sql',
    '9002_more.sql',
  ]);
});

it('a database without any migration gets all of them, contracts too', async () => {
  const database = await cloneDatabase('template1');
  onTestFinished(database.drop);
  const folder = await folderWith({ '9001_less.sql': '-- contract\ndrop table send_keys' });
  expect(await runMigrations(database.url, { folder })).toContain('9001_less.sql');
});

describe('a database from before the first release is refused, with what to do,', () => {
  const refused = /was made by a Ledgerline from before version 0\.2\.0.* Export .* --fresh .* DATABASE_URL.* import/;

  async function unreleasedDatabase() {
    const database = await migratedDatabase();
    await database.sql`insert into migrations (name, kind) values ('0001_core.sql', 'expand')`;
    return { DATABASE_URL: database.url };
  }

  it.each([
    ['serve', []],
    ['serve', ['--fresh']],
    ['migrate', []],
    ['migrate', ['--plan']],
    ['distribute', []],
    ['erased', ['--since', '2026-01-01']],
  ])('by %s %s', async (command, options) => {
    const settings = { ...(await unreleasedDatabase()), DATA_DIR: await dataFolder() };
    const { code, stderr } = await run([command, ...options], settings);
    expect([code, stderr]).toEqual([1, expect.stringMatching(refused)]);
  });

  it('by serve where the schema is only checked', async () => {
    const settings = { ...(await unreleasedDatabase()), DATA_DIR: await dataFolder(), LEDGERLINE_MIGRATE: 'check' };
    const { code, stderr } = await run(['serve'], settings);
    expect([code, stderr]).toEqual([1, expect.stringMatching(refused)]);
  });

  it('by doctor', async () => {
    const { code, stdout } = await run(['doctor'], await unreleasedDatabase());
    expect([code, stdout]).toEqual([1, expect.stringMatching(refused)]);
  });
});

it('a migration that waits for a lock gives up soon, so that no request queues behind it, and tries again', async () => {
  const database = await migratedDatabase();
  const folder = await folderWith({ '9001_more.sql': '-- expand\nalter table users add column nickname text' });
  const holder = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' } });
  onTestFinished(() => holder.end());
  await holder.unsafe('begin; lock table users in access share mode');
  let retries = 0;
  const migrated = runMigrations(database.url, {
    folder,
    lockMilliseconds: 100,
    onRetry: () => {
      retries += 1;
      if (retries === 2) void holder.unsafe('commit').execute();
    },
  });
  expect(await migrated).toEqual(['9001_more.sql']);
  expect(retries).toBeGreaterThanOrEqual(2);
});

// Citus has no unique index without the column by which a table is distributed.
it.skipIf(inject('citusNodes').length > 0)(
  'an index is built outside a transaction, and one that broke off is built again',
  async () => {
    const database = await migratedDatabase();
    await database.sql`insert into users (id, created_at, email) values (1, now(), 'a@b'), (2, now(), 'a@b')`;
    const index = 'create unique index concurrently if not exists users_by_email on users (email)';
    const folder = await folderWith({
      '9001_index.sql': `-- expand, outside a transaction: writes go on meanwhile\n${index};\n${index.replace('unique ', '').replaceAll('by_email', 'by_mail')};`,
    });
    // The duplicate makes the first try fail, which leaves an index that is not valid.
    await expect(runMigrations(database.url, { folder })).rejects.toThrow(/could not create unique index/);
    const valid = () => database.sql`
    select relname, indisvalid from pg_index join pg_class on oid = indexrelid
    where relname in ('users_by_email', 'users_by_mail') order by relname`;
    expect(await valid()).toEqual([{ relname: 'users_by_email', indisvalid: false }]);
    await database.sql`delete from users where id = 2`;
    // Others that wait for their turn must not be in the way of an index that is built concurrently.
    const all = await Promise.all(Array.from({ length: 4 }, () => runMigrations(database.url, { folder })));
    expect(all.flat()).toEqual(['9001_index.sql']);
    expect(await valid()).toEqual([
      { relname: 'users_by_email', indisvalid: true },
      { relname: 'users_by_mail', indisvalid: true },
    ]);
  },
);

it('a file of functions only adds: what an older node calls stays until a contract drops it', async () => {
  const folder = new URL('../../src/db/functions/', import.meta.url);
  for (const name of await readdir(folder)) {
    const statements = splitStatements(await readFile(new URL(name, folder), 'utf8'));
    const others = statements.filter((statement) => !/^create or replace function /i.test(statement));
    expect([name, others]).toEqual([name, []]);
  }
});

it('links that nobody has are removed, and no other', async () => {
  const { sql } = await migratedDatabase();
  await sql`
    insert into verifications (user_id, verified_phone, verified_at)
    values (1, '+447911100001', now()), (2, null, null)`;
  await sql`
    insert into phone_links (phone, user_id, linked_at)
    values ('+447911100001', 1, now()), ('+447911100002', 1, now()), ('+447911100003', 2, now())`;
  await sql.unsafe(await readFile(new URL('0090_single_links.sql', migrationsFolder), 'utf8'));
  expect([...(await sql`select phone from phone_links`)]).toEqual([{ phone: '+447911100001' }]);
});

it('statements are cut at semicolons outside quotes, bodies and comments', () => {
  expect(
    splitStatements(
      `-- a; comment\nselect ';', "a;b", E'\\';' /* ; */;\n\ncreate function f() returns void language plpgsql as $body$ begin; $$; end $body$; select 1`,
    ),
  ).toEqual([
    `select ';', "a;b", E'\\';'`,
    'create function f() returns void language plpgsql as $body$ begin; $$; end $body$',
    'select 1',
  ]);
});

it.each([
  ['alter table only users add column x int', 'users', 'ACCESS EXCLUSIVE', undefined],
  ['alter table users alter column x type bigint', 'users', 'ACCESS EXCLUSIVE', 'writes the whole table'],
  ['alter table users add constraint c check (x > 0)', 'users', 'ACCESS EXCLUSIVE', 'reads the whole table'],
  ['alter table users add constraint c check (x > 0) not valid', 'users', 'ACCESS EXCLUSIVE', undefined],
  ['alter table users validate constraint c', 'users', 'SHARE UPDATE EXCLUSIVE', 'reads the whole table'],
  ['create index i on users (id)', 'users', 'SHARE', 'reads the whole table'],
  ['create index concurrently i\n on users (id)', 'users', 'SHARE UPDATE EXCLUSIVE', 'reads the whole table'],
  ['drop table if exists users', 'users', 'ACCESS EXCLUSIVE', undefined],
  ['update users set x = 1', 'users', 'ROW EXCLUSIVE', 'writes rows'],
  ['do $$ begin end $$', undefined, 'unknown', undefined],
])('the plan knows what this locks: %s', (statement, table, mode, work) => {
  expect(lockOf(statement)).toEqual({ table, mode, ...(work && { work }) });
});

it('the plan names every lock that a migration takes on a table in use', async () => {
  const database = await cloneDatabase('template1');
  onTestFinished(database.drop);
  const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' } });
  onTestFinished(() => sql.end());
  const blocking = ['AccessExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock'];
  await sql`create schema ledgerline`;
  for (const migration of await readMigrationFiles()) {
    const tables =
      await sql`select relname as name from pg_class where relnamespace = 'ledgerline'::regnamespace and relkind = 'r'`;
    const sizes = new Map(tables.map(({ name }) => [String(name), { rows: 0, bytes: 0 }]));
    if (migration.isOutsideTransaction) {
      for (const statement of splitStatements(migration.text)) await sql.unsafe(statement);
      continue;
    }
    const taken = await sql.begin(async (transaction) => {
      await transaction.unsafe(migration.text);
      return transaction`
        select distinct relname as name from pg_locks join pg_class on pg_class.oid = relation
        where pid = pg_backend_pid() and mode = any(${blocking}) and relkind = 'r'`;
    });
    const planned = new Set(locksOf(migration, sizes).map(({ table }) => table));
    const forgotten = taken.map(({ name }) => String(name)).filter((name) => sizes.has(name) && !planned.has(name));
    expect([migration.name, forgotten]).toEqual([migration.name, []]);
  }
});

it('ledgerline migrate --plan says what waits, and changes nothing', async () => {
  const database = await migratedDatabase();
  await database.sql`delete from functions where name = 'exchange_ranges.sql'`;
  const { stdout, code } = await run(['migrate', '--plan'], { DATABASE_URL: database.url });
  expect([code, stdout]).toEqual([0, 'Functions to define anew, without a lock on a table: exchange_ranges.sql\n']);
  expect((await readSchema(database.url)).pendingFunctions).toEqual(['exchange_ranges.sql']);
  const folder = await folderWith({
    '9001_index.sql': '-- expand\ncreate index users_by_creation on users (created_at)',
    '9002_less.sql': '-- contract\ndrop table send_keys',
  });
  const lock = { table: 'users', mode: 'SHARE', work: 'reads the whole table', size: { rows: expect.any(Number) } };
  expect(await planMigrations(database.url, { folder })).toMatchObject({
    due: [{ migration: { name: '9001_index.sql' }, locks: [lock] }],
    waiting: ['9002_less.sql'],
  });
  expect((await readSchema(database.url, folder)).pending).toHaveLength(2);
});
