/** deploy/nginx/ledgerline.conf in front of two nodes, where nginx is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/free-port.ts';
import { selfSigned } from '../harness/certificate.ts';
import { cloneDatabase, row, startService, type Service } from '../harness/service.ts';

const isInstalled = spawnSync('nginx', ['-v']).error === undefined;

let folder: string;
let port: number;
const nodes: Service[] = [];
/** Where each node listens. Its URL is the one of the proxy. */
const addresses: string[] = [];
let token: string;
const cleanUps: (() => unknown)[] = [];

/** The example with the ports and the certificate of this test. */
async function writeConfiguration(): Promise<string> {
  const example = await readFile(new URL('../../deploy/nginx/ledgerline.conf', import.meta.url), 'utf8');
  const server = example
    .replace('127.0.0.1:8081', addresses[0]!)
    .replace('127.0.0.1:8082', addresses[1]!)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/nginx/tls/', `${folder}/`);
  expect(server).not.toMatch(/808[12]|8443|\/etc\//);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = path.join(folder, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  await writeFile(
    file,
    `${user} daemon off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths.join(' ')}\n${server} }`,
  );
  await writeFile(path.join(folder, 'ledgerline.crt'), selfSigned.cert);
  await writeFile(path.join(folder, 'ledgerline.key'), selfSigned.key);
  return file;
}

beforeAll(async () => {
  if (!isInstalled) return;
  folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-nginx-'));
  port = await freePort('127.0.0.1');
  const database = await cloneDatabase();
  const settings = {
    DATABASE_URL: database.url,
    PUBLIC_URL: `https://localhost:${port}`,
    LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
  };
  for (let count = 0; count < 2; count += 1) {
    const own = await freePort('127.0.0.1');
    nodes.push(await startService({ ...settings, PORT: String(own) }));
    addresses.push(`127.0.0.1:${own}`);
  }
  token = await tokenOf(addresses[0]!);
  const configuration = await writeConfiguration();
  const nginx = spawn('nginx', ['-p', folder, '-c', configuration, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  nginx.stderr.on('data', (chunk) => (errors += String(chunk)));
  cleanUps.push(
    () => rm(folder, { recursive: true, force: true }),
    database.drop,
    () => Promise.all(nodes.map((node) => node.stop())),
    async () => {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    },
  );
  await vi.waitUntil(
    async () => {
      if (nginx.exitCode !== null) throw new Error(errors);
      return (await call('GET', '/health/ready').catch(() => undefined))?.status === 200;
    },
    { timeout: 10_000 },
  );
});
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** Asked of the node itself: the sandbox's token endpoint refuses whoever comes through a proxy. */
async function tokenOf(address: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'sandbox',
    client_secret: 'sandbox',
  });
  const response = await fetch(`http://${address}/connect/token`, { method: 'POST', body: form });
  return ((await response.json()) as { access_token: string }).access_token;
}

function open(method: string, pathname: string, headers: Record<string, string> = {}) {
  return request({
    ...{ host: '127.0.0.1', port, servername: 'localhost', ca: selfSigned.cert, method, path: pathname },
    headers: { host: 'localhost', authorization: `Bearer ${token}`, ...headers },
  });
}

async function call(method: string, pathname: string, body?: string, contentType = 'application/json') {
  const sent = open(method, pathname, body === undefined ? {} : { 'content-type': contentType });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode as number, body: await text(response) };
}

describe.skipIf(!isInstalled)('nginx in front of two nodes', () => {
  it('passes calls on, and bodies larger than its own default', async () => {
    const created = await call('POST', '/User', '{}');
    expect(created.status).toBe(201);
    const { id } = JSON.parse(created.body) as { id: number };
    const lines = Array.from({ length: 20_000 }, () => JSON.stringify(row(id))).join('\n');
    expect(lines.length).toBeGreaterThan(2 * 1024 * 1024);
    const recorded = await call('POST', '/app/record-transactions', lines, 'application/x-ndjson');
    expect([recorded.status, JSON.parse(recorded.body).totals.created]).toEqual([200, 20_000]);
  });

  it('holds nothing of a stream of events back', async () => {
    const { id } = JSON.parse((await call('POST', '/User', '{}')).body) as { id: number };
    const sent = open('GET', `/app/live?individualId=${id}`);
    sent.end();
    const [response] = await once(sent, 'response');
    let received = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    await vi.waitUntil(() => received.includes('"transactionCount":0'), { timeout: 10_000 });
    await call('POST', '/app/record-transactions', JSON.stringify({ transactions: [row(id)] }));
    await vi.waitUntil(() => received.includes('"transactionCount":1'), { timeout: 10_000 });
    sent.destroy();
  });

  it('goes on with the other node while one is restarted', async () => {
    await nodes.pop()!.stop();
    for (let count = 0; count < 20; count += 1) expect((await call('POST', '/User', '{}')).status).toBe(201);
  });
});
