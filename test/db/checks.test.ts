/** What the tables refuse, whoever writes to them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compositeFields } from '../../src/guard/limit-constants.ts';
import { newPhone, row, startService, type Service } from '../harness/service.ts';

let service: Service;
let id: number;
beforeAll(async () => {
  service = await startService();
  id = await service.createUser();
  await service.record([row(id, { transactionId: 'a' })]);
});
afterAll(() => service.stop());

it.each([
  ['transactions', 'amount', '-0.01'],
  ['transactions', 'amount', '100000000000000000000'],
  ['transactions', 'seq', '0'],
  ['transactions', 'transaction_id', ''],
  ['transactions', 'transaction_id', 'x'.repeat(65)],
  ['transactions', 'currency', 'euro'],
  ['users', 'transaction_count', '-1'],
])('%s.%s cannot be %s', async (table, column, value) => {
  const change = service.sql.unsafe(
    `update ${table} set ${column} = $1 where ${table === 'users' ? 'id' : 'individual_id'} = ${id}`,
    [value],
  );
  await expect(change).rejects.toMatchObject({ code: '23514' });
});

it.each([
  'update verifications set verified_at = null where user_id = $1',
  'update verifications set verified_phone = null where user_id = $1',
  'update messages set segments = 0 where user_id = $1',
])('a verified number has its time, and a text at least one segment: %s', async (change) => {
  const user = await service.verifiedUser(newPhone());
  await expect(service.sql.unsafe(change, [user])).rejects.toMatchObject({ code: '23514' });
});

it('every constraint has been checked against the rows that were there before it', async () => {
  expect(await service.sql`select conname from pg_constraint where not convalidated`).toEqual([]);
});

it('every index says what it is for, also the primary keys of these tables', async () => {
  const silent = await service.sql`
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'ledgerline'::regnamespace and obj_description(i.indexrelid, 'pg_class') is null
      and (not i.indisprimary
        or i.indrelid = any (array['transactions', 'transaction_history', 'transaction_blocks']::regclass[]))`;
  expect(silent.map(({ relname }) => relname)).toEqual([]);
});

it.each(Object.entries(compositeFields))(
  'the type %s has the fields that the service writes, in this order: %s',
  async (type, fields) => {
    const rows = await service.sql`
    select a.attname from pg_type t join pg_attribute a on a.attrelid = t.typrelid
    where t.typname = ${type} and t.typnamespace = 'ledgerline'::regnamespace and not a.attisdropped order by a.attnum`;
    expect(rows.map(({ attname }) => attname)).toEqual(fields);
  },
);
