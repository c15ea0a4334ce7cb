/** Shared by the benchmarks: a PostgreSQL, the service as it ships, the bare server, and time and CPU measurement. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { startEmbedded } from '../dist/db/embedded/embedded.js';
import { runMigrations } from '../dist/db/migrations/migrate.js';

const root = fileURLToPath(new URL('..', import.meta.url));
export const main = path.join(root, 'dist/ledgerline.js');
/** The same, before its modules are joined. */
export const separateMain = path.join(root, 'dist/main.js');

/** A folder, a database with fsync on, and the servers that use it. Everything is removed at the end. */
export class Bench {
  #children = [];

  static async start() {
    const bench = new Bench();
    bench.folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-bench-'));
    await chmod(bench.folder, 0o711);
    bench.embedded = await startEmbedded({
      dataDir: path.join(bench.folder, 'data'),
      settings: { max_connections: '200' },
    });
    bench.url = bench.embedded.url;
    await runMigrations(bench.url);
    bench.sql = postgres(bench.url, { max: 2, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
    return bench;
  }

  get postgresPid() {
    return Number(readFileSync(path.join(this.folder, 'data/postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** The service with token check, validation, log and metrics on; the log goes to a file. */
  async service(settings = {}, program = main) {
    const file = path.join(this.folder, `service-${this.#children.length}.log`);
    const log = openSync(file, 'w');
    const env = { PATH: process.env.PATH, DATABASE_URL: this.url, DATA_DIR: this.folder, PORT: '0', ...settings };
    const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', log, 'inherit'] });
    this.#children.push(child);
    const url = await until(() => {
      if (child.exitCode !== null) throw new Error('The service did not start.');
      const lines = readFileSync(file, 'utf8');
      return /"url":"([^"]+)"[^\n]*"msg":"started"/.exec(lines)?.[1];
    });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sandbox',
      client_secret: 'sandbox',
    });
    const { access_token: token } = await (await fetch(`${url}/connect/token`, { method: 'POST', body: form })).json();
    return { url, token, pid: child.pid, stop: () => end(child) };
  }

  /** node:http and the driver, running our statements. */
  async bare() {
    return this.#server('bench/bare-server.js');
  }

  /** The list behind Fastify, with tokens of this issuer. */
  async fastify(issuerUrl) {
    const log = path.join(this.folder, 'fastify.log');
    return this.#server('bench/fastify-server.js', issuerUrl, log);
  }

  async #server(script, ...args) {
    const child = spawn(process.execPath, [path.join(root, script), this.url, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.push(child);
    const [line] = await once(child.stdout, 'data');
    return { url: String(line).trim(), pid: child.pid, stop: () => end(child) };
  }

  async stop() {
    for (const child of this.#children) await end(child);
    await this.sql.end();
    await this.embedded.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function until(read) {
  for (;;) {
    const found = await read();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Microseconds of CPU a process and its children have used so far. */
export function cpuMicroseconds(pid) {
  const ticks = processesOf(pid).reduce((sum, each) => {
    try {
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1].split(' ');
      return (
        sum + Number(fields[11]) + Number(fields[12]) + (each === pid ? Number(fields[13]) + Number(fields[14]) : 0)
      );
    } catch {
      return sum;
    }
  }, 0);
  return ticks * 10_000;
}

/** A process and its children. */
export function processesOf(pid) {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === pid;
      } catch {
        return false;
      }
    })
    .map(Number);
  return [pid, ...children];
}

/** The load generator runs in a process of its own and is as small as possible. */
export async function load(options) {
  const child = spawn(process.execPath, [path.join(root, 'bench/load.js')], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(options));
  return JSON.parse(await text(child.stdout));
}

const wrkPath = ['/usr/bin/wrk', '/usr/local/bin/wrk'].find((file) => existsSync(file));

/**
 * The same as fast as it goes, by wrk (Debian: wrk) if it is installed: it takes a third of the processor time of our own
 * generator, which a figure beside pgbench, also written in C, would pay for.
 */
async function fastLoad(bench, { url, paths = ['/'], bodies = [''], headers = {}, connections, seconds }) {
  const [requestsFile, headersFile] = ['requests.txt', 'headers.txt'].map((name) => path.join(bench.folder, name));
  const count = Math.max(paths.length, bodies.length);
  const lines = Array.from(
    { length: count },
    (_, index) => `${paths[index % paths.length]} ${bodies[index % bodies.length]}`,
  );
  writeFileSync(requestsFile, lines.join('\n'));
  writeFileSync(
    headersFile,
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
  const script = path.join(root, 'bench/wrk.lua');
  const child = spawn(
    wrkPath,
    ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', requestsFile, headersFile],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const output = await text(child.stdout);
  const { failed, ...figures } = JSON.parse(output.trim().split('\n').at(-1));
  return {
    ...figures,
    statuses: failed === 0 ? { 200: figures.requests } : { 200: figures.requests - failed, failed },
  };
}

/** Load, with the CPU that the server and the database spent on each request. */
export async function measured(bench, server, options) {
  const before = [cpuMicroseconds(server.pid), cpuMicroseconds(bench.postgresPid)];
  const { usesWrk, ...given } = { url: server.url, ...options };
  const result = await (usesWrk && wrkPath ? fastLoad(bench, given) : load(given));
  const after = [cpuMicroseconds(server.pid), cpuMicroseconds(bench.postgresPid)];
  return {
    ...result,
    nodeMicroseconds: Math.round((after[0] - before[0]) / result.requests),
    postgresMicroseconds: Math.round((after[1] - before[1]) / result.requests),
  };
}

const pgbenchPath = [
  '/usr/bin/pgbench',
  ...(existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`)
    : []),
].find((file) => existsSync(file));

/** Transactions a second of a script, or undefined where pgbench is not installed (Debian: postgresql-contrib). */
export function pgbench(bench, script, { clients, seconds, transactions, variables = {} }) {
  if (!pgbenchPath) return undefined;
  const file = path.join(bench.folder, 'script.sql');
  execFileSync('tee', [file], { input: script, stdio: ['pipe', 'ignore', 'inherit'] });
  const limit = transactions ? ['-t', String(transactions)] : ['-T', String(seconds)];
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const env = { ...process.env, PGOPTIONS: '-c search_path=ledgerline -c plan_cache_mode=force_generic_plan' };
  const output = execFileSync(
    pgbenchPath,
    ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', ...limit, ...defined, '-f', file, bench.url],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return Number(/tps = ([\d.]+)/.exec(output.toString())[1]);
}

/** One of our statements as a pgbench script. */
export function forPgbench(statement, values) {
  return `${statement.replaceAll(/\$(\d+)/g, (_, index) => values[Number(index) - 1])};\n`
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

/** A database for a store that runs nothing. It records the statements, with values as pgbench variables. */
export function recordStatements(now, expressions) {
  const statements = [];
  const literal = (value) => {
    if (expressions.has(value)) return expressions.get(value);
    if (value === null || value === undefined) return 'null';
    if (value instanceof Date) return `(now() + interval '${(value - now) / 1000} s')`;
    if (Buffer.isBuffer(value)) return `decode('${value.toString('hex')}', 'hex')`;
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  };
  const unsafe = async (statement, parameters) => {
    statements.push(forPgbench(statement, parameters.map(literal)));
    // The row of a successful call.
    const row = { decision: 'reserved', code_number: 1, message_number: 1, is_counted: true, phone_keys: '{}' };
    const rows = [{ ...row, refusals: null, earlier_good_codes: null, linked_phone: null, consumed: true }];
    return Object.assign(rows, { count: 1 });
  };
  return { db: { read: { unsafe }, write: { unsafe } }, statements };
}

export const machine = `${cpus().length} × ${cpus()[0]?.model ?? process.arch}, Node ${process.versions.node}, ${process.platform} ${process.arch}`;

export const round = (number, digits = 0) => Number(number.toFixed(digits));
export const ratio = (a, b) => (b === undefined || b === 0 ? undefined : round(a / b, 2));

/** The result of a load as a row of a table. */
export const loadRow = (what, { perSecond, p50, p99, nodeMicroseconds, postgresMicroseconds }) => ({
  what,
  perSecond: round(perSecond),
  p50,
  p99,
  node: nodeMicroseconds,
  postgres: postgresMicroseconds,
});

/** For commands of ours that work on the bench's database. */
export const environment = ({ url }) => ({ PATH: process.env.PATH, DATABASE_URL: url });

/** Seconds that `ledgerline import` takes for a file. */
export async function importFile(bench, file) {
  const begun = performance.now();
  const child = spawn(process.execPath, [main, 'import', file], { env: environment(bench), stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`ledgerline import ended with ${code}.`);
  return (performance.now() - begun) / 1000;
}

/** Makes the rows of two runs different. */
export function randomSource(seed) {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** One row of NDJSON. */
export function ndjsonRow(random, individualId, number, milliseconds) {
  const amount = (Math.exp(random() * 7) * 1.3).toFixed(2);
  const category = random() < 0.8 ? 'Debit' : 'Credit';
  return (
    `{"individualId":${individualId},"transactionId":"tx-${String((number * 7919) % 1_000_003).padStart(8, '0')}-${number}","amount":${amount},` +
    `"currency":"EUR","timeStamp":"${new Date(milliseconds).toISOString()}","transactionType":"CARD","transactionCategory":"${category}",` +
    `"transactionStatus":"Accepted","senderName":"Ada Park","receiverName":"Coffee Corner","paymentNotes":"Two flat whites and a croissant ${number % 100}","paymentSystem":"CARD"}\n`
  );
}
