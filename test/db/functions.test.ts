/** Database functions are applied from their files, once for each new content. */
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { missingFrom, readSchema, runMigrations } from '../../src/db/migrations/migrate.ts';
import { cloneDatabase } from '../harness/service.ts';

const file = 'seconds_after.sql';
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' } });
});

afterAll(async () => {
  await sql.end();
  await database.drop();
});

const changeFunction = () => sql`
  create or replace function seconds_after(moment timestamptz, seconds integer) returns timestamptz
  language sql stable return moment`;

async function isAsInFile(): Promise<boolean> {
  const [row] = await sql`select seconds_after('2026-01-01Z', 1) > '2026-01-01Z' as moved`;
  return row!.moved;
}

it('a second migrate applies nothing', async () => {
  expect(await runMigrations(database.url)).toEqual([]);
  expect(missingFrom(await readSchema(database.url))).toEqual([]);
});

it('a file with content that the database has not seen is pending, and migrate applies it', async () => {
  await changeFunction();
  await sql`delete from functions where name = ${file}`;
  expect((await readSchema(database.url)).pendingFunctions).toEqual([file]);
  expect(await runMigrations(database.url)).toEqual([file]);
  expect(await isAsInFile()).toBe(true);
});

it('a node never puts a definition back that a newer node has replaced', async () => {
  await changeFunction();
  await sql`insert into functions (name, digest) values (${file}, 'of a newer release')`;
  expect(missingFrom(await readSchema(database.url))).toEqual([]);
  expect(await runMigrations(database.url)).toEqual([]);
  expect(await isAsInFile()).toBe(false);
});

it('a developer’s sandbox goes back to the definition in the file', async () => {
  expect(await runMigrations(database.url, { latestFunctionsWin: true })).toEqual([file]);
  expect(await isAsInFile()).toBe(true);
});

it('several migrates at once on an empty database all succeed, and one does the work', async () => {
  const empty = await cloneDatabase('template1');
  try {
    const results = await Promise.all(Array.from({ length: 8 }, () => runMigrations(empty.url)));
    expect(results.filter((applied) => applied.length > 0)).toHaveLength(1);
  } finally {
    await empty.drop();
  }
});
