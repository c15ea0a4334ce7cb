/** PostgreSQL servers of a test of its own: one with TLS, or two of which one follows the other by streaming replication. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { installBinaries, isRoot, nobody } from '../../src/db/embedded/binaries.ts';
import { madeOnce } from './database/made-once.ts';
import { reservePort } from './reserve-port.ts';
import { runMigrations } from '../../src/db/migrations/migrate.ts';
import { until } from './until.ts';

/** PostgreSQL refuses to run as root. */
export const serverUser = isRoot ? { uid: nobody, gid: nobody } : {};

export class Server {
  readonly port: number;
  readonly #binaries: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(binaries: string, folder: string, port: number) {
    this.#binaries = binaries;
    this.#folder = folder;
    this.port = port;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/ledgerline`;
  }

  /** `environment` is for the commands that the server runs. */
  async start(settings: Record<string, string> = {}, environment: Record<string, string> = {}): Promise<void> {
    const all = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      shared_buffers: '32MB',
      wal_keep_size: '512MB',
      max_connections: '100',
      ...settings,
    };
    const log = openSync(path.join(this.#folder, '..', `${this.port}.log`), 'a');
    this.#child = spawn(
      path.join(this.#binaries, 'bin/postgres'),
      ['-D', this.#folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...serverUser,
        env: { LC_ALL: 'C', TZ: 'UTC', ...environment },
        cwd: this.#folder,
        stdio: ['ignore', log, log],
      },
    );
    await until(() =>
      this.ask('select 1').then(
        () => true,
        () => false,
      ),
    );
  }

  /** One statement, as the superuser. */
  async ask(statement: string, database = 'postgres'): Promise<postgres.Row[]> {
    const sql = postgres(`postgres://postgres@127.0.0.1:${this.port}/${database}`, {
      max: 1,
      connect_timeout: 5,
      onnotice: () => {},
    });
    try {
      return await sql.unsafe(statement);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** As if the machine had lost its power: no session is ended in order, nothing is written out. */
  async crash(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGQUIT');
    await once(child, 'exit');
  }

  async promote(): Promise<void> {
    await this.ask('select pg_promote(true, 30)');
  }
}

export interface Replicated {
  primary: Server;
  standby: Server;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Encrypts connections. */
  certificate?: { cert: string; key: string };
  /** Lines of pg_hba.conf, before those that let everybody in. */
  hba?: string[];
}

/** One server with an empty database. */
export async function startServer({ certificate, hba = [] }: ServerOptions = {}): Promise<Server> {
  const { folder, binaries } = await makeFolder();
  const cluster = path.join(folder, 'single');
  await copyEmptyCluster(binaries, cluster);
  const server = new Server(binaries, cluster, await reservePort());
  const files = { cert: path.join(cluster, 'server.crt'), key: path.join(cluster, 'server.key') };
  if (certificate) {
    await writeOwned(files.cert, certificate.cert);
    await writeOwned(files.key, certificate.key);
  }
  const hbaFile = path.join(cluster, 'pg_hba.conf');
  await writeFile(hbaFile, [...hba, await readFile(hbaFile, 'utf8')].join('\n'));
  onTestFinished(() => removeServers(folder, [server]));
  await server.start(certificate ? { ssl: 'on', ssl_cert_file: files.cert, ssl_key_file: files.key } : {});
  await server.ask('create database ledgerline');
  return server;
}

/** `isSynchronous`: the primary acknowledges a commit when the standby has it, too. */
export async function startReplicated(isSynchronous: boolean): Promise<Replicated> {
  const { folder, binaries } = await makeFolder();
  const folders = ['first', 'second'].map((name) => path.join(folder, name)) as [string, string];
  for (const each of folders) await copyEmptyCluster(binaries, each);
  const servers = [
    new Server(binaries, folders[0], await reservePort()),
    new Server(binaries, folders[1], await reservePort()),
  ] as [Server, Server];
  const replication = {
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = 'host=127.0.0.1 port=${servers[0].port} user=postgres application_name=second'\n`,
  };
  for (const [name, text] of Object.entries(replication)) await writeOwned(path.join(folders[1], name), text);
  const [primary, standby] = servers;
  const stop = () => removeServers(folder, servers);
  try {
    await primary.start(isSynchronous ? { synchronous_standby_names: '*', synchronous_commit: 'on' } : {});
    await standby.start();
    await until(async () => (await primary.ask('select from pg_stat_replication')).length === 1);
    await primary.ask('create database ledgerline');
    await runMigrations(primary.url);
    return { primary, standby, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function makeFolder(): Promise<{ folder: string; binaries: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-servers-'));
  await chmod(folder, 0o711);
  return { folder, binaries: await installBinaries(folder) };
}

async function removeServers(folder: string, servers: Server[]): Promise<void> {
  for (const server of servers) await server.crash();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** An empty cluster that was made before, with its owner. */
async function copyEmptyCluster(binaries: string, folder: string): Promise<void> {
  const made = await madeOnce('empty-cluster', (parent) => initialize(binaries, path.join(parent, 'cluster')));
  await promisify(execFile)('cp', ['-a', path.join(made, 'cluster'), folder]);
}

/** Makes an empty cluster in a folder that does not exist yet. */
export async function initialize(binaries: string, folder: string): Promise<void> {
  const parent = path.dirname(folder);
  // Only for the time of its making may anybody create folders here.
  await chmod(parent, 0o777);
  const child = spawn(
    path.join(binaries, 'bin/initdb'),
    ['-D', folder, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      ...serverUser,
      env: { LC_ALL: 'C', TZ: 'UTC' },
      cwd: parent,
      stdio: 'ignore',
    },
  );
  const [code] = await once(child, 'exit');
  await chmod(parent, 0o711);
  if (code !== 0) throw new Error(`initdb ended with ${code}.`);
}

/** A file of the server, which nobody else may read. */
async function writeOwned(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  if (isRoot) await chown(file, nobody, nobody);
}
