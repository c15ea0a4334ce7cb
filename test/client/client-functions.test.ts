/** The client has a function for every operation that is meant for its callers. */
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../client/index.ts';
import { completeDocument } from '../../src/http/routes/index.ts';

describe('every operation has its function', () => {
  /** Callers of these are gateways, browsers, monitors, and the token's source. */
  const notForClients = ['Gateways', 'Tokens', 'Pages', 'Reference'];
  const notForClientsEither = ['live', 'metrics'];

  interface Described {
    operationId: string;
    tags: string[];
    parameters?: { name: string; in: string }[];
  }
  const { paths } = JSON.parse(completeDocument()) as { paths: Record<string, Record<string, Described>> };
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), template, ...described })),
  );

  it('and sends the documented method and path', async () => {
    const asked: { method: string; url: URL }[] = [];
    const own = createClient({
      baseUrl: 'http://ledgerline.test',
      token: 't',
      resendSeconds: 0,
      fetch: async (url, init) => {
        asked.push({ method: init!.method!, url: new URL(String(url)) });
        return new Response('{}');
      },
    });
    const page = { before: 1, count: 1 };
    await own.sendCode({ id: 1, phoneNumber: '+447911123456' });
    await own.resendCode(1);
    await own.verify({ id: 1, code: '123456' });
    await own.changePhone(1, { phoneNumber: '+447911123457' });
    await own.resendChange(1);
    await own.verifyChange(1, '123456');
    await own.giveUpChange(1);
    await own.unlinkPhone(1);
    const confirmationId = '0b7e3c1a-9d42-4f7e-8a55-6c2f1d9e4b30';
    await own.confirmations.create(1, { purpose: 'payment' });
    await own.confirmations.check(1, confirmationId, { code: '123456' });
    await own.confirmations.resend(1, confirmationId);
    await own.confirmations.read(1, confirmationId);
    await own.confirmations.cancel(1, confirmationId);
    await own.createUser();
    await own.userStatus(1);
    await own.eraseUser(1);
    await own.readUserData(1);
    await own.listTransactions({ individualId: 1, dataBatch: 1 });
    await own.getTransaction({ individualId: 1, transactionId: 't' });
    await own.getTransactionHistory({ individualId: 1, transactionId: 't' });
    await own.recordTransactions([]);
    await own.summarizeTransactions({ individualId: 1 });
    for await (const _ of own.sync(1)) break;
    await own.exportTransactions({ individualId: 1 });
    await own.makeStatement({ individualId: 1 });
    await own.isReady();
    await own.operator.overview(3);
    await own.operator.trail(1);
    await own.operator.findUsers('+447911123456');
    await own.operator.revealPhone(1);
    await own.operator.freePhone({ userId: 1, phoneNumber: '+447911123456' });
    await own.operator.guardRules();
    await own.operator.setGuardMode('prefix', 'off');
    await own.operator.guardBlocks();
    await own.operator.liftBlock({ userId: 1 });
    await own.operator.safeList();
    await own.operator.addToSafeList({ prefix: '+447911' });
    await own.operator.removeFromSafeList('+447911');
    await own.operator.guardDecisions({ rule: 'prefix', action: 'shadow', userId: 1, ...page });
    const span = { from: '2026-01-01', to: '2026-01-02' };
    const acted = { subject: 'ops', action: 'lift', userId: 1, ...span } as const;
    await own.operator.actions({ ...acted, ...page });
    await own.operator.exportActions(acted);
    await own.operator.performance(3);
    await own.operator.guardUsage();
    await own.operator.settings();
    await own.operator.transactions(1);
    await own.operator.transaction(1, 't');
    const place = { country: 'GB', gateway: 'twilio', state: 'failed', verified: 'no', rule: 'prefix' } as const;
    await own.operator.messages({
      userId: 1,
      number: 1,
      reason: '30008',
      after: 'cursor',
      count: 1,
      ...place,
      ...span,
    });
    const event = { type: 'user.created', userId: 1 } as const;
    await own.operator.events({ ...event, before: 'id', count: 1, from: '2026-01-01', to: '2026-01-02' });
    await own.operator.webhookEndpoints();
    await own.operator.webhookDeliveries(1, { state: 'due', limit: 1 });
    await own.events.list({ ...event, after: 'cursor', limit: 1 });
    await own.webhooks.create({ url: 'https://example.com' });
    await own.webhooks.list();
    await own.webhooks.get(1);
    await own.webhooks.update(1, { enabled: false });
    await own.webhooks.remove(1);
    await own.webhooks.rotateSecret(1);
    await own.webhooks.test(1);
    await own.webhooks.replay(1, { eventIds: [] });
    await own.webhooks.deliveries(1, { state: 'due', limit: 1 });
    await own.sandbox.messages('+447911123456');
    await own.sandbox.advanceClock(0);
    await own.sandbox.resetClock();
    await own.sandbox.empty();

    for (const open of [own.live, own.operator.liveMessages]) {
      const stop = new AbortController();
      const stream = open === own.live ? own.live(1, stop) : own.operator.liveMessages(stop);
      const before = asked.length;
      const first = stream.next();
      await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before), { timeout: 15_000 });
      stop.abort();
      await first;
    }

    const called = asked.map(({ method, url }) => {
      const found = operations.find(
        (one) =>
          one.method === method && new RegExp(`^${one.template.replace(/\{\w+\}/g, '[^/]+')}$`).test(url.pathname),
      );
      const known = found?.parameters?.filter((parameter) => parameter.in === 'query').map(({ name }) => name) ?? [];
      expect([url.pathname, [...url.searchParams.keys()].sort()]).toEqual([url.pathname, known.sort()]);
      return found?.operationId ?? `${method} ${url.pathname}`;
    });
    const wanted = operations
      .filter(({ tags }) => !tags.some((tag) => notForClients.includes(tag)))
      .map(({ operationId }) => operationId)
      .filter((name) => !notForClientsEither.includes(name));
    expect(called.sort()).toEqual(wanted.sort());
  });
});
