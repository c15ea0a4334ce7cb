/** Set-ups of production that are broken: what `ledgerline doctor` and a start say about each, word for word. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { makeDigestKey } from '../../src/auth/keys.ts';
import { runMigrations } from '../../src/db/migrations/migrate.ts';
import { freePort } from '../../src/network/free-port.ts';
import { refusedStart, runHere } from '../harness/command.ts';
import { expired, selfSigned } from '../harness/servers/certificate.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { pgbouncerProgram, startPgbouncer } from '../harness/servers/pgbouncer.ts';
import { dataFolder, run, ServiceProcess } from '../harness/process.ts';
import { startReplicated, startServer } from '../harness/servers.ts';
import { cloneDatabase, serviceForTest } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** Everything that production needs, but for the database; one part is broken by each test. */
async function production(broken: Record<string, string>): Promise<Record<string, string>> {
  const gateway = await gatewayServer(() => ({ status: 200, body: {} }));
  return {
    MODE: 'production',
    HOST: '127.0.0.1',
    PORT: String(await freePort('127.0.0.1')),
    DATA_DIR: await dataFolder(),
    PUBLIC_URL: 'https://ledgerline.example.com',
    LEDGERLINE_CLIENTS: JSON.stringify([{ id: 'backend', secretSha256: 'a'.repeat(64), scopes: ['users'] }]),
    LEDGERLINE_SIGNING_KEY: inject('signingKey'),
    LEDGERLINE_DIGEST_KEY: makeDigestKey(),
    LEDGERLINE_COUNTRIES: 'GB',
    LEDGERLINE_GATEWAYS: 'twilio',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'hunter2',
    LEDGERLINE_GATEWAY_URLS: `twilio=${gateway.url}`,
    ...broken,
  };
}

/** The lines of doctor that are not ✓. */
async function findings(settings: Record<string, string>, command = ['doctor']): Promise<string[]> {
  // Node reads its own settings when it starts.
  const { stdout, stderr } = await (settings.NODE_EXTRA_CA_CERTS ? run : runHere)(command, settings);
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('✓'));
}

/** What a command says on standard error when it fails: one line, no stack. */
async function failureOf(args: string[], settings: Record<string, string>): Promise<string> {
  if (args[0] === 'serve' && settings.LEDGERLINE_PROCESSES === undefined) return refusedStart(settings);
  const { code, stderr } = await (args[0] === 'serve' ? run : runHere)(args, settings);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr.trim();
}

async function databaseUrl(): Promise<string> {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

async function fileOf(text: string): Promise<string> {
  const file = path.join(path.dirname(await dataFolder()), 'ca.pem');
  await writeFile(file, text);
  return file;
}

describe('an issuer', () => {
  async function startIssuer(certificate: { key: string; cert: string }): Promise<string> {
    const server = createServer(certificate, (_, response) => response.end('{}'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return `https://localhost:${(server.address() as AddressInfo).port}`;
  }

  it('whose certificate has expired', async () => {
    const issuer = await startIssuer(expired);
    const settings = await production({
      DATABASE_URL: await databaseUrl(),
      LEDGERLINE_ISSUER: issuer,
      LEDGERLINE_AUDIENCE: 'ledgerline',
      NODE_EXTRA_CA_CERTS: await fileOf(expired.cert),
    });
    const reason =
      'its certificate, or that of its authority, has expired (CERT_HAS_EXPIRED). Renew it there, not here. ' +
      'If it is new, check the clock of this machine.';
    expect(await findings(settings)).toEqual([`✗ Issuer: the keys of ${issuer} cannot be read: ${reason}`]);
    const service = await new ServiceProcess(settings).ready();
    const local = `http://127.0.0.1:${settings.PORT}`;
    await until(async () => (await (await fetch(`${local}/health/ready`)).text()).includes('has expired'));
    expect(service.output.stdout).toContain('has expired (CERT_HAS_EXPIRED)');
    await service.end('SIGTERM');
  });

  it('whose certificate is for another name', async () => {
    const { port } = new URL(await startIssuer(selfSigned));
    const settings = await production({
      DATABASE_URL: await databaseUrl(),
      LEDGERLINE_ISSUER: `https://127.0.0.1:${port}`,
      LEDGERLINE_AUDIENCE: 'ledgerline',
      NODE_EXTRA_CA_CERTS: await fileOf(selfSigned.cert),
    });
    expect(await findings(settings)).toEqual([
      `✗ Issuer: the keys of https://127.0.0.1:${port} cannot be read: its certificate is for DNS:localhost, not for ` +
        '127.0.0.1 (ERR_TLS_CERT_ALTNAME_INVALID). Use a name that is in the certificate, or add this one to it.',
    ]);
  });
});

describe('a gateway whose certificate is not trusted', () => {
  it.each(['twilio', 'smpp'])('%s', async (gateway) => {
    const server = createServer(selfSigned, (_, response) => response.end('{}'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const settings = await production({
      DATABASE_URL: await databaseUrl(),
      LEDGERLINE_GATEWAYS: gateway,
      LEDGERLINE_GATEWAY_URLS: `twilio=https://localhost:${port}`,
      LEDGERLINE_SMPP_URL: `smpps://user@localhost:${port}`,
      LEDGERLINE_SMPP_PASSWORD: 'hunter2',
    });
    expect(await findings(settings)).toEqual([
      `✗ Gateway ${gateway}: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set NODE_EXTRA_CA_CERTS to ` +
        'the certificate of its authority.',
    ]);
  });
});

describe('a database', () => {
  it('with another authority than sslrootcert, or with a file that is no certificate', async () => {
    const { port } = await startServer({ certificate: selfSigned });
    const [other, none] = [await fileOf(expired.cert), await fileOf(selfSigned.key)];
    const urlWith = (file: string) =>
      `postgres://postgres@localhost:${port}/ledgerline?sslmode=verify-full${file && `&sslrootcert=${file}`}`;
    const line = (cause: string) => `The database ledgerline at localhost:${port} cannot be used: ${cause}`;
    const wrong =
      `its certificate is not signed by the authority in ${other} (DEPTH_ZERO_SELF_SIGNED_CERT). Set sslrootcert in ` +
      'DATABASE_URL to the certificate of the authority that signed the server’s certificate.';
    const settings = await production({ DATABASE_URL: urlWith(other) });
    expect(await findings(settings)).toEqual([`✗ Database: ${line(wrong).slice('The database '.length)}`]);
    expect(await failureOf(['serve'], settings)).toBe(line(wrong));
    expect(await failureOf(['serve'], { ...settings, DATABASE_URL: urlWith(none) })).toBe(
      `DATABASE_URL has sslrootcert=${none}, which contains no certificate (PEM).`,
    );
    expect(await failureOf(['serve'], { ...settings, DATABASE_URL: urlWith('') })).toBe(
      line(
        'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set NODE_EXTRA_CA_CERTS to the certificate of ' +
          'its authority, or add sslrootcert=/path/ca.pem to DATABASE_URL.',
      ),
    );
  });

  it('that accepts only encrypted connections, and a URL that disables them', async () => {
    const server = await startServer({
      certificate: selfSigned,
      hba: ['hostnossl all ledgerline_service all reject'],
    });
    await server.ask('create role ledgerline_service login');
    const url = `postgres://ledgerline_service@127.0.0.1:${server.port}/ledgerline?sslmode=disable`;
    const settings = await production({ DATABASE_URL: url });
    const line =
      `The database ledgerline at 127.0.0.1:${server.port} cannot be used: it refuses the login: pg_hba.conf rejects ` +
      'connection for host "127.0.0.1", user "ledgerline_service", database "ledgerline", no encryption (28000). ' +
      'The connection is not encrypted, and the server may accept only encrypted ones: add sslmode=verify-full to ' +
      'DATABASE_URL (docs/production.md, "Database and grants"). Otherwise add this host to pg_hba.conf of the server.';
    expect(await failureOf(['serve'], settings)).toBe(line);
    expect(await findings(settings)).toEqual([line.replace('The database', '✗ Database:')]);
  });

  it('that the role of the service may not migrate', async () => {
    const server = await startServer();
    await server.ask('create role ledgerline_service login');
    const url = `postgres://ledgerline_service@127.0.0.1:${server.port}/ledgerline`;
    const line = (cause: string) =>
      `The role ledgerline_service may not change the schema of the database ledgerline at 127.0.0.1:${server.port}: ` +
      `${cause} (42501). Run this command with DATABASE_URL set to the URL of the role that owns the schema ` +
      '(docs/production.md: OWNER_URL), not to that of the service.';
    const refused = line('permission denied for database ledgerline');
    expect(await failureOf(['migrate'], { DATABASE_URL: url })).toBe(refused);
    const settings = await production({ DATABASE_URL: url, LEDGERLINE_MIGRATE: 'auto' });
    expect(await failureOf(['serve'], settings)).toBe(refused);
    for (const more of [[], ['--apply']]) {
      expect(
        await failureOf(['grants', '--role', 'ledgerline_service', ...more], { DATABASE_URL: server.url }),
      ).toMatch(/^The database lacks 0001_schema\.sql.*\. Run `ledgerline migrate` first\.$/);
    }
    await runMigrations(server.url);
    expect(await failureOf(['migrate'], { DATABASE_URL: url })).toBe(refused);
    expect(await failureOf(['grants', '--role', 'ledgerline_service', '--apply'], { DATABASE_URL: url })).toBe(
      line('permission denied for schema ledgerline'),
    );
    expect(await failureOf(['grants', '--role', 'ledgerline_servic', '--apply'], { DATABASE_URL: server.url })).toBe(
      "There is no role ledgerline_servic. Create it first: create role ledgerline_servic login password '…'.",
    );
    expect(await findings({ ...settings, LEDGERLINE_MIGRATE: 'check' })).toEqual([
      `✗ Database: ledgerline at 127.0.0.1:${server.port} cannot be used: the role lacks rights in it (42501). Let the ` +
        'owner of the schema run `ledgerline grants --role ledgerline_service --apply`.',
    ]);
  });

  it('that has fewer connections than this node may open', async () => {
    const role = `role_${Math.random().toString(36).slice(2, 10)}`;
    const sql = postgres(inject('clusterUrl'), { max: 1 });
    // After its database, which is created later.
    onTestFinished(async () => {
      await sql.unsafe(`drop role ${role}`);
      await sql.end();
    });
    await sql.unsafe(`create role ${role} login password 'secret' connection limit 10`);
    const url = new URL(await databaseUrl());
    await runHere(['grants', '--role', role, '--apply'], { DATABASE_URL: url.href });
    url.username = role;
    url.password = 'secret';
    const settings = await production({ DATABASE_URL: url.href });
    expect(await findings(settings)).toEqual([
      `✗ Connections: this node may open 25, and the server allows 10 (connection limit of the role ${role}). Raise ` +
        `connection limit of the role ${role}, or lower LEDGERLINE_DATABASE_CONNECTIONS and LEDGERLINE_EXPORTS.`,
    ]);
    await sql.unsafe(`alter role ${role} connection limit 27`);
    const others = postgres(url.href, { max: 5 });
    onTestFinished(() => others.end());
    await Promise.all(Array.from({ length: 5 }, () => others`select pg_sleep(0.2)`));
    expect(await findings(settings)).toEqual([
      `! Connections: this node may open 25, but others use 5 of the 27 that the server allows (connection limit of the ` +
        `role ${role}). Raise connection limit of the role ${role}, or lower LEDGERLINE_DATABASE_CONNECTIONS and LEDGERLINE_EXPORTS.`,
    ]);
    await others.end();
    const refused =
      /cannot be used: it has no connection left \(53300\)\. Raise max_connections of the server, or lower LEDGERLINE_DATABASE_CONNECTIONS\.$/;
    // Enough for the schema and then not for the service, or not for a command.
    await sql.unsafe(`alter role ${role} connection limit 2`);
    expect(await failureOf(['serve'], settings)).toMatch(refused);
    await sql.unsafe(`alter role ${role} connection limit 0`);
    expect(await failureOf(['trace-user', '1'], settings)).toMatch(refused);
  });

  it.skipIf(pgbouncerProgram === undefined)('behind a pooler that lends fewer connections', async () => {
    const settings = await production({ DATABASE_URL: await startPgbouncer('session', 'default_pool_size = 6') });
    const [finding, ...others] = await findings(settings);
    expect(others).toEqual([]);
    // Five, unless the machine is so busy that some logins take too long.
    expect(finding!.replace(/only [1-5] of/, 'only 5 of')).toBe(
      '! Connections: only 5 of the 25 that this node may open could be opened in addition to those in use ' +
        '(LOGIN_TIMEOUT). A pooler needs a default_pool_size of at least 25 for this node, and as much for each ' +
        'further one (docs/production.md, "pgbouncer"). If the nodes are running now, their connections are among ' +
        'those in use.',
    );
    const full = await production({ DATABASE_URL: await startPgbouncer('session', 'default_pool_size = 1') });
    expect(await failureOf(['serve'], full)).toMatch(
      /it accepts the connection, but lets the login wait \(LOGIN_TIMEOUT\)\. If it is a pooler, it has no free connection: raise its default_pool_size/,
    );
  });
});

describe('a port', () => {
  it('of the metrics that is taken', async () => {
    const holder = createTcpServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const settings = await production({
      DATABASE_URL: await databaseUrl(),
      LEDGERLINE_METRICS_PORT: String(port),
    });
    for (const processes of [{}, { LEDGERLINE_PROCESSES: '2' }]) {
      expect(await failureOf(['serve'], { ...settings, ...processes })).toBe(
        `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or set LEDGERLINE_METRICS_PORT to another port.`,
      );
    }
  });

  it('that the metrics and the service would share', async () => {
    const settings = await production({ DATABASE_URL: await databaseUrl() });
    expect(await failureOf(['serve'], { ...settings, LEDGERLINE_METRICS_PORT: settings.PORT! })).toBe(
      'LEDGERLINE_METRICS_PORT must be another port than PORT.',
    );
  });
});

it('several hosts: doctor lists each, and a start names the reason of each', { timeout: 240_000 }, async () => {
  const { primary, standby, stop } = await startReplicated(false);
  onTestFinished(stop);
  const [first, second] = [`127.0.0.1:${standby.port}`, `127.0.0.1:${primary.port}`];
  const none = '127.0.0.1:1';
  const settings = await production({ DATABASE_URL: `postgres://postgres@${first},${second},${none}/ledgerline` });
  const hostLines = async () => (await runHere(['doctor'], settings)).stdout.match(/^. Host .*$/gm) ?? [];
  const refused = 'nothing answers there (ECONNREFUSED)';
  const unreachable = `! Host ${none}: cannot be used: ${refused}. Check host and port in DATABASE_URL and that the server runs.`;
  // The primary may write between two reports, so the one that was waited for is compared.
  const lines = await until(async () => {
    const reported = await hostLines();
    return reported[0] === `✓ Host ${first}: standby, timeline 1, not behind` && reported;
  }, 200);
  expect(lines).toEqual([
    `✓ Host ${first}: standby, timeline 1, not behind`,
    `✓ Host ${second}: primary, timeline 1; the service uses it`,
    unreachable,
  ]);

  const reading = { ...settings, DATABASE_READ_URL: `postgres://postgres@${first},${none}/ledgerline` };
  expect((await runHere(['doctor'], reading)).stdout.match(/^. Read host .*$/gm)).toEqual([
    expect.stringMatching(new RegExp(`^✓ Read host ${first}: standby, timeline 1, `)),
    unreachable.replace('Host', 'Read host').replace('DATABASE_URL', 'DATABASE_READ_URL'),
  ]);
  const elsewhere = { ...settings, DATABASE_READ_URL: `postgres://postgres@${first},${second}/postgres` };
  expect((await runHere(['doctor'], elsewhere)).stdout.match(/^. Read host .*$/gm)).toEqual(
    [`${first}: standby`, `${second}: primary`].map(
      (host) =>
        `! Read host ${host} of another database, or an old primary: the service does not use it. ` +
        'Name standbys of the database of DATABASE_URL in DATABASE_READ_URL.',
    ),
  );

  // A standby alone: reading works, and so the start would go on for a while.
  const alone = { ...settings, DATABASE_URL: `postgres://postgres@${first}/ledgerline` };
  const sentence =
    `The database ledgerline at ${first} cannot be used: it is a read-only standby (25006). Name the primary in ` +
    'DATABASE_URL, or all hosts, separated by commas.';
  expect(await failureOf(['serve'], alone)).toBe(sentence);
  expect(await failureOf(['serve'], { ...alone, LEDGERLINE_PROCESSES: '2' })).toBe(sentence);
  expect(await failureOf(['erase-user', '1'], { DATABASE_URL: alone.DATABASE_URL })).toBe(sentence);

  const running = await serviceForTest(settings);
  await primary.crash();
  const cause =
    'none of its hosts is a primary that can be used: ' +
    `${first}: it is a read-only standby (25006); ${second}: ${refused}; ${none}: ${refused}`;
  expect(await failureOf(['serve'], { ...settings, PORT: '0' })).toBe(
    `The database ledgerline at ${first},${second},${none} cannot be used: ${cause}. ` +
      'Start the primary or promote a standby, and check that DATABASE_URL names all hosts.',
  );
  const log = () => running.logLines.join('');
  await until(() => log().includes('"available":false'));
  // A session that was open ends first, or the search for a primary does.
  expect(log()).toMatch(/"available":false,"cause":"(nothing answers there|none of its hosts)/);

  await standby.promote();
  await primary.start();
  await until(async () => (await hostLines())[0]?.includes('timeline 2; the service uses it'), 200);
  expect(await hostLines()).toEqual([
    `✓ Host ${first}: primary, timeline 2; the service uses it`,
    `! Host ${second}: primary, timeline 1: an old primary, which the service does not use. Make it a standby of ` +
      `${first} (pg_rewind), or stop it.`,
    unreachable,
  ]);
});
