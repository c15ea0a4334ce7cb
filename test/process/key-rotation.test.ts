/** The digest key is rotated in two rollouts, without a code, page token, counter or safe-list entry lost. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusedStart } from '../harness/command.ts';
import { dataFolder } from '../harness/process.ts';
import { cloneDatabase, newPhone, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const makeKey = () => randomBytes(32).toString('base64');

async function nodeSettings() {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  return { DATABASE_URL: database.url, LEDGERLINE_COUNTRIES: 'GB,GG' };
}

type Settings = Awaited<ReturnType<typeof nodeSettings>>;

const refusal = async (settings: Settings, keys: string[]) =>
  refusedStart({ ...settings, DATA_DIR: await dataFolder(), LEDGERLINE_DIGEST_KEY: keys.join(',') });

class Node {
  readonly #settings: Settings;
  service: Service | undefined;
  token = '';

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async restart(keys: string[]): Promise<void> {
    const before = this.service;
    this.service = undefined;
    await before?.stop();
    const started = await startService({
      ...this.#settings,
      LEDGERLINE_DIGEST_KEY: keys.join(','),
      LEDGERLINE_RULES: 'token-sends=enforce,country=enforce',
      LEDGERLINE_LIMITS: 'token-sends=3/1h',
    });
    this.token = await started.token();
    this.service = started;
  }

  async call(method: string, pathname: string, body?: unknown, token = this.token) {
    return this.service!.call(pathname, body, { method, token });
  }

  sendCode(id: number, phoneNumber: string, token = this.token) {
    return this.call('POST', '/User/phone-number/send-code', { id, phoneNumber }, token);
  }

  async codeOf(phoneNumber: string): Promise<string> {
    const query = new URLSearchParams({ phoneNumber });
    return (await this.call('GET', `/sandbox/messages?${query}`)).json[0].code;
  }

  /** A token bound to the user, whose sends are counted for it. */
  boundToken(userId: number): Promise<string> {
    return this.service!.token('', userId);
  }

  async stop(): Promise<void> {
    await this.service?.stop();
  }
}

/** Sends at one node and verifies at the other, again and again; a node that restarts is waited for. */
function verifyAcross(nodes: Node[]) {
  const statuses: number[] = [];
  let isStopped = false;
  async function once(round: number): Promise<void> {
    const [sender, verifier] = round % 2 === 0 ? nodes : nodes.toReversed();
    const phoneNumber = newPhone();
    let code: string;
    let id: number;
    try {
      id = (await sender!.call('POST', '/User', {})).json.id;
      await sender!.sendCode(id, phoneNumber);
      code = await sender!.codeOf(phoneNumber);
    } catch {
      // The sender was stopped in between: nothing is known about this code.
      return;
    }
    for (;;) {
      const answer = await verifier!.call('POST', '/User/phone-number/verify', { id, code }).catch(() => undefined);
      if (answer) return void statuses.push(answer.status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  async function lane(): Promise<void> {
    for (let round = 0; !isStopped; round += 1) {
      await once(round);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const lanes = [lane(), lane(), lane()];
  return {
    statuses,
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
    },
  };
}

describe('the digest key', () => {
  it('is rotated in two rollouts while codes are on their way', { timeout: 180_000 }, async () => {
    const [old, next] = [makeKey(), makeKey()];
    const settings = await nodeSettings();
    const nodes = [new Node(settings), new Node(settings)];
    const [first, second] = nodes as [Node, Node];
    for (const node of nodes) onTestFinished(() => node.stop());
    for (const node of nodes) await node.restart([old]);

    const safePhone = '+4915112345678';
    await first.call('POST', '/operator/guard/safe-list', { phoneNumber: safePhone });
    const { id } = (await first.call('POST', '/User', {})).json;
    const row = { individualId: id, transactionId: 'a', amount: '1', currency: 'EUR', timeStamp: '2026-01-01' };
    await first.call('POST', '/app/record-transactions', { transactions: [row] });
    const list = { individualId: id, dataBatch: 1 };
    const asOf = (await first.call('POST', '/app/get-all-transactions', list)).headers.get('as-of');
    expect((await first.sendCode(id, newPhone(), await first.boundToken(id))).status).toBe(204);

    const traffic = verifyAcross(nodes);
    const rollOut = async (keys: string[]) => {
      for (const node of nodes) {
        const before = traffic.statuses.length;
        await node.restart(keys);
        await until(() => traffic.statuses.length > before + 10);
      }
    };
    await rollOut([old, next]);
    await rollOut([next, old]);
    expect((await second.call('POST', '/app/get-all-transactions', { ...list, asOf })).status).toBe(200);
    expect((await second.sendCode(id, newPhone(), await second.boundToken(id))).status).toBe(204);
    await traffic.stop();
    expect(new Set(traffic.statuses)).toEqual(new Set([200]));

    // The last rollout removes the old key. Counters and the safe list go on.
    for (const node of nodes) await node.restart([next]);
    expect((await first.call('POST', '/app/get-all-transactions', { ...list, asOf })).status).toBe(400);
    expect((await first.sendCode(id, newPhone(), await first.boundToken(id))).status).toBe(204);
    expect((await first.sendCode(id, newPhone(), await first.boundToken(id))).status).toBe(429);
    const another = (await first.call('POST', '/User', {})).json.id;
    expect((await first.sendCode(another, '+4915112345679')).status).toBe(400);
    expect((await first.sendCode(another, safePhone)).status).toBe(204);
    expect(await refusal(settings, [old])).toMatch(/^This node lacks the digest key that the database uses/);
  });

  it('is refused where other nodes do not have it', async () => {
    const [old, next] = [makeKey(), makeKey()];
    const settings = await nodeSettings();
    const node = new Node(settings);
    onTestFinished(() => node.stop());
    await node.restart([old]);
    expect(await refusal(settings, [next])).toMatch(
      /^This node lacks the digest key that the database uses \(fingerprint [0-9a-f]{16}\).*Give every node the same LEDGERLINE_DIGEST_KEY\./,
    );
    expect(await refusal(settings, [next, old])).toMatch(
      /^LEDGERLINE_DIGEST_KEY begins with a key that the database does not know.*Put the new key second on every node first/,
    );
    const ownKey = await refusedStart({ DATABASE_URL: settings.DATABASE_URL, DATA_DIR: await dataFolder() });
    expect(ownKey).toMatch(/set DATA_DIR to the folder it had, set LEDGERLINE_DIGEST_KEY, or empty the sandbox/);
  });
});
