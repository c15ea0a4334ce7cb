/**
 * Writes `test/process/released-database.sql`, from which the upgrade test starts: a database of this release with rows in
 * every table, all of them written by the service. Run it once for a release, before the schema changes again:
 *
 *     DATABASE_URL=postgres://… npm run dump-database
 *
 * The database must be empty and of the oldest PostgreSQL that is supported, so that the dump can be loaded everywhere.
 * `pg_dump` must be of the same version.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { startApp } from '../dist/app/start.js';
import { solveChallenge } from '../dist/client/index.js';
import { loadConfig } from '../dist/config/load.js';
import { openDetected } from '../dist/db/citus/citus.js';
import { runMigrations } from '../dist/db/migrations/migrate.js';
import { parseInstant } from '../dist/values/instant.js';
import { createRecordStore } from '../dist/transactions/record/record.store.js';
import { makeRow } from '../dist/transactions/row.js';

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL must name an empty database.');
const file = new URL('../test/process/released-database.sql', import.meta.url);

/** The numbers that a range may get from new users, before a challenge has to be solved. */
const rangeShare = 3;
/** The test starts the service with the same key. */
const digestKey = Buffer.alloc(32, 7).toString('base64');

await runMigrations(url);
const sql = postgres(url, { max: 2, connection: { search_path: 'ledgerline' }, onnotice: () => {} });
await recordWithBlocks();
const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-dump-'));
const app = await startApp({
  config: loadConfig({
    ...{ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url, LEDGERLINE_DIGEST_KEY: digestKey },
    ...{ LEDGERLINE_RULES: '*=enforce,challenge=enforce', LEDGERLINE_CHALLENGE_WORK: '100' },
    LEDGERLINE_RANGES: `4=${rangeShare},5=5000,6=5000,7=5000,country=5000`,
    ...{ LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1', LEDGERLINE_LOG_LEVEL: 'error' },
  }),
  log: (line) => process.stderr.write(line),
  terminal: () => {},
  logFormat: 'text',
});
const token = await readToken();
try {
  await usePhones();
  await useTransactions();
  await useOperator();
  await fillOutboxes(async () => {
    await waitForRows(await readTables());
    await writeDump();
  });
} finally {
  await app.stop();
  await sql.end();
  await rm(dataDir, { recursive: true, force: true });
}

/** A user with blocks, whose threshold is too high for a small file; and the sandbox adds no demo data. */
async function recordWithBlocks() {
  const db = await openDetected({ url, connections: 3, statementSeconds: 5 });
  await db.write`insert into users (id, created_at) values (1, now())`;
  const store = createRecordStore(db, { sizes: { blocksAbove: 2, leastBlock: 2 } });
  const rows = Array.from({ length: 6 }, (_, index) => makeRow(transactionOf(1, `block-${index}`, index)));
  await store.recordBatch(rows, new Date());
  await db.close();
}

function transactionOf(individualId, transactionId, day, transactionStatus = 'Accepted') {
  return {
    ...{ individualId, transactionId, transactionStatus, amount: `${day + 1}.50`, currency: 'EUR' },
    ...{
      timeStamp: parseInstant(`2026-01-0${day + 1}T12:00:00Z`),
      transactionType: 'card',
      transactionCategory: 'food',
    },
    ...{ transactionInitiator: 'Ada', transactionRecipient: 'Shop', notes: 'lunch', merchant: 'Shop' },
  };
}

async function readToken() {
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox' },
  });
  return (await (await fetch(`${app.url}/connect/token`, { method: 'POST', body })).json()).access_token;
}

/** Throws unless the answer has one of the statuses. */
async function call(method, pathname, body, { headers = {}, statuses = [200, 201, 204] } = {}) {
  const response = await fetch(app.url + pathname, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!statuses.includes(response.status)) throw new Error(`${method} ${pathname}: ${response.status} ${text}`);
  return { headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
}

async function createUser(id) {
  await call('POST', '/User', { id, email: `user${id}@example.com` });
}

function sendCode(id, phoneNumber, options) {
  return call('POST', '/User/phone-number/send-code', { id, phoneNumber }, options);
}

async function readCode(phoneNumber) {
  return (await call('GET', `/sandbox/messages?${new URLSearchParams({ phoneNumber })}`)).json[0].code;
}

async function verify(id, phoneNumber) {
  await call('POST', '/User/phone-number/verify', { id, code: await readCode(phoneNumber) });
}

async function changePhone(id, phoneNumber) {
  await call('POST', `/User/${id}/phone-number/change`, { phoneNumber });
  await call('POST', `/User/${id}/phone-number/change/verify`, { code: await readCode(phoneNumber) });
}

async function usePhones() {
  await createUser(2);
  await sendCode(2, '+447400000001', { headers: { 'idempotency-key': 'first', 'x-forwarded-for': '192.0.2.1' } });
  await verify(2, '+447400000001');
  await createUser(3);
  await sendCode(3, '+447400000002');
  const wrongCode = (await readCode('+447400000002')) === '123456' ? '654321' : '123456';
  await call('POST', '/User/phone-number/verify', { id: 3, code: wrongCode }, { statuses: [400] });
  await createUser(4);
  for (let number = 0; number <= rangeShare; number += 1) {
    const phoneNumber = `+44740001000${number}`;
    await createUser(10 + number);
    const { headers } = await sendCode(10 + number, phoneNumber, { statuses: [204, 429] });
    const challenge = headers.get('challenge');
    if (!challenge) continue;
    await sendCode(10 + number, phoneNumber, { headers: { 'challenge-solution': await solveChallenge(challenge) } });
  }
}

async function useTransactions() {
  const record = (status) => {
    const { timeStamp: _, ...transaction } = transactionOf(2, 'pending', 0, status);
    const timeStamp = '2026-01-01T12:00:00Z';
    return call('POST', '/app/record-transactions', { transactions: [{ ...transaction, amount: 1.5, timeStamp }] });
  };
  await record('Pending');
  await record('Accepted');
}

async function useOperator() {
  await call('POST', '/operator/guard/mode', { rule: 'phone-users', mode: 'shadow', reason: 'A test.' });
  await call('POST', '/operator/guard/safe-list', { prefix: '+4479' });
  await call('POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9/events', types: [] });
  await call('DELETE', '/User/4');
  // The event of the erasure is delivered, before the log is locked.
  await waitForRows(['webhook_deliveries']);
}

/** While the log is locked, events stay in the outboxes. */
async function fillOutboxes(work) {
  await sql.begin(async (transaction) => {
    await transaction`select from event_log for update`;
    await createUser(5);
    await sendCode(5, '+447400000005');
    await verify(5, '+447400000005');
    await changePhone(5, '+447400000007');
    await work();
  });
}

async function readTables() {
  const rows = await sql`select tablename as name from pg_tables where schemaname = 'ledgerline' order by 1`;
  return rows.map(({ name }) => name);
}

async function waitForRows(tables) {
  for (let attempt = 0; ; attempt += 1) {
    const empty = [];
    for (const name of tables) if ((await sql`select from ${sql(name)} limit 1`).length === 0) empty.push(name);
    if (empty.length === 0) return;
    if (attempt === 30) throw new Error(`These tables have no rows: ${empty.join(', ')}.`);
    await sleep(1000);
  }
}

async function writeDump() {
  const options = ['--schema=ledgerline', '--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=50'];
  const { stdout } = await promisify(execFile)('pg_dump', [...options, url], { maxBuffer: 2 ** 26 });
  // Commands of psql and comments are left out.
  const lines = stdout.split('\n').filter((line) => line !== '' && !/^(\\|--)/.test(line));
  await writeFile(file, `${lines.join('\n')}\n`);
}
