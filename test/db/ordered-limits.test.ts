/** Every `limit` in a statement follows an `order by`: otherwise PostgreSQL may return other rows each time. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { statementsOf } from '../citus/statement-shapes.ts';

/** Statements for which any rows will do, by a part of their text, and why. */
const anyRows: [file: string, part: string, because: string][] = [
  ['src/sandbox/sandbox.store.ts', 'select from users limit 1', 'whether there is a row'],
  ['src/events/distributed-outbox.store.ts', 'select id from event_outbox limit 1', 'whether there is a row'],
  ['src/events/distributed-outbox.store.ts', 'select id from user_event_outbox limit 1', 'whether there is a row'],
  ['src/transactions/history.store.ts', 'limit 2', 'whether there are two'],
  ['src/transactions/transactions.store.ts', 'limit 2', 'whether there are two'],
  ['src/events/webhooks/deliveries.store.ts', 'where endpoint_id = ${endpointId} limit', 'all are removed, in batches'],
  ['src/events/webhooks/deliveries.store.ts', 'limit ${replayedDueL', 'they are only counted'],
  ['src/events/event-log.store.ts', 'from event_outbox limit 1', 'it is only asked whether there is one'],
  ['src/privacy/retention.store.ts', 'limit ${rowsAtOnce}', 'all are removed, in batches'],
];

const filesUnder = (folder: string, end: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => end.test(name))
    .map((name) => path.join(folder, name));

const files = [
  ...filesUnder('src', /\.store\.ts$/).map((file) => ({ file, statements: statementsOf(readFileSync(file, 'utf8')) })),
  ...filesUnder('src/db/functions', /\.sql$/).map((file) => ({
    file,
    statements: readFileSync(file, 'utf8').replaceAll(/--.*$/gm, '').split(';'),
  })),
];

/** The part of a statement from the start of the (sub)query that `end` is in. */
function queryBefore(statement: string, end: number): string {
  let text = '';
  for (let place = end - 1, depth = 0; place >= 0; place -= 1) {
    const character = statement[place]!;
    if (character === ')') depth += 1;
    if (character === '(' && depth === 0) break;
    if (character === '(') depth -= 1;
    else if (depth === 0) text = character + text;
  }
  return text;
}

function unorderedLimits(statement: string): string[] {
  return [...statement.matchAll(/\blimit (?=\d|\$|\(|\w+(?:\s|\)|$))/g)]
    .filter(({ index }) => !/\border by\b/.test(queryBefore(statement, index)))
    .map(({ index }) => statement.slice(Math.max(0, index - 80), index + 20));
}

it('finds a limit without an order, also in a subquery', () => {
  expect(unorderedLimits('select a from b where c = (select d from e order by d limit 1) limit 1')).toHaveLength(1);
  expect(unorderedLimits('select a from (select a from b limit $1) c order by a limit 5')).toHaveLength(1);
  expect(unorderedLimits('select a from (select a from b order by a limit most) c order by a limit 5')).toEqual([]);
});

it('every limit of a statement follows an order, unless any rows will do', () => {
  const found = files.flatMap(({ file, statements }) =>
    statements.flatMap((statement) => unorderedLimits(statement).map((text) => ({ file, text }))),
  );
  const isExcepted = (one: { file: string; text: string }) =>
    anyRows.some(([file, part]) => file === one.file && one.text.includes(part));
  expect(found.filter((one) => !isExcepted(one))).toEqual([]);
  const unneeded = anyRows.filter(([file, part]) => !found.some((one) => one.file === file && one.text.includes(part)));
  expect(unneeded).toEqual([]);
});
