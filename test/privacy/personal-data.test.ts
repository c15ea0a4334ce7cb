/** The table of personal data is complete, and what is written from it is current. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import postgres from 'postgres';
import { personalDataReference, tables, tablesAtErasure, type TableEntry } from '../../src/privacy/personal-data.ts';
import { cloneDatabase } from '../harness/service.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await cloneDatabase();
  sql = postgres(database.url, { max: 1 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const entries = Object.entries<TableEntry>(tables);

it('every column of the schema is in src/privacy/personal-data.ts, and no other', async () => {
  const rows = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'ledgerline'`;
  const registered = entries.flatMap(([table, { personal, other }]) =>
    [...Object.keys(personal), ...other].map((column) => `${table}.${column}`),
  );
  expect(registered.toSorted()).toEqual(rows.map(({ table, column }) => `${table}.${column}`).toSorted());
});

it('the column with the user is there, and every entry that keeps personal data says why', () => {
  for (const [table, { user, atErasure, keptBecause, personal }] of entries) {
    if (user !== undefined) expect([table, Object.keys(personal)]).toEqual([table, expect.arrayContaining([user])]);
    const needsReason = atErasure === 'kept' && Object.keys(personal).length > 0;
    expect([table, keptBecause !== undefined]).toEqual([table, needsReason]);
    if (atErasure !== 'kept') expect([table, user]).toEqual([table, expect.any(String)]);
  }
  expect(tablesAtErasure('removed')).toContainEqual({ table: 'users', user: 'id' });
});

it('docs/personal-data.md is generated from it; `npm run generate` updates it', async () => {
  expect(await readFile('docs/personal-data.md', 'utf8')).toBe(personalDataReference());
});
