/** The proxies of deploy/, as far as they are installed, in front of two nodes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request, type Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { selfSigned } from './certificate.ts';
import { until } from '../until.ts';

interface ProxyKind {
  name: string;
  /** Below deploy/. */
  example: string;
  /** The file that the program is started with, and its arguments. */
  wrap(example: string, folder: string): string;
  start(file: string, folder: string): string[];
}

const kinds: ProxyKind[] = [
  {
    name: 'nginx',
    example: 'nginx/ledgerline.conf',
    wrap: (example, folder) => {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      return (
        `${user} daemon off; pid ${folder}/pid; error_log stderr; events {}\n` +
        `http { access_log off; ${paths.join(' ')}\n${example} }`
      );
    },
    start: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
  },
  {
    name: 'haproxy',
    example: 'haproxy/haproxy.cfg',
    wrap: (example) => example,
    start: (file) => ['-db', '-f', file],
  },
];

export const proxyKinds = kinds.map((kind) => ({
  ...kind,
  isInstalled: spawnSync(kind.name, ['-v']).error === undefined,
}));

export interface Proxy {
  port: number;
  /** On a connection of its own, if it is given no agent. */
  open(method: string, pathname: string, headers?: Record<string, string>, agent?: Agent): ReturnType<typeof request>;
  /** What it has written about failures. */
  readonly errors: string;
  stop(): Promise<void>;
}

/** The example with the ports and the certificate of this test; `change` may replace some of it. */
export async function startProxy(
  kind: ProxyKind,
  port: number,
  nodePorts: [number, number],
  change: (example: string) => string = (example) => example,
): Promise<Proxy> {
  const folder = await mkdtemp(path.join(tmpdir(), `ledgerline-${kind.name}-`));
  const example = await readFile(new URL(`../../../deploy/${kind.example}`, import.meta.url), 'utf8');
  const adapted = change(example)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${nodePorts[0]}`)
    .replaceAll('127.0.0.1:8082', `127.0.0.1:${nodePorts[1]}`)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replace('bind :8443', `bind 127.0.0.1:${port}`)
    .replaceAll(/\/etc\/\w+\/tls\//g, `${folder}/`);
  if (/808[12]\b|8443|\/etc\//.test(adapted)) throw new Error(`Not everything was replaced: ${adapted}`);
  const file = path.join(folder, 'configuration');
  await writeFile(file, kind.wrap(adapted, folder));
  await writeFile(path.join(folder, 'ledgerline.crt'), selfSigned.cert);
  await writeFile(path.join(folder, 'ledgerline.key'), selfSigned.key);
  await writeFile(path.join(folder, 'ledgerline.pem'), `${selfSigned.cert}\n${selfSigned.key}`);
  const child = spawn(kind.name, kind.start(file, folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));

  const open: Proxy['open'] = (method, pathname, headers = {}, agent) =>
    request({
      ...{ host: '127.0.0.1', port, servername: 'localhost', ca: selfSigned.cert, method, path: pathname },
      headers: { host: 'localhost', ...headers },
      agent: agent ?? false,
    });
  const isReady = () =>
    new Promise<boolean>((resolve) => {
      open('GET', '/health/ready')
        .on('response', (response) => resolve(response.resume().statusCode === 200))
        .on('error', () => resolve(false))
        .end();
    });
  const stop = async () => {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(errors);
      return isReady();
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    open,
    get errors() {
      return errors;
    },
    stop,
  };
}
