/** The client's functions for operators, against a service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientCredentials, createClient, type Client } from '../../client/index.ts';
import { failure } from '../harness/client.ts';
import { newPhone, startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = createClient({ baseUrl: service.url, token: credentials(), resendSeconds: 0 });
});
afterAll(() => service.stop());

const credentials = (more: { scope?: string } = {}) =>
  clientCredentials({ baseUrl: service.url, clientId: 'sandbox', clientSecret: 'sandbox', ...more });

describe('operators', () => {
  it('find a customer, read the trail, and lift a block with an audit entry', async () => {
    const { operator } = client;
    const { id } = await client.createUser();
    const phoneNumber = newPhone();
    await client.sendCode({ id, phoneNumber });
    const [message] = await client.sandbox.messages(phoneNumber);
    for (let i = 0; i < 11; i += 1) await failure(client.verify({ id, code: wrongCode(message!.code!) }));
    expect(await operator.findUsers(phoneNumber)).toEqual({ userIds: [id], holder: null });
    expect(await operator.revealPhone(id)).toMatchObject({ verifiedPhone: null, lastSentPhone: phoneNumber });
    // The trail is written after the answer.
    await expect.poll(async () => (await operator.trail(id)).events.map(({ reason }) => reason)).toContain('blocked');
    expect((await operator.trail(id)).messages).toMatchObject([{ number: 1, gateway: 'inbox' }]);
    const { days, gateways } = await operator.overview(1);
    expect(days.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThan(0);
    expect(gateways).toEqual([{ gateway: 'inbox', breaker: 'closed' }]);

    const block = (await operator.guardBlocks()).find(({ subject }) => subject === String(id));
    expect(block).toMatchObject({ rule: 'user-failures' });
    await expect
      .poll(() => operator.guardDecisions({ userId: id, action: 'refused', count: 1 }))
      .toMatchObject([{ rule: 'user-failures', operation: 'verify-phone' }]);
    expect(await operator.liftBlock({ block: block!.id })).toBe(1);
    expect((await failure(operator.liftBlock({ block: 'user:2000000000' }))).kind).toBe('not-found');

    await operator.setGuardMode('prefix', 'shadow');
    expect((await operator.guardRules()).find(({ rule }) => rule === 'prefix')).toMatchObject({ mode: 'shadow' });
    await operator.setGuardMode('prefix', 'configured');
    await operator.addToSafeList({ prefix: '+447911' });
    const [entry] = await operator.safeList();
    expect(entry).toMatchObject({ label: '+447911', isPrefix: true });
    await operator.removeFromSafeList(entry!.id);
    expect(await operator.safeList()).toEqual([]);

    const actions = await operator.actions({ count: 6 });
    expect(actions.map(({ action }) => action)).toEqual([
      'remove-safe',
      'add-safe',
      'set-mode',
      'set-mode',
      'lift',
      'reveal-phone',
    ]);
    expect(await operator.actions({ before: actions[0]!.id, count: 1 })).toEqual([actions[1]]);
  });

  it('need the scopes of operators', async () => {
    const own = createClient({ baseUrl: service.url, token: credentials({ scope: 'phone operator:read' }) });
    expect(await own.operator.guardRules()).not.toHaveLength(0);
    expect((await failure(own.operator.setGuardMode('prefix', 'off'))).kind).toBe('forbidden');
    const app = createClient({ baseUrl: service.url, token: credentials({ scope: 'phone' }) });
    expect((await failure(app.operator.overview())).kind).toBe('forbidden');
  });
});
