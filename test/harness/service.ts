/** The service as a test sees it: a real server on a real port, on a database of its own. */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import { checkAnswersOf } from './checked-answers.ts';
import { leaveTemplate, onNodes } from './database/citus.ts';
import { startApp, type AppOptions } from '../../src/app/start.ts';
import { sandboxKey } from '../../src/auth/keys.ts';
import { loadConfig } from '../../src/config/load.ts';
import { databaseUrl } from './database/cluster.ts';
import { httpRequest } from './http-request.ts';
import { followLog } from './service-logs.ts';
import { spawnApp } from './spawned-app.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line no-explicit-any -- tests read what they expect
  json: any;
}

export interface CallOptions {
  method?: string;
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as it is, instead of as JSON. */
  raw?: string | Uint8Array;
}

const digestKey = randomBytes(32).toString('base64');

export type Service = Awaited<ReturnType<typeof startService>>;

/** Makes and drops all databases of this process. A new connection for each would take more processor time. */
let administration: postgres.Sql | undefined;

/** A database of one's own, with the schema unless another template is named. */
export async function cloneDatabase(
  template = inject('templateName'),
): Promise<{ url: string; drop(): Promise<void> }> {
  const cluster = inject('clusterUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const nodes = inject('citusNodes');
  if (nodes.length > 0) {
    await onNodes(cluster, nodes, 'postgres', [
      ...(template === inject('templateName') ? [leaveTemplate(template)] : []),
      `create database ${name} template ${template}`,
    ]);
    return {
      url: databaseUrl(cluster, name),
      drop: () => onNodes(cluster, nodes, 'postgres', [`drop database if exists ${name} with (force)`]),
    };
  }
  const sql = (administration ??= postgres(cluster, { max: 2, onnotice: () => {} }));
  // Without fsync this is faster than the usual way, which writes every page to the log as well.
  await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: databaseUrl(cluster, name),
    drop: () => dropDatabase(sql, name),
  };
}

/** Also while something uses it. Plain before forced: only a plain one sends an autovacuum worker away, only a forced one a client. */
export async function dropDatabase(sql: postgres.Sql, name: string): Promise<void> {
  await sql.unsafe(`drop database if exists ${name}`).catch(async (error) => {
    if (error.code !== '55006') throw error;
    await sql.unsafe(`drop database if exists ${name} with (force)`);
  });
}

/** Runs the same tests against a service of so many processes. It is the built one, in dist/. */
const severalProcesses = process.env.TEST_PROCESSES;

/** What is a constant in production, and too long for a test. A service of several processes does not take it. */
export type TestOptions = Pick<AppOptions, 'slowestRead'>;

async function startWith(env: Record<string, string>, logLines: string[], options: TestOptions) {
  if (severalProcesses) return spawnApp({ ...env, LEDGERLINE_PROCESSES: severalProcesses }, logLines);
  return startApp({
    config: loadConfig(env),
    log: (line) => void logLines.push(line),
    terminal: () => {},
    logFormat: 'json',
    ...options,
  });
}

/** A hook is not tried again by vitest, as a test is (vitest.config.ts). */
function tryTwice<T>(start: () => Promise<T>): Promise<T> {
  return start().catch((error: unknown) => {
    if (!String(error).includes('LOGIN_TIMEOUT')) throw error;
    return start();
  });
}

export async function startService(settings: Record<string, string> = {}, options: TestOptions = {}) {
  const template = settings.MODE === 'production' ? inject('templateName') : inject('sandboxTemplateName');
  const database = settings.DATABASE_URL
    ? { url: settings.DATABASE_URL, drop: async () => {} }
    : await cloneDatabase(template);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-data-'));
  await sandboxKey(dataDir, 'signing.pem', () => inject('signingKey'));
  const logLines: string[] = [];
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    LEDGERLINE_LOG_LEVEL: 'info',
    // Services on one database share their keys.
    LEDGERLINE_DIGEST_KEY: digestKey,
    ...settings,
    DATABASE_URL: database.url,
  };
  const start = () => startWith(env, logLines, options);
  const app = await tryTwice(start).catch(async (error: unknown) => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  checkAnswersOf(app.url);
  followLog(logLines);
  const sql = postgres(database.url, { max: 2, connection: { search_path: 'ledgerline' }, onnotice: () => {} });

  async function call(pathname: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const bearer = options.token === undefined ? await token() : options.token;
    const sent = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    // Not `fetch`, which takes three times the processor time.
    const { status, headers, bytes } = await httpRequest(app.url + pathname, {
      method: options.method ?? 'POST',
      headers: {
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: sent,
    });
    const text = bytes.toString();
    return { status, headers, text, json: parsed(text) };
  }

  const minted = new Map<string, string>();
  async function token(
    scope = '',
    userId?: number,
    client: [string, string] = ['sandbox', 'sandbox'],
  ): Promise<string> {
    const key = `${scope} ${userId} ${client[0]}`;
    const known = minted.get(key);
    if (known) return known;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client[0],
      client_secret: client[1],
    });
    if (scope) form.set('scope', scope);
    if (userId !== undefined) form.set('user_id', String(userId));
    const { json } = await call('/connect/token', undefined, {
      token: null,
      raw: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const { access_token } = json;
    minted.set(key, access_token);
    return access_token;
  }

  return {
    url: app.url,
    databaseUrl: database.url,
    sql,
    logLines,
    call,
    token,
    forgetTokens: () => minted.clear(),
    async createUser(): Promise<number> {
      for (let tries = 1; ; tries += 1) {
        const { status, text, json } = await call('/User', {});
        if (status === 201) return json.id;
        // On a machine that is too busy the service asks for another try.
        if (status !== 503 || tries === 5) throw new Error(`No user was created: ${status} ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    },
    sendCode: (id: number, phoneNumber: string) => call('/User/phone-number/send-code', { id, phoneNumber }),
    verify: (id: number, code: string) => call('/User/phone-number/verify', { id, code }),
    async messages(
      phoneNumber: string,
    ): Promise<
      { code: string; purpose: string; channel: string; text: string; sentAt: string; phoneNumber: string }[]
    > {
      const query = new URLSearchParams({ phoneNumber });
      return (await call(`/sandbox/messages?${query}`, undefined, { method: 'GET', token: null })).json;
    },
    async lastCode(phoneNumber: string): Promise<string> {
      return (await this.messages(phoneNumber))[0]!.code;
    },
    async verifiedUser(phoneNumber = newPhone()): Promise<number> {
      const id = await this.createUser();
      const sent = await this.sendCode(id, phoneNumber);
      if (sent.status !== 204) throw new Error(`No code was sent: ${sent.status} ${sent.text}`);
      const verified = await this.verify(id, await this.lastCode(phoneNumber));
      if (verified.status !== 200) throw new Error(`The phone was not verified: ${verified.status} ${verified.text}`);
      return id;
    },
    advance: (advanceSeconds: number) => call('/sandbox/clock', { advanceSeconds }, { token: null }),
    record: (transactions: unknown[]) => call('/app/record-transactions', { transactions }),
    list: (body: Record<string, unknown>) => call('/app/get-all-transactions', { dataBatch: 1, ...body }),
    async stop(): Promise<void> {
      await sql.end();
      await app.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** For one test; stopped when it ends. */
export async function serviceForTest(
  settings: Record<string, string> = {},
  options: TestOptions = {},
): Promise<Service> {
  const service = await startService(settings, options);
  onTestFinished(() => service.stop());
  return service;
}

/** Nodes with one database, for one test. */
export async function startNodes(count: number, settings: Record<string, string> = {}): Promise<Service[]> {
  const nodes = [await serviceForTest(settings)];
  while (nodes.length < count) nodes.push(await serviceForTest({ ...settings, DATABASE_URL: nodes[0]!.databaseUrl }));
  return nodes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let phoneNumber = randomInt(100_000);

/** A valid British mobile number that no other test has. */
export function newPhone(): string {
  phoneNumber = (phoneNumber + 1) % 100_000;
  return `+4479111${String(phoneNumber).padStart(5, '0')}`;
}

/** A code that is surely another. */
export function wrongCode(code: string): string {
  return code === '000000' ? '111111' : '000000';
}

let transactionNumber = 0;

export function row(individualId: number, members: Record<string, unknown> = {}): Record<string, unknown> {
  transactionNumber += 1;
  return {
    individualId,
    transactionId: `t-${transactionNumber}`,
    amount: '10.00',
    currency: 'EUR',
    timeStamp: '2026-01-01T00:00:00Z',
    transactionStatus: 'Accepted',
    ...members,
  };
}

export function invalidField(field: string, message: string) {
  return {
    type: 'https://tools.ietf.org/html/rfc7231#section-6.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    traceId: expectTraceId,
    errors: { [field]: [message] },
  };
}

export function refusal(status: number, title: string, message: string) {
  const sections: Record<number, string> = {
    400: 'https://tools.ietf.org/html/rfc7231#section-6.5.1',
    403: 'https://tools.ietf.org/html/rfc7231#section-6.5.3',
    404: 'https://tools.ietf.org/html/rfc7231#section-6.5.4',
    429: 'https://tools.ietf.org/html/rfc6585#section-4',
    503: 'https://tools.ietf.org/html/rfc7231#section-6.6.4',
  };
  return { type: sections[status], title, status, traceId: expectTraceId, errors: { Error: [message] } };
}

/** Matches .NET's form of a trace id. */
export const expectTraceId = {
  asymmetricMatch: (value: unknown) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/.test(String(value)),
};
