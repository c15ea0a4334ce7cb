/** Every statement of the stores and the database functions, by its text: none has a shape that Citus refuses. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { distributedTables } from '../../src/db/citus/citus.ts';
import { refusedShapes, shapes, statementsOf } from './statement-shapes.ts';

/** Statements that run only where nothing is distributed, by a part of their text, and what runs on Citus instead. */
const forOneDatabase: [file: string, part: string, instead: string][] = [
  ['src/guard/guard.store.ts', 'u.id = t.user_id', 'sweepUnknownUsers'],
  ['src/transactions/record/record-statements.store.ts', '(transaction_id, individual_id) >=', 'readStoredOf'],
  [
    'src/transactions/record/record-statements.store.ts',
    'array(ids)}::int[]) order by id for no key update',
    'lockInShard',
  ],
  ['src/users/users.store.ts', "nextval('user_ids')", 'insertDistributedUser'],
  ['src/users/users.store.ts', "setval('user_ids'", 'skipTakenDistributedIds'],
  ['src/sandbox/inbox.store.ts', 'for key share of u', 'writeOne'],
  ['src/users/users.store.ts', 'order by id for key share', 'importDistributedIds'],
  ['src/events/event-log.store.ts', 'exists (select from user_event_outbox)', 'createDistributedOutbox'],
];

/** Row locks without a write of their own, by a part of their text, and why the move of a shard does no harm. */
const heldOtherwise: [file: string, part: string, because: string][] = [
  ['src/users/distributed-users.store.ts', 'order by id for key share', 'the insert before it keeps the shards'],
  ['src/privacy/erasure.store.ts', 'where id = ${userId} for update', 'eraseInOneTransaction is for one database'],
  ['src/db/functions/write_decisions.sql', 'for key share', 'an erasure looks again a minute later'],
  ['src/db/functions/write_verification_events.sql', 'for key share', 'an erasure looks again a minute later'],
];
const exceptions = [...forOneDatabase, ...heldOtherwise];

const filesUnder = (folder: string, end: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => path.join(folder, name));

const stores = filesUnder('src', '.store.ts').map((file) => ({
  file,
  statements: statementsOf(readFileSync(file, 'utf8')),
}));
/** The statements of a function, and the function itself if it is one of SQL. */
const functions = filesUnder('src/db/functions', '.sql').map((file) => ({
  file,
  statements: readFileSync(file, 'utf8')
    .replaceAll(/--.*$/gm, '')
    .split(/(?=create or replace function)/)
    .flatMap((text) => (/language sql\b/.test(text) ? [text] : text.split(';'))),
}));

it('finds the statements of the stores', () => {
  expect(stores.flatMap(({ statements }) => statements).length).toBeGreaterThan(150);
  expect(functions.flatMap(({ statements }) => statements).length).toBeGreaterThan(100);
});

it.each([...stores, ...functions])('the statements of $file have a known shape', ({ file, statements }) => {
  const isExcepted = (statement: string) =>
    exceptions.some(([excepted, part]) => excepted === file && statement.includes(part));
  const refused = statements
    .filter((statement) => !isExcepted(statement))
    .flatMap((statement) => refusedShapes(statement).map((because) => `${because}: ${statement.trim().slice(0, 80)}`));
  expect(refused).toEqual([]);
});

it('no exception is left that is not needed', () => {
  const needed = exceptions.filter(([file, part]) => {
    const found = [...stores, ...functions].find((each) => each.file === file);
    return found?.statements.some((statement) => statement.includes(part) && refusedShapes(statement).length > 0);
  });
  expect(needed).toEqual(exceptions);
});

it.each([
  'select exists (select from phone_links l where l.phone = $1) from users u where u.id = $2',
  'delete from verifications t where not exists (select 1 from users u where u.id = t.user_id)',
  'select id from users where id = any($1) order by id for no key update',
  'select id from users where id = $1 for no key update',
  'insert into messages (user_id) select u.id from users u where u.id = $1 for key share',
  'select k.id from unnest($1::int[]) as k (id) cross join lateral (select body from transactions where individual_id = k.id offset 0) t',
  "insert into users (id) values (nextval('user_ids'))",
  'update users u set x = u.list[1] where id = $1',
  'select void_confirmations(id, $2) from users where id = $1',
  'create or replace function f(a integer) returns integer language sql as $$ select id from users where id = a $$',
])('knows the shape of: %s', (statement) => {
  expect(refusedShapes(statement)).not.toEqual([]);
});

it('every shape has a sample', () => {
  expect(shapes).toHaveLength(10);
});

it('keys of distributed tables have the column of the individual, and nothing of them refers to other tables', () => {
  const migrations = filesUnder('migrations', '.sql').map((file) => readFileSync(file, 'utf8'));
  const text = migrations.join('\n');
  expect(text.replaceAll(/--.*$/gm, '')).not.toMatch(/\bcreate trigger\b|\bforeign key\b|\breferences \w/i);
  for (const { table, column } of distributedTables) {
    const definition = new RegExp(`create table ${table} \\(([\\s\\S]*?)\\n\\)`).exec(text)![1]!;
    const keys = [
      ...definition.matchAll(/^\s*(\w+) .*primary key/gm),
      ...definition.matchAll(/primary key \(([^)]*)\)/g),
      ...text.matchAll(new RegExp(`create unique index \\w+ on ${table}\\s*\\(([^)]*)\\)`, 'g')),
    ].map(([, columns]) => columns!);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(key.split(/\W+/)).toContain(column);
  }
});
