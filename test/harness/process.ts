/** The service as its users start it: a process of its own, with its own PostgreSQL. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { sandboxKey } from '../../src/auth/keys.ts';
import { checkAnswersOf } from './checked-answers.ts';
import { prepareDataDir } from './database/prepared-data.ts';
import { until } from './until.ts';

const main = fileURLToPath(new URL('../../dist/ledgerline.js', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder that goes when the test ends, with any PostgreSQL that was left running in it. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-process-'));
  await chmod(folder, 0o711);
  onTestFinished(async () => {
    const pid = Number.parseInt(
      await readFile(path.join(folder, 'data/postgres/postmaster.pid'), 'utf8').catch(() => ''),
      10,
    );
    // The id may belong to another process by now.
    const isOurs = async () => (await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder);
    if ((await isOurs()) && sendSignal(pid, 'SIGQUIT')) await until(async () => !(await isOurs()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  return path.join(folder, 'data');
}

/** Whether there is such a process; the signal 0 only asks. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** The data directory of a sandbox that has been started before. */
export async function preparedDataFolder(): Promise<string> {
  const dataDir = await dataFolder();
  await prepareDataDir(main, dataDir);
  return dataDir;
}

export function environment(settings: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/', PORT: '0', ...settings };
}

/** Runs a command to its end. A command that does not end is killed when the test ends. */
export async function run(args: string[], settings: Record<string, string> = {}, program = main): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...args], { env: environment(settings) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk) => (output.stdout += chunk));
  child.stderr!.on('data', (chunk) => (output.stderr += chunk));
  return output;
}

export class ServiceProcess {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  url = '';

  /** `wrapper` is a command that starts the one that follows it. */
  constructor(settings: Record<string, string>, args: string[] = [], program = main, wrapper: string[] = []) {
    const [command, ...rest] = [...wrapper, process.execPath, program, 'serve', ...args];
    this.child = spawn(command!, rest, { env: environment(settings) });
    this.output = collect(this.child);
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  async ready(): Promise<this> {
    while (this.url === '') {
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`The service ended (${signalCode ?? exitCode}): ${this.output.stderr}`);
      const line = /"url":"([^"]+)"[^\n]*"msg":"started"/.exec(this.output.stdout);
      if (line) checkAnswersOf((this.url = line[1]!));
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const closed = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = (await closed) as [number | null];
    return code;
  }

  async token(): Promise<string> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sandbox',
      client_secret: 'sandbox',
    });
    const response = await fetch(`${this.url}/connect/token`, { method: 'POST', body: form });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  async call(
    method: string,
    pathname: string,
    token: string | null,
    body?: unknown,
    more: Record<string, string> = {},
    // oxlint-disable-next-line no-explicit-any -- tests read what they expect
  ): Promise<{ status: number; json: any; headers: Headers }> {
    const response = await fetch(this.url + pathname, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }
}

/** Without DATABASE_URL it is a sandbox that has been started before; see ServiceProcess for a first start. */
export async function startProcess(
  dataDir: string,
  settings: Record<string, string> = {},
  args: string[] = [],
): Promise<ServiceProcess> {
  if (settings.DATABASE_URL) await sandboxKey(dataDir, 'signing.pem', () => inject('signingKey'));
  else await prepareDataDir(main, dataDir);
  return new ServiceProcess({ DATA_DIR: dataDir, ...settings }, args).ready();
}
