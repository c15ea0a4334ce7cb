/** A sandbox of its own to send requests to, with tokens of every kind and some data. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/ledgerline.js', import.meta.url));
const hangMilliseconds = 60_000;
/** A stream of events never ends by itself; it is left after its first bytes. */
const streamType = 'text/event-stream';
const longestText = 100_000;

/** Without a data directory it makes one of its own. */
export async function startTarget(dataDir) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-fuzz-'));
  await chmod(folder, 0o711);
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME ?? '/',
    PORT: '0',
    DATA_DIR: dataDir ?? path.join(folder, 'data'),
    // A blocked user answers 429 before anything interesting happens.
    LEDGERLINE_LIMITS: 'user-failures=off; user-sends=off',
  };
  const child = spawn(process.execPath, [main, 'serve'], { env });
  const lines = [];
  const keep = (chunk) => {
    const isWorthKeeping = (line) => line.includes('"defect"') || !line.startsWith('{');
    lines.push(
      ...String(chunk)
        .split('\n')
        .filter((line) => line !== '' && isWorthKeeping(line)),
    );
    lines.splice(0, lines.length - 20);
  };
  child.stderr.on('data', keep);
  const url = await startedUrl(child, keep);
  const agent = new Agent({ keepAlive: true });
  const send = (request) => sendRequest(agent, url, request);
  const known = { users: [1], transactions: ['none'], asOf: ['none'], cursors: ['none'], confirmations: ['none'] };
  const tokens = { all: '', others: [] };
  const target = {
    url,
    known,
    tokens,
    send,
    document: JSON.parse((await send({ method: 'GET', path: '/openapi.json', headers: {}, isWhole: true })).text),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Defects and everything that is no log line. */
    lastLines: () => lines.slice(-5),
    residentMebibytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    /** Remembers what exists, and makes it again after it was thrown away. */
    async learn(request, { status, headers, text }) {
      if (request.name === 'DELETE /sandbox/data' && status === 204) await prepare();
      if (request.name === 'POST /sandbox/clock' && status === 200) await renewTokens();
      if (status === 201 && request.name === 'POST /User') remember(known.users, JSON.parse(text).id);
      if (status === 201 && request.name === 'POST /User/{id}/confirmations') {
        remember(known.confirmations, JSON.parse(text).confirmationId);
      }
      if (headers?.['as-of']) remember(known.asOf, headers['as-of']);
      if (status !== 200 || !['GET /events', 'POST /app/sync-transactions'].includes(request.name)) return;
      const cursor = /"next(?:Cursor)?":"([^"]+)"/.exec(text)?.[1];
      if (cursor) remember(known.cursors, cursor);
    },
    async stop() {
      agent.destroy();
      if (target.isRunning()) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };

  async function mint(form) {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sandbox',
      client_secret: 'sandbox',
      ...form,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { text } = await send({
      method: 'POST',
      path: '/connect/token',
      headers,
      body: Buffer.from(body.toString()),
    });
    return `Bearer ${JSON.parse(text).access_token}`;
  }

  async function renewTokens() {
    tokens.all = await mint({});
    const scopes = [
      'users',
      'phone',
      'transactions:read',
      'transactions:write',
      'operator:read',
      'operator:write',
      'events:read',
    ];
    const byScope = await Promise.all(scopes.map((scope) => mint({ scope })));
    const bound = await mint({ user_id: '1' });
    tokens.others = [
      ...byScope,
      bound,
      undefined,
      'Bearer x',
      'Basic c2FuZGJveDpzYW5kYm94',
      forged(tokens.all),
      `${tokens.all}x`,
    ];
  }

  async function prepare() {
    await renewTokens();
    const headers = { authorization: tokens.all, 'content-type': 'application/json' };
    const post = (address, json) =>
      send({ method: 'POST', path: address, headers, body: Buffer.from(JSON.stringify(json)) });
    known.users.splice(0, known.users.length, 1, 2, 3, 1_000_000);
    for (const id of [1, 2, 3]) {
      await post('/User', { id });
      // Only a user with a verified phone has confirmations.
      const phoneNumber = `+44791100000${id}`;
      await post('/User/phone-number/send-code', { id, phoneNumber });
      const inbox = `/sandbox/messages?phoneNumber=${encodeURIComponent(phoneNumber)}`;
      const { text } = await send({ method: 'GET', path: inbox, headers: {}, isWhole: true });
      await post('/User/phone-number/verify', { id, code: JSON.parse(text)[0]?.code });
    }
    const rows = Array.from({ length: 300 }, (_, index) => ({
      individualId: 1 + (index % 3),
      transactionId: `f${index}`,
      amount: `${index}.50`,
      currency: 'EUR',
      timeStamp: new Date(1_760_000_000_000 + index * 3_600_000).toISOString(),
    }));
    await post('/app/record-transactions', { transactions: rows });
    known.transactions.splice(
      0,
      known.transactions.length,
      ...rows.slice(0, 50).map(({ transactionId }) => transactionId),
    );
  }

  await prepare();
  return target;
}

/** Signed with the wrong algorithm, by a key that is public knowledge. */
function forged(bearer) {
  const [, payload] = bearer.split(' ')[1].split('.');
  const head = Buffer.from('{"alg":"HS256","typ":"at+jwt"}').toString('base64url');
  const signature = createHmac('sha256', 'sandbox').update(`${head}.${payload}`).digest('base64url');
  return `Bearer ${head}.${payload}.${signature}`;
}

function remember(list, value) {
  list.push(value);
  if (list.length > 50) list.shift();
}

function startedUrl(child, keep) {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      keep(chunk);
      if (output === undefined) return;
      output += chunk;
      const line = /"url":"([^"]+)"[^\n]*"msg":"started"/.exec(output);
      if (!line) return;
      output = undefined;
      resolve(line[1]);
    });
    child.once('exit', (code) => reject(new Error(`The service ended with code ${code}.`)));
  });
}

function sendRequest(agent, url, { method, path: address, headers, body, isWhole }) {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    let request;
    try {
      request = httpRequest(
        { agent, hostname, port, method, path: address.replaceAll(/[^\x21-\x7E]/g, '%20'), headers },
        (response) => {
          const { statusCode: status, headers: answered } = response;
          let text = '';
          const finish = () => resolve({ status, headers: answered, text });
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            if (isWhole || text.length < longestText) text += chunk;
            if (answered['content-type']?.startsWith(streamType)) {
              finish();
              request.destroy();
            }
          });
          response.on('end', finish).on('error', finish);
        },
      );
    } catch {
      // Node itself refuses to send it.
      resolve({ isUnsent: true });
      return;
    }
    request.setTimeout(hangMilliseconds, () => request.destroy(new Error('timeout')));
    request.on('error', (error) =>
      resolve({ error: error.message === 'timeout' ? 'timeout' : (error.code ?? error.message) }),
    );
    request.end(body);
  });
}
