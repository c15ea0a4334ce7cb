/** A thousand checks at once, over two service processes on one database. */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { pathOf, payment, terms } from '../harness/confirmations.ts';
import { httpRequest } from '../harness/http-request.ts';
import { dataFolder, startProcess } from '../harness/process.ts';
import { cloneDatabase, newPhone } from '../harness/service.ts';

/** Two processes, and a caller that asks them in turn. */
async function startPair() {
  const database = await cloneDatabase(inject('sandboxTemplateName'));
  onTestFinished(database.drop);
  const settings = {
    DATABASE_URL: database.url,
    LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64'),
    LEDGERLINE_LOG_FORMAT: 'json',
    LEDGERLINE_STATEMENT_SECONDS: '60',
    LEDGERLINE_REQUESTS: '2000',
  };
  const processes = [
    await startProcess(await dataFolder(), settings),
    await startProcess(await dataFolder(), settings),
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  onTestFinished(() => agent.destroy());
  const tokens = await Promise.all(
    processes.map(async ({ url }) => {
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'sandbox',
        client_secret: 'sandbox',
      });
      const response = await fetch(`${url}/connect/token`, { method: 'POST', body: form });
      return ((await response.json()) as { access_token: string }).access_token;
    }),
  );
  const ask = (index: number, path: string, body?: unknown, method = 'POST') =>
    httpRequest(processes[index % 2]!.url + path, {
      agent,
      method,
      headers: { authorization: `Bearer ${tokens[index % 2]}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  async function lastCode(phoneNumber: string): Promise<string> {
    const address = `${processes[0]!.url}/sandbox/messages?${new URLSearchParams({ phoneNumber })}`;
    return ((await (await fetch(address)).json()) as { code: string }[])[0]!.code;
  }

  async function pending() {
    const phoneNumber = newPhone();
    const { id } = JSON.parse((await ask(0, '/User', {})).bytes.toString()) as { id: number };
    await ask(0, '/User/phone-number/send-code', { id, phoneNumber });
    await ask(0, '/User/phone-number/verify', { id, code: await lastCode(phoneNumber) });
    const created = await ask(1, `/User/${id}/confirmations`, payment);
    const { confirmationId } = JSON.parse(created.bytes.toString()) as { confirmationId: string };
    return { id, confirmationId, code: await lastCode(phoneNumber) };
  }

  const read = async (id: number, confirmationId: string) =>
    JSON.parse((await ask(0, pathOf(id, confirmationId), undefined, 'GET')).bytes.toString()) as { state: string };
  return { ask, pending, read };
}

describe('parallel checks over two processes', { timeout: 240_000 }, () => {
  it('of one right code: one succeeds, and the others are 400 or 429', async () => {
    const { ask, pending, read } = await startPair();
    const { id, confirmationId, code } = await pending();
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => ask(index, pathOf(id, confirmationId, 'check'), { code, ...terms })),
    );
    const counts = new Map<number, number>();
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(counts.get(200)).toBe(1);
    expect((counts.get(400) ?? 0) + (counts.get(429) ?? 0) + (counts.get(503) ?? 0)).toBe(999);
    expect(counts.get(400)).toBeLessThanOrEqual(10);
    expect((await read(id, confirmationId)).state).toBe('approved');
  });

  it('half of them with a changed amount: one check with the right amount succeeds, or the confirmation is void', async () => {
    const { ask, pending, read } = await startPair();
    const states = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const { id, confirmationId, code } = await pending();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => {
          const given = index % 2 === round % 2 ? { amount: '2490' } : {};
          return ask(index, pathOf(id, confirmationId, 'check'), { code, ...terms, ...given });
        }),
      );
      const approved = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      const { state } = await read(id, confirmationId);
      states.add(state);
      expect(approved.length).toBe(state === 'approved' ? 1 : 0);
      expect(approved.every((index) => index % 2 !== round % 2)).toBe(true);
      expect(['approved', 'void']).toContain(state);
    }
    expect(states.size).toBeGreaterThan(0);
  });
});
