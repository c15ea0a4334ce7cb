/** Database URLs: what they may look like, and what they mean for the connection. */
import { rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { parseAddress, type DatabaseEndpoint } from '../../src/db/sessions/address.ts';
import { explainFault } from '../../src/db/checks/explain-failure.ts';
import { openConnection } from '../../src/db/sessions/pool.ts';
import { openRoute } from '../../src/db/sessions/route.ts';
import { freePort } from '../../src/network/free-port.ts';
import { selfSigned } from '../harness/servers/certificate.ts';
import { startServer } from '../harness/servers.ts';

describe('a database URL', () => {
  it.each([
    ['postgres://u:p@db/x', [{ host: 'db', port: 5432 }]],
    ['postgresql://u@db:5433/x?application_name=y', [{ host: 'db', port: 5433 }]],
    [
      'postgres://u@a:1,b,c:3/x',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 5432 },
        { host: 'c', port: 3 },
      ],
    ],
    [
      'postgres://u@[::1]:6,[fe80::1]/x',
      [
        { host: '::1', port: 6 },
        { host: 'fe80::1', port: 5432 },
      ],
    ],
    ['postgres://u@%2Fvar%2Frun/x', [{ host: '/var/run', port: 5432 }]],
    ['postgres:///x', [{ host: 'localhost', port: 5432 }]],
    ['postgres://u:p@/x?host=/var/run&port=5433', [{ host: '/var/run', port: 5433 }]],
    ['postgres:///x?host=::1&sslmode=disable', [{ host: '::1', port: 5432 }]],
    [
      'postgres://u@a,b/x?port=1,2',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    ],
    [
      'postgres://u@/x?host=a,b&port=1',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 1 },
      ],
    ],
  ])('%s names its hosts', (url, endpoints) => {
    expect(parseAddress(url).endpoints).toEqual(endpoints);
  });

  it.each([
    'mysql://db/x',
    'postgres://u@db:1/x?port=2',
    'postgres:///x?host=a,b,c&port=1,2',
    'postgres://u@db:0/x',
    'postgres://u@db:70000/x',
    'postgres://u@a:b/x',
    'db',
  ])('%s is refused', (url) => expect(() => parseAddress(url)).toThrow(/must be a URL|no host and port/));

  it('says how the connection is encrypted', () => {
    expect(parseAddress('postgres://db/x').encryption).toEqual({ mode: 'preferred' });
    expect(parseAddress('postgres://db/x?sslmode=disable').encryption).toEqual({ mode: 'off' });
    expect(parseAddress('postgres://db/x?sslmode=require&target_session_attrs=primary')).toMatchObject({
      encryption: { mode: 'required' },
      settings: [],
    });
    expect(parseAddress('postgres://db/x?sslmode=verify-full').encryption).toEqual({ mode: 'verified' });
    expect(() => parseAddress('postgres://db/x?sslmode=maybe')).toThrow('has sslmode=maybe');
    expect(() => parseAddress('postgres://db/x?sslrootcert=/nowhere')).toThrow('cannot be read (ENOENT)');
  });

  it('has a login, and settings for its sessions', () => {
    expect(
      parseAddress('postgres://a%40b:c%3Ad:e@db/x%2Fy?application_name=it%27s&options=-c%20jit%3Doff'),
    ).toMatchObject({
      login: { user: 'a@b', password: 'c:d:e', database: 'x/y', options: '-c jit=off' },
      settings: [`set "application_name" = 'it''s'`],
    });
    expect(parseAddress('postgres://db').login).toEqual({ password: '' });
  });

  it('is named without its password', () => {
    expect(parseAddress('postgres://u:hunter2@a:1,b:2/x?sslmode=require').name).toBe('x at a:1,b:2');
    expect(parseAddress('postgres://u:hunter2@/x?host=/var/run').name).toBe('x at /var/run');
    expect(parseAddress('postgres:///x').name).toBe('x at localhost');
  });
});

describe('a login', () => {
  const failureOf = async (change: (url: URL) => void) => {
    const url = new URL(inject('clusterUrl'));
    change(url);
    const sql = openConnection(url.href, 5);
    onTestFinished(() => sql.end({ timeout: 0 }));
    const error = await sql`select 1`.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error && explainFault(error, parseAddress(url.href)).cause;
  };

  it('needs the password, and says so without it', async () => {
    expect(await failureOf(() => {})).toBeUndefined();
    expect(await failureOf((url) => (url.password = 'wrong'))).toMatch(/^it refuses the login: .*\(28P01\)$/);
    expect(await failureOf((url) => (url.password = ''))).toBe(
      'it wants a password, and DATABASE_URL has none that can be used (LOGIN_FAILED)',
    );
  });
});

it('a server that stops answering during the handshake is an error of the connection, and of nothing else', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    // Encryption is granted, and then nothing follows.
    socket.once('data', () => socket.write('S'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sql = openConnection(`postgres://u:p@127.0.0.1:${port}/x`, 5);
  onTestFinished(async () => {
    await sql.end({ timeout: 0 });
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' });
  // An uncaught error would come now.
  await new Promise((resolve) => setImmediate(resolve));
});

it('a host that stops answering while it is asked for its role is given up', async () => {
  const address = parseAddress(inject('clusterUrl'));
  const [{ host, port }] = address.endpoints as [DatabaseEndpoint];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('data', (chunk) => void (chunk.includes('pg_is_in_recovery') || upstream.write(chunk)));
    upstream.pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const silent = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const endpoints = [silent, { host: '127.0.0.1', port: await freePort() }];
  const route = openRoute({ ...address, encryption: { mode: 'off' }, endpoints });
  await expect(route.endpoint()).rejects.toMatchObject({
    hosts: [{ error: { code: 'PROBE_TIMEOUT' } }, { error: { code: 'ECONNREFUSED' } }],
  });
});

describe('an encrypted connection', () => {
  /** Whether the session is encrypted, or the code of the refusal. */
  async function isEncrypted(url: string): Promise<unknown> {
    const sql = openConnection(url, 5);
    try {
      const [found] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      return found!.ssl;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  it('is encrypted as the URL says, and refused if the certificate is not trusted', async () => {
    const { port } = await startServer({ certificate: selfSigned });
    const url = (parameters: string, host = 'localhost') =>
      `postgres://postgres@${host}:${port}/ledgerline${parameters}`;
    expect(await isEncrypted(url(''))).toBe(true);
    expect(await isEncrypted(url('?sslmode=disable'))).toBe(false);
    expect(await isEncrypted(url('?sslmode=prefer'))).toBe(true);
    expect(await isEncrypted(url('?sslmode=require'))).toBe(true);
    expect(await isEncrypted(url('?sslmode=verify-full'))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    const authority = path.join(tmpdir(), `ledgerline-authority-${port}.pem`);
    await writeFile(authority, selfSigned.cert);
    onTestFinished(() => rm(authority));
    expect(await isEncrypted(url(`?sslmode=verify-full&sslrootcert=${authority}`))).toBe(true);
    // The certificate is for localhost, and not for its address.
    expect(await isEncrypted(url(`?sslmode=verify-full&sslrootcert=${authority}`, '127.0.0.1'))).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
  });

  it('is not replaced by a plain one, unless that is allowed', async () => {
    const { port } = await startServer();
    const url = (mode: string) => `postgres://postgres@127.0.0.1:${port}/ledgerline?sslmode=${mode}`;
    expect(await isEncrypted(url('prefer'))).toBe(false);
    expect(await isEncrypted(url('require'))).toBe('ERR_TLS_NOT_OFFERED');
  });
});
