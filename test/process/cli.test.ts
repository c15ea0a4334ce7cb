import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keys } from '../../src/cli/keys.ts';
import { token } from '../../src/cli/token.ts';
import { runHere } from '../harness/command.ts';
import { dataFolder, run, startProcess } from '../harness/process.ts';
import { cloneDatabase, serviceForTest } from '../harness/service.ts';

describe('ledgerline token', () => {
  it('mints a token that the running service takes, whatever its port', async () => {
    const dataDir = await dataFolder();
    expect((await runHere(['token'], { DATA_DIR: dataDir })).stderr).toMatch(
      /^Start the service once, or set PUBLIC_URL/,
    );
    const service = await startProcess(dataDir);
    const { stdout } = await run(['token'], { DATA_DIR: dataDir });
    expect((await service.call('POST', '/User', stdout.trim(), {})).status).toBe(201);
    const bound = (await runHere(['token', '--user', '2'], { DATA_DIR: dataDir })).stdout.trim();
    expect(decodeJwt(bound)).toMatchObject({ user_id: 2, scope: 'phone transactions:read' });
    expect((await service.call('GET', '/User/1/status', bound)).status).toBe(403);
    await service.end('SIGTERM');
  });

  it.each([
    [
      { user: '2', scope: 'phone,users' },
      'A token that is bound to a user cannot have the scope users, only phone and',
    ],
    [{ scope: 'root' }, 'There is no scope root. The scopes are users, phone'],
    [{ user: '2', scope: 'root' }, 'There is no scope root. The scopes are phone, transactions:read.'],
    [{ scope: ' ' }, '--scope names no scope.'],
    [{ user: 'x' }, '--user must be an integer'],
  ])('refuses %o', async (options, line) => {
    // The test runner has a MODE of its own.
    vi.stubEnv('MODE', 'sandbox');
    vi.stubEnv('PUBLIC_URL', 'https://ledgerline.example.com');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(token(options)).rejects.toThrow(line);
  });

  it('leaves tokens of another issuer to that issuer', async () => {
    expect((await runHere(['token'], { LEDGERLINE_ISSUER: 'https://issuer.example' })).stderr).toMatch(
      /^Tokens come from https:\/\/issuer\.example/,
    );
  });
});

describe('ledgerline migrate and doctor', () => {
  it('bring a database up to date, and report its state', async () => {
    const database = await cloneDatabase('template0');
    onTestFinished(() => database.drop());
    const settings = { DATABASE_URL: database.url };
    const before = await runHere(['doctor'], settings);
    expect(before.code).toBe(1);
    expect(before.stdout).toMatch(
      /✓ Node: .*\n✓ Settings: mode sandbox\n✓ Disk: .*\n✓ Database: PostgreSQL .*\n✓ Clock: .*\n✓ Connections: .*\n✗ Schema: lacks 0001_schema\.sql.*\. Run `ledgerline migrate`\.\n/,
    );
    expect(await runHere(['migrate'], settings)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Applied 0001_schema\.sql/),
    });
    expect((await runHere(['migrate'], settings)).stdout).toBe('The schema is up to date.\n');
    const after = await runHere(['doctor'], settings);
    expect([after.code, after.stdout]).toEqual([0, expect.stringMatching(/✓ Schema: up to date/)]);
  });

  it('say what is wrong', async () => {
    const away = await runHere(['doctor'], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
    expect([away.code, away.stdout]).toEqual([
      1,
      expect.stringMatching(
        /✗ Database: x at 127\.0\.0\.1:1 cannot be used: nothing answers there \(ECONNREFUSED\)\. Check host and port/,
      ),
    ]);
    const settings = await runHere(['doctor'], { LEDGERLINE_NOPE: '1' });
    expect([settings.code, settings.stdout]).toEqual([
      1,
      expect.stringMatching(/✗ Settings: LEDGERLINE_NOPE is not a setting/),
    ]);
    const embedded = await runHere(['doctor'], { DATA_DIR: await dataFolder() });
    expect([embedded.code, embedded.stdout]).toEqual([0, expect.stringMatching(/✓ Embedded PostgreSQL: 18/)]);
  });
});

it('ledgerline keys makes what production asks for', async () => {
  const { stdout, stderr } = await runHere(['keys', '--client', 'shop']);
  const given = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [
        line.slice(0, line.indexOf('=')),
        // As files are read that keep quotes.
        line.slice(line.indexOf('=') + 1),
      ]),
  );
  const secret = /: (\S+)\s*$/.exec(stderr)![1]!;
  expect(stdout).not.toContain(secret);
  const service = await serviceForTest(given);
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'shop', client_secret: secret });
  const response = await fetch(`${service.url}/connect/token`, { method: 'POST', body: form });
  expect(response.status).toBe(200);
});

it.each(['', 'the shop', 'sandbox'])('ledgerline keys makes no client that a start refuses: "%s"', async (client) => {
  await expect(keys({ client })).rejects.toThrow('--client must be 1 to 100 printable ASCII characters');
});

describe('a command whose output is not written', () => {
  const main = fileURLToPath(new URL('../../dist/ledgerline.js', import.meta.url));
  const secret = 'The secret of the client backend';

  it('ends without a word if its reader has left', async () => {
    const child = spawn(process.execPath, [main, 'keys']);
    child.stdout.destroy();
    const stderr = text(child.stderr);
    expect((await once(child, 'close'))[0]).toBe(141);
    expect((await stderr).trim().split('\n')).toEqual([expect.stringContaining(secret)]);
  });

  it.skipIf(process.platform !== 'linux')('says that there is no space', async () => {
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [main, 'keys'], { stdio: ['ignore', full.fd, 'pipe'] });
    const stderr = text(child.stderr!);
    expect((await once(child, 'close'))[0]).toBe(1);
    await full.close();
    expect((await stderr).split('\n')).toEqual([
      expect.stringContaining(secret),
      '',
      'The output cannot be written (ENOSPC).',
      '',
    ]);
  });
});

it('gives metrics a port of their own, and writes to a terminal that has gone without ending', async () => {
  const holder = createServer();
  await once(holder.listen(0, '127.0.0.1'), 'listening');
  const { port } = holder.address() as { port: number };
  holder.close();
  const service = await startProcess(await dataFolder(), { LEDGERLINE_METRICS_PORT: String(port) });
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('ledgerline_database_up 1');
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  service.child.stdout!.destroy();
  for (let call = 0; call < 20; call += 1) expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  expect(await service.end('SIGTERM')).toBe(0);
});

it('a command does not load what makes HTTP requests, if it makes none', async () => {
  const loaded = 'process.on("exit", () => console.error(process.moduleLoadList.join()))';
  const { stderr } = await run(['retention'], {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(loaded)}`,
  });
  expect(stderr).toContain('NativeModule net');
  expect(stderr).not.toContain('undici');
});
