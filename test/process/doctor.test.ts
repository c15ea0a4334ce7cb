/** Set-ups that are broken: one clear line from `ledgerline doctor`, and a process that says the same when started. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { refusedStart, runHere } from '../harness/command.ts';
import { roleForTest } from '../harness/database/role.ts';
import { selfSigned } from '../harness/servers/certificate.ts';
import { dataFolder, run, ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, serviceForTest, startService } from '../harness/service.ts';
import { startSmsc } from '../harness/servers/smsc.ts';
import { until } from '../harness/until.ts';

async function databaseForTest(template?: string) {
  const database = await cloneDatabase(template);
  onTestFinished(() => database.drop());
  return database;
}

interface Diagnosis {
  ok: boolean;
  findings: { check: string; level: string; text: string; cure?: string }[];
}

/** The problems, as lines without the machine's own state. */
async function problems(settings: Record<string, string>): Promise<string[]> {
  // Node reads its own settings when it starts.
  const runDoctor = settings.NODE_OPTIONS ? run : runHere;
  const { code, stdout } = await runDoctor(['doctor', '--json'], settings);
  const { ok, findings } = JSON.parse(stdout) as Diagnosis;
  expect(code).toBe(ok ? 0 : 1);
  return findings
    .filter(({ level }) => level === 'problem')
    .map(({ check, text, cure }) => `${check}: ${text} ${cure}`);
}

/** What a start says on standard error. */
const startError = async (settings: Record<string, string>) =>
  refusedStart({ DATA_DIR: await dataFolder(), ...settings });

/** A database, and a role of this test alone that may log in to it. */
async function databaseWithRole(...grants: string[]): Promise<{ database: { url: string }; url: string }> {
  const role = await roleForTest();
  const database = await databaseForTest();
  const sql = postgres(database.url, { max: 1 });
  for (const grant of grants) await sql.unsafe(`${grant} to ${role.name}`);
  await sql.end();
  return { database, url: role.urlOf(database.url) };
}

describe('doctor and the start say the same', () => {
  it('about an issuer whose certificate is not trusted', async () => {
    const server = createServer(selfSigned, (_, response) => response.end('{}'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
    const database = await databaseForTest();
    const settings = { DATABASE_URL: database.url, LEDGERLINE_ISSUER: issuer };
    expect(await problems(settings)).toEqual([
      `Issuer: the keys of ${issuer} cannot be read: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). ` +
        'Set NODE_EXTRA_CA_CERTS to the certificate of its authority.',
    ]);
    const service = await serviceForTest(settings);
    const ready = await until(async () => {
      const answer = await service.call('/health/ready', undefined, { method: 'GET', token: null });
      return answer.json.errors?.Error?.[0].includes('not trusted') && answer;
    });
    expect(ready.status).toBe(503);
    expect(service.logLines.join('')).toContain('its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });

  it('about a role that may only read', async () => {
    const { url } = await databaseWithRole(
      'grant usage on schema ledgerline',
      'grant select on all tables in schema ledgerline',
    );
    const settings = { DATABASE_URL: url, LEDGERLINE_MIGRATE: 'check' };
    expect(await problems(settings)).toEqual([
      expect.stringMatching(
        /^Rights: (role_\w+) lacks INSERT on .*UPDATE on users.* Let the owner of the schema run `ledgerline grants --role \1 --apply`/,
      ),
    ]);
    expect(await startError(settings)).toMatch(/^The role role_\w+ lacks INSERT on .* Let the owner of the schema run/);
  });

  it('about a role without any rights', async () => {
    const { url } = await databaseWithRole();
    const settings = { DATABASE_URL: url, LEDGERLINE_MIGRATE: 'check' };
    const line =
      /cannot be used: the role lacks rights in it \(42501\)\. Let the owner of the schema run `ledgerline grants --role role_\w+ --apply`/;
    expect(await problems(settings)).toEqual([expect.stringMatching(line)]);
    expect(await startError(settings)).toMatch(line);
  });

  it('about settings that carry a risk, which stop nothing', async () => {
    const database = await databaseForTest();
    const smsc = await startSmsc();
    // A loopback address in a spelling that counts as remote.
    const settings = {
      DATABASE_URL: database.url,
      LEDGERLINE_GATEWAYS: 'smpp',
      LEDGERLINE_SMPP_URL: `smpp://user@[::ffff:127.0.0.1]:${smsc.port}`,
      LEDGERLINE_SMPP_PASSWORD: 'hunter2',
    };
    const { code, stdout } = await runHere(['doctor'], settings);
    expect([code, stdout]).toEqual([0, expect.stringContaining('! LEDGERLINE_SMPP_URL: The password and every code')]);
    const service = await serviceForTest(settings);
    const log = service.logLines.join('');
    expect(log).toMatch(/risky-setting .*LEDGERLINE_SMPP_URL|LEDGERLINE_SMPP_URL.*risky-setting/);
    expect(log + stdout).not.toContain('hunter2');
  });

  it('about nothing after `ledgerline grants --apply`', async () => {
    const { database, url } = await databaseWithRole();
    const role = new URL(url).username;
    const { code, stdout } = await runHere(['grants', '--role', role, '--apply'], { DATABASE_URL: database.url });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`grant usage on schema ledgerline to "${role}";`)]);
    const sql = postgres(database.url, { max: 1 });
    await sql.unsafe(`grant truncate on all tables in schema ledgerline to ${role}`);
    await sql.end();
    const settings = { DATABASE_URL: url, LEDGERLINE_MIGRATE: 'check' };
    expect(await problems(settings)).toEqual([]);
    const service = await serviceForTest(settings);
    expect((await service.call('/User', {})).status).toBe(201);
  });

  it('about a wrong password', async () => {
    const url = new URL((await databaseWithRole()).url);
    url.password = 'wrong';
    const line =
      /cannot be used: it refuses the login: password authentication failed for user "role_\w+" \(28P01\)\. Check user and password in DATABASE_URL/;
    expect(await problems({ DATABASE_URL: url.href })).toEqual([expect.stringMatching(line)]);
    expect(await startError({ DATABASE_URL: url.href })).toMatch(line);
  });

  it('about a database that does not exist', async () => {
    const url = new URL(inject('clusterUrl'));
    url.pathname = '/no_such_database';
    const line = /cannot be used: there is no database of that name \(3D000\)\. Create it/;
    expect(await problems({ DATABASE_URL: url.href })).toEqual([expect.stringMatching(line)]);
    expect(await startError({ DATABASE_URL: url.href })).toMatch(line);
  });

  it('about a schema that is missing', async () => {
    const database = await databaseForTest('template0');
    const settings = { DATABASE_URL: database.url, LEDGERLINE_MIGRATE: 'check' };
    expect(await problems(settings)).toEqual([
      expect.stringMatching(/^Schema: lacks 0001_schema\.sql.*Run `ledgerline migrate`/),
    ]);
    expect(await startError(settings)).toMatch(/^The database lacks 0001_schema\.sql.*Run `ledgerline migrate` first/);
  });

  it('about a digest key that is not the one of the database', async () => {
    const database = await databaseForTest();
    const [key, otherKey] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const settings = { DATABASE_URL: database.url };
    const service = await startService({ ...settings, LEDGERLINE_DIGEST_KEY: key! });
    await service.stop();
    expect(await problems({ ...settings, LEDGERLINE_DIGEST_KEY: key! })).toEqual([]);
    const wrong = { ...settings, LEDGERLINE_DIGEST_KEY: otherKey! };
    const line =
      /This node lacks the digest key that the database uses \(fingerprint \w{16}\).*Give every node the same/;
    expect(await problems(wrong)).toEqual([expect.stringMatching(line)]);
    expect(await startError(wrong)).toMatch(line);
  });

  it('about a clock that is off by an hour', async () => {
    const database = await databaseForTest();
    const ahead = 'const now = Date.now; Date.now = () => now() + 3600000;';
    const settings = {
      DATABASE_URL: database.url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}`,
    };
    expect(await problems(settings)).toEqual([
      expect.stringMatching(/^Clock: 3\d{3}\.\d s ahead of the clock of the database\. Set both by NTP\.$/),
    ]);
    const service = await new ServiceProcess({ DATA_DIR: await dataFolder(), ...settings }).ready();
    await until(() => service.output.stdout.includes('"msg":"clock-off"'));
    await service.end('SIGTERM');
  });
});

describe('commands without a database', () => {
  it.each([
    ['export', ['export', '1']],
    ['import', ['import', 'package.json', '--format', 'ndjson']],
    ['trace-user', ['trace-user', '1']],
  ])('%s says what is wrong in one line', async (_, args) => {
    const { code, stderr } = await runHere(args, { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(
      'The database x at 127.0.0.1:1 cannot be used: nothing answers there (ECONNREFUSED). ' +
        'Check host and port in DATABASE_URL and that the server runs.',
    );
  });
});

describe('settings that cannot work', () => {
  it.each([
    [{ LEDGERLINE_SMPP_PASSWORD: 'ninechars' }, /LEDGERLINE_SMPP_PASSWORD must have at most 8 characters/],
    [{ LEDGERLINE_SMPP_URL: 'smpp://127.0.0.1:2775' }, /LEDGERLINE_SMPP_URL must name the system id/],
  ])('%o', async (settings, line) => {
    expect(await problems(settings)).toEqual([expect.stringMatching(line)]);
  });
});

it('imports a file that is compressed with gzip', async () => {
  const dataDir = await dataFolder();
  const file = path.join(path.dirname(dataDir), 'rows.ndjson.gz');
  const rows = [1, 2, 3].map((n) =>
    JSON.stringify({
      individualId: 1,
      transactionId: `gz-${n}`,
      amount: '1.00',
      currency: 'EUR',
      timeStamp: '2026-01-01T00:00:00Z',
    }),
  );
  await writeFile(file, gzipSync(rows.join('\n')));
  const database = await databaseForTest();
  const sql = postgres(database.url, { max: 1, connection: { search_path: 'ledgerline' } });
  await sql`insert into users (id, created_at) values (1, now())`;
  await sql.end();
  const { code, stdout } = await runHere(['import', file], { DATABASE_URL: database.url });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/3 created/)]);
  await writeFile(file, gzipSync(rows.join('\n')).subarray(0, 30));
  const damaged = await runHere(['import', file], { DATABASE_URL: database.url });
  expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringMatching(/rows\.ndjson\.gz is damaged/)]);
});

it('ledgerline health tells whether the service on this machine is ready', async () => {
  const service = await startService();
  const { port } = new URL(service.url);
  expect(await runHere(['health'], { PORT: port })).toMatchObject({ code: 0, stdout: 'ready\n' });
  await service.stop();
  expect(await runHere(['health'], { PORT: port })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ECONNREFUSED'),
  });
});

it('ledgerline health says why the service is not ready, and what else answered', async () => {
  const answers = [
    { status: 503, headers: { 'error-reason': 'database-unavailable' }, body: '{"status":503}' },
    { status: 502, headers: {}, body: '<h1>Bad Gateway</h1>' },
  ];
  const server = createPlainServer((_request, response) => {
    const { status, headers, body } = answers.shift()!;
    response.writeHead(status, headers).end(body);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const settings = { PORT: String((server.address() as AddressInfo).port) };
  expect(await runHere(['health'], settings)).toMatchObject({ code: 1, stdout: '503: database-unavailable\n' });
  expect(await runHere(['health'], settings)).toMatchObject({ code: 1, stdout: '502: Bad Gateway\n' });
});

it('production needs DATABASE_URL, for the service and for every command that uses a database', async () => {
  const dataDir = await dataFolder();
  const settings = { MODE: 'production', DATA_DIR: dataDir };
  const sentence =
    'Production needs DATABASE_URL: the address of a PostgreSQL 15 or newer; the embedded one is for the sandbox.';
  for (const args of [['doctor'], ['migrate'], ['erased', '--since', '2026-01-01']]) {
    const { code, stdout, stderr } = await runHere(args, settings);
    expect([args, code, stdout + stderr]).toEqual([args, 1, expect.stringContaining(sentence)]);
  }
  expect(await refusedStart(settings)).toContain(sentence);
  expect(existsSync(dataDir)).toBe(false);
});

it('migrates the embedded database of a sandbox', async () => {
  const dataDir = await dataFolder();
  const { code, stdout } = await runHere(['migrate'], { DATA_DIR: dataDir });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Applied 0001_schema\.sql/)]);
});

it('reads a token from a file, and takes none on the command line, where every user of the machine sees it', async () => {
  const database = await databaseForTest();
  const settings = { DATABASE_URL: database.url };
  const file = path.join(path.dirname(await dataFolder()), 'token.txt');
  await writeFile(file, 'a.b.c\n');
  const { code, stdout } = await runHere(['doctor', '--json', '--token-file', file], settings);
  const { findings } = JSON.parse(stdout) as Diagnosis;
  expect([code, findings.find(({ check }) => check === 'Token')]).toMatchObject([
    1,
    { level: 'problem', text: 'refused: the token is malformed.' },
  ]);
  expect((await runHere(['doctor', '--token', 'a.b.c'], settings)).stderr).toContain('unknown option');
});

it('accepts a token of the sandbox on this machine, whose address is not a setting', async () => {
  const database = await databaseForTest();
  const folder = await dataFolder();
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder };
  await mkdir(path.join(folder, 'keys'), { recursive: true });
  await writeFile(path.join(folder, 'keys', 'issuer'), 'http://127.0.0.1:8080');
  const file = path.join(folder, 'token.txt');
  await writeFile(file, (await runHere(['token'], settings)).stdout);
  const { stdout } = await runHere(['doctor', '--json', '--token-file', file], settings);
  const { findings } = JSON.parse(stdout) as Diagnosis;
  expect(findings.find(({ check }) => check === 'Token')).toMatchObject({ level: 'ok' });
});
