/** What attackers and honest users can do: call the API, read their own messages, wait. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSolver, parseChallenge } from '../dist/client/proof-of-work.js';

/**
 * No rule answers 503: a busy machine does. Attackers and honest users try again, so that the result does not depend on
 * the speed of the machine.
 */
const triesOfEachCall = 60;
const longestPauseMilliseconds = 5000;

export class World {
  #agent = new Agent({ keepAlive: true, maxSockets: 96 });
  #tokens = new Map();
  #nextUser = 0;
  #nextAddress = 0;

  constructor(url) {
    this.url = new URL(url);
  }

  close() {
    this.#agent.destroy();
  }

  /** An empty sandbox with every rule on but those given. */
  async reset(off = []) {
    await this.#must(204, 'DELETE', '/sandbox/data');
    this.#tokens.clear();
    this.#nextUser = 0;
    for (const rule of off) await this.setMode(rule, 'off');
  }

  async wait(seconds) {
    await this.#must(200, 'POST', '/sandbox/clock', { advanceSeconds: seconds });
    // Tokens expire by the moved clock.
    this.#tokens.clear();
  }

  /** A token of the back end, or one bound to a user. */
  async token(userId) {
    if (!this.#tokens.has(userId)) {
      const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox' };
      if (userId !== undefined) form.user_id = String(userId);
      const minted = this.#must(200, 'POST', '/connect/token', new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
      this.#tokens.set(
        userId,
        minted.then(({ json }) => json.access_token),
      );
    }
    return this.#tokens.get(userId);
  }

  async post(path, body, { address, boundTo, headers } = {}) {
    return this.#call('POST', path, body, {
      authorization: `Bearer ${await this.token(boundTo)}`,
      ...(address && { 'x-forwarded-for': address }),
      ...headers,
    });
  }

  async user() {
    const id = (this.#nextUser += 1) + 1000;
    const answer = await this.post('/User', { id });
    // A try that was answered 503 may have created the user.
    if (answer.status !== 201 && answer.reason !== 'user-exists') throw unexpected('POST', '/User', answer);
    return id;
  }

  async users(count) {
    const made = [];
    await inParallel(count, 48, async () => void made.push(await this.user()));
    return made;
  }

  /** A transaction of the user, who is established by it. */
  async recordTransaction(individualId) {
    const transaction = {
      ...{ individualId, transactionId: `attack-${individualId}` },
      ...{ amount: '1.00', currency: 'GBP', timeStamp: '2026-01-01T00:00:00Z' },
    };
    await this.post('/app/record-transactions', { transactions: [transaction] });
  }

  /** A client address that no other user has. */
  address() {
    const number = (this.#nextAddress += 1);
    return `100.${64 + ((number >> 16) & 63)}.${(number >> 8) & 255}.${number & 255}`;
  }

  async send(id, phoneNumber, { channel, ...options } = {}) {
    return (await this.post('/User/phone-number/send-code', { id, phoneNumber, channel }, options)).status;
  }

  /** Sends, and solves the challenge if one is asked for. With the processor time that it took. */
  async sendWithProof(id, phoneNumber, options) {
    const send = (headers) => this.post('/User/phone-number/send-code', { id, phoneNumber }, { ...options, headers });
    const first = await send({});
    if (first.challenge === undefined) return { ...first, cpuSeconds: 0 };
    const before = process.cpuUsage();
    const solution = createSolver(parseChallenge(first.challenge))(Infinity);
    const { user, system } = process.cpuUsage(before);
    return { ...(await send({ 'challenge-solution': solution })), cpuSeconds: (user + system) / 1e6 };
  }

  async setMode(rule, mode) {
    const answer = await this.post('/operator/guard/mode', { rule, mode });
    if (answer.status >= 300) throw unexpected('POST', '/operator/guard/mode', answer);
  }

  async resend(id, options) {
    return (await this.post(`/User/${id}/phone-number/resend-code`, undefined, options)).status;
  }

  async change(id, phoneNumber, { confirmationId, ...options } = {}) {
    return (await this.post(`/User/${id}/phone-number/change`, { phoneNumber, confirmationId }, options)).status;
  }

  async verifyChange(id, code, options) {
    return (await this.post(`/User/${id}/phone-number/change/verify`, { code }, options)).status;
  }

  async phoneOf(id) {
    const headers = { authorization: `Bearer ${await this.token()}` };
    return (await this.#must(200, 'GET', `/User/${id}/status`, undefined, headers)).json.phoneNumber;
  }

  async verify(id, code, options) {
    return (await this.post('/User/phone-number/verify', { id, code }, options)).status;
  }

  /** A user who has verified this phone. */
  async verifiedUser(phoneNumber) {
    const id = await this.user();
    const options = { address: this.address() };
    await this.send(id, phoneNumber, options);
    const [code] = await this.codes(phoneNumber);
    const verified = await this.verify(id, code, options);
    if (verified !== 200) throw new Error(`The phone of user ${id} was not verified: ${verified}.`);
    return id;
  }

  async confirm(id, terms, options) {
    return this.post(`/User/${id}/confirmations`, { purpose: 'payment', ...terms }, options);
  }

  async check(id, confirmationId, body) {
    return this.post(`/User/${id}/confirmations/${confirmationId}/check`, body);
  }

  /** What the holder of a phone reads on it, newest first. */
  async codes(phoneNumber) {
    const { json } = await this.#must(200, 'GET', `/sandbox/messages?phoneNumber=${encodeURIComponent(phoneNumber)}`);
    return json.map(({ code }) => code);
  }

  /** One honest user's whole verification, from an address of their own. Returns what went wrong, or undefined. */
  async honestVisit(phoneNumber) {
    const id = await this.user();
    const address = this.address();
    const sent = await this.sendWithProof(id, phoneNumber, { address });
    if (sent.status !== 204) return `send ${sent.status} ${sent.reason}`;
    const [code] = await this.codes(phoneNumber);
    if (code === undefined) return 'no message';
    const verified = await this.post('/User/phone-number/verify', { id, code }, { address });
    return verified.status === 200 ? undefined : `verify ${verified.status} ${verified.reason}`;
  }

  /** A call that no rule refuses: anything but the expected status ends the run. */
  async #must(status, method, path, body, headers) {
    const answer = await this.#call(method, path, body, headers);
    if (answer.status !== status) throw unexpected(method, path, answer);
    return answer;
  }

  async #call(method, path, body, headers) {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#request(method, path, body, headers);
      if (answer.status !== 503) return answer;
      if (tries === triesOfEachCall) throw unexpected(method, path, answer);
      await sleep(Math.min(longestPauseMilliseconds, 1000 * answer.retrySeconds));
    }
  }

  #request(method, path, body, headers = {}) {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: this.url.hostname,
          port: this.url.port,
          method,
          path,
          headers: {
            ...(text !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
            ...headers,
          },
        },
        (response) => {
          let answer = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => (answer += chunk));
          const { challenge, 'error-reason': reason = '', 'retry-after': retryAfter } = response.headers;
          const retrySeconds = Number(retryAfter ?? 1);
          const status = response.statusCode;
          response.on('end', () => resolve({ status, challenge, reason, retrySeconds, json: parsed(answer) }));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }
}

function unexpected(method, path, { status, reason }) {
  return new Error(`${method} ${path} was answered ${status} ${reason}.`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs `work` for 0 … count - 1, with limited concurrency. */
export async function inParallel(count, atOnce, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, lane));
}
