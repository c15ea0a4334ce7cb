import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { dataFolder, preparedDataFolder, startProcess, type ServiceProcess } from '../harness/process.ts';
import { row } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** The embedded PostgreSQL, as only the owner of the data directory can reach it. */
async function embeddedSql(dataDir: string) {
  const password = await readFile(path.join(dataDir, 'postgres-password'), 'utf8');
  const port = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[3];
  return postgres(`postgres://ledgerline:${password}@127.0.0.1:${port}/ledgerline`, {
    connection: { search_path: 'ledgerline' },
  });
}

async function activeRequests({ url }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^ledgerline_requests_active (\d+)$/m.exec(metrics)?.[1]);
}

it('SIGHUP ends no service of one process, and SIGTERM stops it and its PostgreSQL cleanly, with the requests in flight answered', async () => {
  const dataDir = await dataFolder();
  const service = await startProcess(dataDir);
  service.child.kill('SIGHUP');
  await until(() => service.output.stdout.includes('"msg":"reload-ignored"'));
  const token = await service.token();
  const { json: user } = await service.call('POST', '/User', token, {});
  await service.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
  const sql = await embeddedSql(dataDir);
  const list = () => service.call('POST', '/app/get-all-transactions', token, { individualId: user.id, dataBatch: 1 });

  let answers: ReturnType<typeof list>[] = [];
  let exit: Promise<number | null>;
  await sql.begin(async (transaction) => {
    await transaction`lock table transactions in access exclusive mode`;
    answers = Array.from({ length: 5 }, list);
    await until(async () => (await activeRequests(service)) === 5);
    exit = service.end('SIGTERM');
    await until(() => service.output.stdout.includes('"msg":"stopping"'));
  });
  await sql.end();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(await exit!).toBe(0);
  expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
  expect(service.output.stdout).toContain('"msg":"stopped"');
  await expect(fetch(service.url)).rejects.toThrow();
  expect(await readFile(path.join(dataDir, 'postgres.log'), 'utf8')).toContain('database system is shut down');
});

it('npm start passes a signal on, also one that the whole group gets, and leaves nothing behind', async () => {
  const dataDir = await preparedDataFolder();
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  let asked = false;
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += chunk;
    if (asked || !output.includes('"msg":"started"')) return;
    asked = true;
    // As a terminal does: to npm and to the service, which npm tells once more.
    process.kill(-npm.pid!, 'SIGINT');
  });
  await once(npm.stdout, 'close');
  expect(output).toContain('"msg":"stopped"');
  expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
});

it('the embedded PostgreSQL is started again when it dies; a second start finds what the first one kept, and --fresh empties the sandbox', async () => {
  const dataDir = await dataFolder();
  const first = await startProcess(dataDir);
  const token = await first.token();
  const { json: user } = await first.call('POST', '/User', token, {});
  expectPrivate(dataDir, 'postgres.log');
  const pid = Number((await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
  process.kill(pid, 'SIGKILL');
  await untilBack(first, token);
  expect(await first.end('SIGINT')).toBe(0);
  const second = await startProcess(dataDir, { PORT: new URL(first.url).port });
  // The keys outlive the process, and so do its tokens.
  expect((await second.call('GET', `/User/${user.id}/status`, token)).status).toBe(200);
  expect(await second.end('SIGTERM')).toBe(0);
  const fresh = await startProcess(dataDir, {}, ['--fresh']);
  const freshToken = await fresh.token();
  expect((await fresh.call('GET', `/User/${user.id}/status`, freshToken)).status).toBe(404);
  expect((await fresh.call('GET', '/User/1/status', freshToken)).status).toBe(200);
  await fresh.end('SIGTERM');
});

it('keeps passwords and keys to their owner, and the keys outside the database’s directory', async () => {
  // As a first start has left it.
  const dataDir = await preparedDataFolder();
  for (const file of ['postgres-password', 'keys/signing.pem', 'keys/digest.key']) expectPrivate(dataDir, file);
  expect(statSync(path.join(dataDir, 'keys')).mode & 0o077).toBe(0);
  const access = await readFile(path.join(dataDir, 'postgres/pg_hba.conf'), 'utf8');
  expect(access).toBe('host ledgerline ledgerline 127.0.0.1/32 scram-sha-256\n');
});

function expectPrivate(dataDir: string, file: string): void {
  expect([file, statSync(path.join(dataDir, file)).mode & 0o077]).toEqual([file, 0]);
}

/** Until the service has missed its database, and has it again. */
async function untilBack(service: ServiceProcess, token: string): Promise<void> {
  let sawUnavailable = false;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { status, headers } = await service.call('POST', '/User', token, {});
    expect([201, 503]).toContain(status);
    if (status === 503) {
      sawUnavailable = true;
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    } else if (sawUnavailable) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(sawUnavailable).toBe(true);
  expect((await service.call('POST', '/User', token, {})).status).toBe(201);
}
