/** Sends whose outcome is not known, to several processes on one database. */
import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { dataFolder, startProcess } from '../harness/process.ts';
import { accepts, codeIn, impatientSettings } from '../harness/send-outcome.ts';
import { cloneDatabase, newPhone, serviceForTest, startNodes, type Answer } from '../harness/service.ts';

describe('several processes', { timeout: 120_000 }, () => {
  type Call = (pathname: string, body: unknown) => Promise<Pick<Answer, 'status' | 'json' | 'headers'>>;

  /** Settings of nodes that share a database and a gateway. */
  async function shareDatabase(settings: Record<string, string> = {}) {
    const gateway = await gatewayServer(accepts);
    const database = await cloneDatabase(inject('sandboxTemplateName'));
    onTestFinished(database.drop);
    const shared = {
      ...impatientSettings(gateway.url),
      DATABASE_URL: database.url,
      LEDGERLINE_DIGEST_KEY: randomBytes(32).toString('base64'),
      LEDGERLINE_LOG_FORMAT: 'json',
      LEDGERLINE_GATEWAY_SECONDS: '10',
      LEDGERLINE_SEND_SECONDS: '20',
      ...settings,
    };
    return { gateway, shared };
  }

  /** Sends to one user at either of two nodes. */
  async function sender(calls: readonly [Call, Call]) {
    const { json } = await calls[0]('/User', {});
    const phone = newPhone();
    const call = (index: number, pathname: string, body: unknown) => calls[index % 2]!(pathname, body);
    return {
      send: (index: number) => call(index, '/User/phone-number/send-code', { id: json.id, phoneNumber: phone }),
      verify: (index: number, code: string) => call(index, '/User/phone-number/verify', { id: json.id, code }),
    };
  }

  /** The first can be killed. */
  async function processAndNode() {
    const { gateway, shared } = await shareDatabase();
    const first = await startProcess(await dataFolder(), shared);
    const token = await first.token();
    const second = await serviceForTest(shared);
    const calls = [(pathname, body) => first.call('POST', pathname, token, body), second.call] as [Call, Call];
    return { gateway, first, second, ...(await sender(calls)) };
  }

  async function twoNodes(settings: Record<string, string> = {}) {
    const { gateway, shared } = await shareDatabase(settings);
    const [first, second] = await startNodes(2, shared);
    return { gateway, ...(await sender([first!.call, second!.call])) };
  }

  it('send the same code again after one was killed during the dispatch', async () => {
    const { gateway, first, send, verify } = await processAndNode();
    gateway.behave('hang');
    const lost = send(0).catch(() => 'connection lost');
    await vi.waitFor(() => expect(gateway.received).toHaveLength(1), 10_000);
    await first.end('SIGKILL');
    expect(await lost).toBe('connection lost');
    gateway.behave(accepts);
    expect((await send(1)).status).toBe(204);
    const [code, again] = gateway.received.map(codeIn);
    expect(again).toBe(code);
    expect((await verify(1, code!)).status).toBe(200);
  });

  it('take a code as sent that a killed process left pending, so that the earlier one is superseded', async () => {
    const { gateway, first, second, send, verify } = await processAndNode();
    await send(0);
    gateway.behave('hang');
    const lost = send(0).catch(() => 'connection lost');
    await vi.waitFor(() => expect(gateway.received).toHaveLength(2), 10_000);
    await first.end('SIGKILL');
    await lost;
    await second.advance(60);
    const [earlier, latest] = gateway.received.map(codeIn);
    if (earlier !== latest) expect((await verify(1, earlier!)).status).toBe(400);
    expect((await verify(1, latest!)).status).toBe(200);
  });

  it('never make a second code while the outcome of the first is unknown, in 200 parallel sends', async () => {
    const { gateway, send, verify } = await twoNodes({ LEDGERLINE_LIMITS: 'user-sends=40/10m' });
    gateway.behave('die');
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => send(index)));
    const counts: Record<string, number> = {};
    for (const { status, headers } of answers) {
      const answer = `${status} ${headers.get('error-reason')}`;
      counts[answer] = (counts[answer] ?? 0) + 1;
    }
    const { '429 too-many-sends': refused = 0, '503 send-outcome-unknown': unknownOutcomes = 0 } = counts;
    // On a machine that is too busy some are answered with another 503.
    expect(Object.keys(counts).every((answer) => answer.startsWith('503') || answer.startsWith('429'))).toBe(true);
    expect(refused).toBeGreaterThan(100);
    expect(unknownOutcomes).toBeGreaterThan(20);
    const codes = gateway.received.map(codeIn);
    expect(codes.length).toBeGreaterThanOrEqual(unknownOutcomes);
    expect(codes.length).toBeLessThanOrEqual(40);
    expect(new Set(codes).size).toBe(1);
    expect((await verify(0, codes[0]!)).status).toBe(200);
  });

  it('leave the code of the last accepted text valid, after 90 parallel sends', async () => {
    const { gateway, send, verify } = await twoNodes();
    const answers = await Promise.all(Array.from({ length: 90 }, (_, index) => send(index)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(gateway.received).toHaveLength(90);
    expect((await send(0)).status).toBe(204);
    expect((await verify(1, codeIn(gateway.received.at(-1)!))).status).toBe(200);
  });
});
