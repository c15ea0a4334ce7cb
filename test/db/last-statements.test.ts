/** The last statements of a transaction, which are sent together with its commit. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { cloneDatabase } from '../harness/service.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, connections: 4, statementSeconds: 5 });
  await db.write`create table numbers (number int check (number < 10))`;
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const readNumbers = async () =>
  (await db.read`select number from numbers order by number`).map(({ number }) => number as number);

it('last statements are committed when the transaction is done', async () => {
  const result = await db.transaction(async (sql, sendLast) => {
    await sql`insert into numbers values (1)`;
    sendLast([sql`insert into numbers values (2)`, sql`insert into numbers values (3)`]);
    return 'result';
  });
  expect(result).toBe('result');
  expect(await readNumbers()).toEqual([1, 2, 3]);
});

it('last statements undo the whole transaction if one of them fails, and reject it with their error', async () => {
  const before = await readNumbers();
  for (let round = 0; round < 20; round += 1) {
    const failed = db.transaction(async (sql, sendLast) => {
      await sql`insert into numbers values (4)`;
      sendLast([
        sql`insert into numbers values (5)`,
        sql`insert into numbers values (10)`,
        sql`insert into numbers values (6)`,
      ]);
    });
    await expect(failed).rejects.toMatchObject({ code: '23514' });
  }
  expect(await readNumbers()).toEqual(before);
});

it('last statements undo the whole transaction also where a statement is new to its session, and the commit waits for it', async () => {
  const before = await readNumbers();
  // Different texts, so that each is prepared first.
  for (const column of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const failed = db.transaction(async (sql, sendLast) => {
      sendLast([
        sql.unsafe(`insert into numbers select $1::int as ${column}`, [5], { prepare: true }),
        sql.unsafe(`insert into numbers select $1::int as ${column}${column}`, [10], { prepare: true }),
      ]);
    });
    await expect(failed).rejects.toMatchObject({ code: '23514' });
  }
  expect(await readNumbers()).toEqual(before);
});

it('last statements are not sent if one of their values cannot be sent', async () => {
  const before = await readNumbers();
  const write = (value: unknown) =>
    db.transaction(async (sql, sendLast) => {
      await sql`insert into numbers values (4)`;
      const part = sql`select ${value as number}::text::int`;
      sendLast([sql`insert into numbers values (${5})`, sql`insert into numbers ${part}`]);
    });
  await expect(write(undefined)).rejects.toThrow('A value of a statement is undefined.');
  await expect(write(new Date(Number.NaN))).rejects.toThrow(RangeError);
  expect(await readNumbers()).toEqual(before);
});

it('last statements are all checked, however often they are sent', async () => {
  const failed = db.transaction(async (sql, sendLast) => {
    sendLast([sql`insert into numbers values (10)`]);
    sendLast([]);
  });
  await expect(failed).rejects.toMatchObject({ code: '23514' });
});

it('last statements do not count as done if the session ends before their answer', async () => {
  const before = await readNumbers();
  const ended = db.transaction(async (sql, sendLast) => {
    sendLast([sql`insert into numbers values (7)`, sql`select pg_terminate_backend(pg_backend_pid())`]);
  });
  await expect(ended).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
  expect(await readNumbers()).toEqual(before);
});
