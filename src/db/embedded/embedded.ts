/** The embedded PostgreSQL: created, started and stopped as a child of this process. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { appendFile, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../errors.ts';
import { freePort } from '../../network/free-port.ts';
import { readOptionalFile } from '../../formats/read-optional-file.ts';
import { installBinaries, isRoot, nobody } from './binaries.ts';
import { isRunning, lockDirectory, lockHolder } from './data-directory-lock.ts';

export interface Embedded {
  url: string;
  stop(): Promise<void>;
  /** Ends the server immediately; the next start recovers. */
  kill(): void;
}

export interface EmbeddedOptions {
  dataDir: string;
  /** Settings of PostgreSQL in addition to ours. */
  settings?: Record<string, string>;
  /**
   * If given, the start begins with an empty database. It is called with the address of the existing database, which is
   * kept if this throws.
   */
  beforeRemoval?: (url: string) => Promise<void>;
  /** Lets the service's role create databases and roles: tests clone a database for each file. */
  mayCreateDatabases?: boolean;
}

const role = 'ledgerline';
const database = 'ledgerline';

/**
 * Nothing that a caller sent may be in the log: an error's detail quotes keys, a statement its parameters. The service
 * logs failures itself, without such values.
 */
const quietLog = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
};

const ourSettings = {
  ...quietLog,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

interface Place {
  dataDir: string;
  cluster: string;
  passwordFile: string;
  log: string;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = path.resolve(options.dataDir);
  try {
    return await start({ ...options, dataDir });
  } catch (error) {
    throw inWords(error, dataDir);
  }
}

async function start({ dataDir, settings, beforeRemoval, mayCreateDatabases }: EmbeddedOptions): Promise<Embedded> {
  await mkdir(dataDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
  const unlock = await lockDirectory(dataDir);
  try {
    const place: Place = {
      dataDir,
      cluster: path.join(dataDir, 'postgres'),
      passwordFile: path.join(dataDir, 'postgres-password'),
      log: path.join(dataDir, 'postgres.log'),
    };
    const binaries = await installBinaries(dataDir);
    await stopOrphan(place);
    if (beforeRemoval && existsSync(place.cluster)) await removeCluster(place, binaries, beforeRemoval);
    await checkVersion(place, binaries);
    if (!existsSync(place.cluster)) await createCluster(place, binaries, mayCreateDatabases ?? false);
    const server = await runServer(place, binaries, { ...ourSettings, ...settings });
    const password = await readFile(place.passwordFile, 'utf8');
    return {
      url: addressOf(password, server.port),
      async stop() {
        await server.stop();
        await unlock();
      },
      kill: () => server.kill(),
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Removes the database, unless the check fails or cannot be run. */
async function removeCluster(place: Place, binaries: string, check: (url: string) => Promise<void>): Promise<void> {
  let server: Server;
  let password: string;
  try {
    await checkVersion(place, binaries);
    password = await readFile(place.passwordFile, 'utf8');
    server = await runServer(place, binaries, ourSettings);
  } catch (error) {
    throw new StartError(
      `--fresh cannot find out whether ${place.cluster} has served production, and removes nothing. ` +
        `Remove that folder yourself if you need nothing in it. (${(error as Error).message})`,
    );
  }
  try {
    await check(addressOf(password, server.port));
  } finally {
    await server.stop();
  }
  await rm(place.cluster, { recursive: true, force: true });
}

/**
 * The address of the PostgreSQL that a running service has started on a directory, for commands that run at the same
 * time.
 */
export async function runningEmbedded(folder: string): Promise<string | undefined> {
  const dataDir = path.resolve(folder);
  if (!(await lockHolder(dataDir))) return undefined;
  const { port, isReady } = await readPostmaster(path.join(dataDir, 'postgres'));
  const password = await readOptionalFile(path.join(dataDir, 'postgres-password'));
  return password && isReady ? addressOf(password, port) : undefined;
}

/** The postmaster writes its state into its pid file; pg_ctl waits for it there too. A killed server leaves it behind. */
async function readPostmaster(cluster: string) {
  const lines = ((await readOptionalFile(path.join(cluster, 'postmaster.pid'))) ?? '').split('\n');
  return { pid: Number.parseInt(lines[0]!, 10), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

function addressOf(password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/** Runs a program in a folder whose parents its user may not enter: see `here`. */
function inFolder(folder: string): SpawnOptions {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return isRoot ? { cwd: folder, env, uid: nobody, gid: nobody } : { cwd: folder, env };
}

/**
 * The data directory as it is given to PostgreSQL. If we run as root, PostgreSQL runs as `nobody`, who may not be allowed
 * to enter the folders above (root's home, for example). This name refers to the working directory of the process.
 */
function here(folder: string): string {
  return isRoot && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

async function createCluster(place: Place, binaries: string, mayCreateDatabases: boolean): Promise<void> {
  // A start that is interrupted leaves a folder that the next one removes.
  const fresh = `${place.cluster}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (isRoot) await chown(fresh, nobody, nobody);
  const initdb = ['-D', here(fresh), ...'-U postgres --auth=reject -E UTF8 --locale=C --no-instructions'.split(' ')];
  await run(path.join(binaries, 'bin/initdb'), initdb, fresh);

  // Hex needs no quoting. The superuser gets no password, so that nobody can log in as the superuser later.
  const password = randomBytes(24).toString('hex');
  const power = mayCreateDatabases ? 'createdb createrole' : '';
  // The usual 4,096 rounds of hashing protect passwords that can be guessed, and would take a fifth of a start.
  const provision =
    'set scram_iterations = 1\n' +
    `create role ${role} login ${power} password '${password}'\ncreate database ${database} owner ${role}\n`;
  await run(path.join(binaries, 'bin/postgres'), ['--single', '-D', here(fresh), 'postgres'], fresh, provision);
  const access = `host ${mayCreateDatabases ? 'all all' : `${database} ${role}`} 127.0.0.1/32 scram-sha-256\n`;
  await writeFile(path.join(fresh, 'pg_hba.conf'), access);
  await writeFile(place.passwordFile, password, { mode: 0o600 });
  await rename(fresh, place.cluster);
}

/** Runs a program to its end. Its output is shown only if it failed. */
async function run(program: string, args: string[], folder: string, input = ''): Promise<void> {
  const child = spawn(program, args, { ...inFolder(folder), stdio: 'pipe' });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  // --single reports a failed statement but still exits with 0.
  if (code !== 0 || /ERROR:|FATAL:/.test(output)) {
    throw new Error(`${path.basename(program)} failed: ${lastLines(output)}`);
  }
}

async function checkVersion(place: Place, binaries: string): Promise<void> {
  const made = await readOptionalFile(path.join(place.cluster, 'PG_VERSION'));
  const ours = /postgresql-(\d+)\./.exec(binaries)![1]!;
  if (made !== undefined && made.trim() !== ours) {
    throw new StartError(
      `${place.cluster} was made by PostgreSQL ${made.trim()}, and this Ledgerline brings PostgreSQL ${ours}. ` +
        `Start the Ledgerline that made it, move the data with pg_dump and DATABASE_URL, or set DATA_DIR to another folder.`,
    );
  }
}

/**
 * After kill -9 of the service its PostgreSQL keeps running. This process has the lock, so no other service uses it.
 */
async function stopOrphan({ cluster }: Place): Promise<void> {
  const { pid } = await readPostmaster(cluster);
  if (!(pid > 0)) return;
  if (!isPostgres(pid)) return rm(path.join(cluster, 'postmaster.pid'), { force: true });
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    for (let wait = 0; wait < 100 && isPostgres(pid); wait += 1) {
      if (wait === 0) process.kill(pid, signal);
      await sleep(50);
    }
  }
}

/** An id from an old pid file may belong to another program by now. */
function isPostgres(pid: number): boolean {
  if (!isRunning(pid)) return false;
  return path.basename(commandOf(pid)).startsWith('postgres');
}

/** The name of the program, or its path. macOS has no /proc; some images have no `ps`. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

interface Server {
  port: number;
  stop(): Promise<void>;
  kill(): void;
}

/** Runs the server until `stop` is called. If the server ends by itself, it is started again on the same port. */
async function runServer(place: Place, binaries: string, settings: Record<string, string>): Promise<Server> {
  let port = await freePort();
  let child: ChildProcess;
  let stopping = false;

  async function startServer(mayMove: boolean): Promise<void> {
    // Another program may take the free port before PostgreSQL does, and the backends of a killed server may keep its
    // shared memory for a moment. Both are temporary.
    let output = '';
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const logged = await rotateLog(place);
      // Nobody would stop a server that is started from now on.
      if (stopping) return;
      child = spawnServer(place, binaries, { ...settings, port: String(port) });
      if (await becomesReady(child, place)) return watch(child);
      output = (await readFile(place.log)).subarray(logged).toString();
      if (!/could not bind|pre-existing shared memory|lock file/.test(output)) break;
      if (mayMove) port = await freePort();
      await sleep(250);
    }
    throw new Error(`PostgreSQL did not start: ${lastLines(output)}`);
  }

  function watch(started: ChildProcess): void {
    started.once('exit', () => {
      restart().catch(() => undefined);
    });
  }

  /** Until it runs again callers get 503. PostgreSQL's own log says why it ended. */
  async function restart(): Promise<void> {
    while (!stopping) {
      await sleep(500);
      const [start] = await Promise.allSettled([startServer(false)]);
      if (start.status === 'fulfilled') return;
    }
  }

  await startServer(true);
  return {
    port,
    async stop() {
      stopping = true;
      await stopServer(child);
    },
    kill() {
      stopping = true;
      child.kill('SIGQUIT');
    },
  };
}

/** The position in the log at which the output of the next start begins. */
async function rotateLog({ log }: Place): Promise<number> {
  await appendFile(log, '', { mode: 0o600 });
  const { size } = await stat(log);
  if (size < 10_000_000) return size;
  await rename(log, `${log}.1`);
  return 0;
}

function spawnServer(place: Place, binaries: string, settings: Record<string, string>): ChildProcess {
  const log = openSync(place.log, 'a', 0o600);
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(path.join(binaries, 'bin/postgres'), ['-D', here(place.cluster), ...given], {
    ...inFolder(place.cluster),
    stdio: ['ignore', log, log],
    // Its own process group: Ctrl-C in the terminal must reach only this process, which stops PostgreSQL after the
    // requests.
    detached: true,
  });
  closeSync(log);
  return child;
}

async function becomesReady(child: ChildProcess, { cluster }: Place): Promise<boolean> {
  let ended = false;
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  while (!ended) {
    // If the file cannot be read now, it is read again later.
    const state = await readPostmaster(cluster).catch(() => undefined);
    if (ended) return false;
    if (state?.pid === child.pid && state?.isReady) return true;
    await sleep(20);
  }
  return false;
}

/** SIGINT is PostgreSQL's fast shutdown: it ends the sessions, writes everything to disk and exits. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' | ');
}

/** Turns a system error into a sentence that says what to do. */
function inWords(error: unknown, dataDir: string): Error {
  if (error instanceof StartError || !(error instanceof Error)) return error as Error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(error.message)) {
    return new StartError(`There is no space left for ${dataDir}. Free some, or set DATA_DIR to another disk.`);
  }
  if (
    code === 'EROFS' ||
    code === 'EACCES' ||
    code === 'EPERM' ||
    /Read-only file system|Permission denied/.test(error.message)
  ) {
    return new StartError(
      `${dataDir} cannot be written to. Set DATA_DIR to a folder that this user owns, or DATABASE_URL to a PostgreSQL. (${error.message})`,
    );
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new StartError(`${dataDir} is not a folder. Set DATA_DIR to one, or to a name that is free.`);
  }
  if (code === 'ENOENT' && /spawn/.test(error.message)) {
    return new StartError(
      'The embedded PostgreSQL needs glibc and cannot run on this system. Set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  return new StartError(
    `The embedded PostgreSQL did not start. ${error.message} (Its log is ${path.join(dataDir, 'postgres.log')}.)`,
  );
}
