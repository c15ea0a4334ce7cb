/**
 * Upgrades: a database of the first release is migrated, and keeps its rows. And the release before, as it was built,
 * runs beside this one on the new schema. Before the first release there is none, and that test is skipped;
 * PREVIOUS_RELEASE names any commit instead.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runHere } from '../harness/command.ts';
import { dataFolder, run, ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, newPhone, row } from '../harness/service.ts';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const digestKey = Buffer.alloc(32, 7).toString('base64');

/** The latest tag of a release that is not this commit itself. */
function findPrevious(): string | undefined {
  if (process.env.PREVIOUS_RELEASE) return process.env.PREVIOUS_RELEASE;
  const git = (...args: string[]) => {
    try {
      return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(
        '\n',
      );
    } catch {
      return [];
    }
  };
  const here = new Set(git('tag', '--points-at', 'HEAD'));
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname');
  return tags.find((tag) => tag !== '' && !here.has(tag));
}

const previous = findPrevious();
let folder: string;

/** Builds the release in a folder of its own, with its own dependencies if they differ from ours. */
async function buildPrevious(): Promise<string> {
  await execute('sh', ['-c', `git archive "${previous}" | tar -x -C "${folder}"`], { cwd: root });
  const lockOf = (place: string) => readFile(path.join(place, 'package-lock.json'), 'utf8');
  if ((await lockOf(root)) === (await lockOf(folder))) {
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  } else {
    await execute('npm', ['ci', '--ignore-scripts'], { cwd: folder });
  }
  await execute('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: folder });
  // The pages are not looked at.
  await symlink(path.join(root, 'dist/web'), path.join(folder, 'dist/web'));
  return path.join(folder, 'dist/main.js');
}

interface Node {
  service: ServiceProcess;
  token: string;
}

async function startNode(databaseUrl: string, program?: string): Promise<Node> {
  const settings = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: await dataFolder(),
    LEDGERLINE_DIGEST_KEY: digestKey,
    LEDGERLINE_MIGRATE: 'check',
  };
  const service = await new ServiceProcess(settings, [], program).ready();
  return { service, token: await service.token() };
}

const call = ({ service, token }: Node, method: string, pathname: string, body?: unknown) =>
  service.call(method, pathname, token, body);

/** One customer's life, each step at the other node. */
async function serve(first: Node, second: Node): Promise<void> {
  const phoneNumber = newPhone();
  const { id } = (await call(first, 'POST', '/User', {})).json as { id: number };
  expect((await call(second, 'POST', '/User/phone-number/send-code', { id, phoneNumber })).status).toBe(204);
  const inbox = await call(first, 'GET', `/sandbox/messages?${new URLSearchParams({ phoneNumber })}`);
  const code = inbox.json[0].code as string;
  expect((await call(second, 'POST', '/User/phone-number/verify', { id, code: `x${code}` })).status).toBe(400);
  expect((await call(first, 'POST', '/User/phone-number/verify', { id, code })).status).toBe(200);
  expect((await call(second, 'GET', `/User/${id}/status`)).json.phoneNumber).toBe(phoneNumber);
  const transactions = [row(id), row(id), row(id)];
  for (const node of [first, second]) {
    const { results } = (await call(node, 'POST', '/app/record-transactions', { transactions })).json;
    expect(results).toHaveLength(3);
  }
  const list = { individualId: id, dataBatch: 1, dataBatchCount: 2 };
  const page = await call(first, 'POST', '/app/get-all-transactions', list);
  const next = { ...list, dataBatch: 2, asOf: page.headers.get('as-of') };
  expect((await call(second, 'POST', '/app/get-all-transactions', next)).json.transactionCount).toBe(3);
  expect((await call(second, 'GET', `/User/${id}/data`)).status).toBe(200);
  expect((await call(first, 'DELETE', `/User/${id}`)).status).toBe(204);
  expect((await call(second, 'GET', `/User/${id}/status`)).status).toBe(404);
}

beforeAll(async () => {
  if (previous) folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-previous-'));
});
afterAll(async () => {
  if (previous) await rm(folder, { recursive: true, force: true });
});

/** Every table with its rows as JSON, in a fixed order. */
async function readRows(sql: postgres.Sql): Promise<Map<string, Record<string, unknown>[]>> {
  const tables = await sql`select tablename as name from pg_tables where schemaname = 'ledgerline' order by 1`;
  const contents = new Map<string, Record<string, unknown>[]>();
  for (const { name } of tables) {
    const rows = await sql`select to_jsonb(t) as json from ${sql(name)} t order by t::text collate "C"`;
    contents.set(
      name,
      rows.map(({ json }) => json),
    );
  }
  return contents;
}

/** The columns of the rows, ordered by their values. */
function pick(rows: Record<string, unknown>[], columns: string[]): Record<string, unknown>[] {
  const picked = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  return picked.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describe('an upgrade of a database of the first release', () => {
  it('keeps every row, and the service works on it', { timeout: 120_000 }, async () => {
    const database = await cloneDatabase('template0');
    onTestFinished(database.drop);
    const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' } });
    onTestFinished(() => sql.end());
    await sql.unsafe(await readFile(new URL('released-database.sql', import.meta.url), 'utf8'));
    await sql`set search_path = ledgerline`;
    const before = await readRows(sql);
    expect([...before].filter(([, rows]) => rows.length === 0)).toEqual([]);

    const settings = { DATABASE_URL: database.url };
    expect(await run(['migrate'], settings)).toMatchObject({ code: 0 });
    expect(await runHere(['migrate', '--contract'], settings)).toMatchObject({ code: 0 });
    const after = await readRows(sql);
    for (const [table, rows] of before) {
      const kept = after.get(table);
      if (!kept || ['migrations', 'functions'].includes(table)) continue;
      const columns = Object.keys(rows[0]!).filter((column) => column in (kept[0] ?? {}));
      // A column may have more in it now: a composite type gets further fields.
      expect([table, pick(kept, columns)]).toMatchObject([table, pick(rows, columns)]);
    }

    const node = await startNode(database.url);
    const list = await call(node, 'POST', '/app/get-all-transactions', {
      individualId: 1,
      dataBatch: 1,
      amountFrom: 2,
    });
    expect(list.json.transactionCount).toBe(5);
    expect((await call(node, 'GET', '/User/2/status')).json.phoneNumber).toBe('+447400000001');
    expect((await call(node, 'GET', '/User/4/status')).status).toBe(404);
    const versions = await call(node, 'POST', '/app/get-transaction-history', { transactionId: 'pending' });
    expect(versions.json.history).toHaveLength(2);
    expect((await call(node, 'GET', '/webhook-endpoints')).json.endpoints).toHaveLength(1);
    expect((await call(node, 'GET', '/operator/guard/safe-list')).json.entries).toMatchObject([{ label: '+4479' }]);
    await serve(node, node);
    await node.service.end('SIGTERM');
  });
});

describe.skipIf(!previous)('an upgrade from the release before', () => {
  it('both serve on the new schema, then this one alone after the contracts', { timeout: 300_000 }, async () => {
    const program = await buildPrevious();
    const database = await cloneDatabase('template0');
    onTestFinished(database.drop);
    const settings = { DATABASE_URL: database.url };
    expect(await run(['migrate'], settings, program)).toMatchObject({ code: 0 });
    const old = await startNode(database.url, program);
    expect(await run(['migrate'], settings)).toMatchObject({ code: 0 });
    const current = await startNode(database.url);
    await serve(old, current);
    await serve(current, old);
    await old.service.end('SIGTERM');
    expect(await run(['migrate', '--contract'], settings)).toMatchObject({ code: 0 });
    await serve(current, current);
    await current.service.end('SIGTERM');
  });
});
