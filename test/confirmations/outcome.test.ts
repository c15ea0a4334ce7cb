/** What becomes of a confirmation when the gateway fails, and what is counted. */
import { describe, expect, it } from 'vitest';
import { confirmationCalls, pathOf, payment, terms } from '../harness/confirmations.ts';
import { accepts, codeIn, impatientSettings } from '../harness/send-outcome.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest, wrongCode } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const refusesDestination = () => ({ status: 400, body: { code: 21614 } });
const failsForCertain = () => ({ status: 503 });

/** A verified user of a service with a gateway. */
async function withGateway(settings: Record<string, string> = {}) {
  const gateway = await gatewayServer(accepts);
  const service = await serviceForTest({ ...impatientSettings(gateway.url), ...settings });
  const id = await service.createUser();
  await service.sendCode(id, newPhone());
  await service.verify(id, codeIn(gateway.received[0]!));
  const calls = confirmationCalls(() => service);
  return {
    gateway,
    service,
    id,
    calls,
    codes: () => gateway.received.slice(1).map(codeIn),
    idIn: (location: string | null) => location?.split('/').at(-1) ?? '',
    async sends(): Promise<number> {
      const [row] = await service.sql`
        select cardinality(confirmation_sends) as count from verifications where user_id = ${id}`;
      return row!.count;
    },
  };
}

describe('an unknown outcome', () => {
  it('is a 503 with Location: the confirmation exists, is counted, and its code works', async () => {
    const { gateway, id, calls, codes, idIn, sends } = await withGateway();
    gateway.behave('die');
    const answer = await calls.create(id);
    expect([answer.status, answer.headers.get('error-reason')]).toEqual([503, 'send-outcome-unknown']);
    const confirmationId = idIn(answer.headers.get('location'));
    expect(answer.headers.get('location')).toBe(pathOf(id, confirmationId));
    expect(await calls.stateOf(id, confirmationId)).toBe('pending');
    expect(await sends()).toBe(1);
    expect((await calls.eventsOf(id, 'phone.')).at(-1)).toMatchObject({
      type: 'phone.code_sent',
      data: { for: 'confirmation', outcome: 'unknown', confirmationId, codeNumber: 2 },
    });
    expect((await calls.check(id, confirmationId, { code: codes()[0], ...terms })).status).toBe(200);
  });

  it('with a key: the same key sends the same code again, 201 with the same id, attempts kept', async () => {
    const { gateway, id, calls, codes, idIn } = await withGateway();
    const key = { 'idempotency-key': 'pay-1' };
    gateway.behave('die');
    const first = await calls.create(id, payment, key);
    const confirmationId = idIn(first.headers.get('location'));
    const again = await calls.create(id, payment, key);
    expect([again.status, again.headers.get('location')]).toEqual([503, first.headers.get('location')]);
    await calls.check(id, confirmationId, { code: wrongCode(codes()[0]!), ...terms });
    const other = await calls.create(id, { ...payment, amount: 1 }, key);
    expect(other.headers.get('error-reason')).toBe('idempotency-conflict');
    gateway.behave(accepts);
    const sent = await calls.create(id, payment, key);
    expect([sent.status, sent.json.confirmationId]).toEqual([201, confirmationId]);
    expect(new Set(codes())).toHaveProperty('size', 1);
    expect((await calls.create(id, payment, key)).text).toBe(sent.text);
    expect(codes()).toHaveLength(3);
    expect((await calls.eventsOf(id, 'phone.code_sent')).map(({ data }) => data.codeNumber)).toEqual([1, 2, 2, 2]);
    expect((await calls.check(id, confirmationId, { code: codes()[0], ...terms })).status).toBe(200);
  });

  it('with a key: the confirmation stays the same when further requests fail for certain or are refused', async () => {
    const { gateway, service, id, calls, codes, idIn } = await withGateway({
      LEDGERLINE_LIMITS: 'user-confirmations=2/10m',
    });
    const key = { 'idempotency-key': 'pay-1' };
    gateway.behave('die');
    const confirmationId = idIn((await calls.create(id, payment, key)).headers.get('location'));
    gateway.behave(failsForCertain);
    expect((await calls.create(id, payment, key)).headers.get('error-reason')).toBe('send-failed');
    gateway.behave(accepts);
    expect((await calls.resend(id, confirmationId)).status).toBe(204);
    const refused = await calls.create(id, payment, key);
    expect([refused.status, refused.headers.get('error-reason')]).toEqual([429, 'too-many-sends']);
    await service.sql`update verifications set confirmation_sends = '{}' where user_id = ${id}`;
    const sent = await calls.create(id, payment, key);
    expect([sent.status, sent.json.confirmationId]).toEqual([201, confirmationId]);
    expect(new Set(codes())).toHaveProperty('size', 1);
    expect((await calls.check(id, confirmationId, { code: codes()[0], ...terms })).status).toBe(200);
  });

  it('with a key: a confirmation that has ended meanwhile is replaced by another', async () => {
    const { gateway, id, calls, codes, idIn } = await withGateway();
    const key = { 'idempotency-key': 'pay-1' };
    gateway.behave('die');
    const confirmationId = idIn((await calls.create(id, payment, key)).headers.get('location'));
    await calls.cancel(id, confirmationId);
    gateway.behave(accepts);
    const sent = await calls.create(id, payment, key);
    expect(sent.status).toBe(201);
    expect(sent.json.confirmationId).not.toBe(confirmationId);
    expect((await calls.check(id, sent.json.confirmationId, { code: codes()[1], ...terms })).status).toBe(200);
  });

  it('of a resend leaves it pending, and so does a resend that fails for certain', async () => {
    const { gateway, id, calls, codes } = await withGateway();
    const { confirmationId } = (await calls.create(id)).json;
    gateway.behave('die');
    expect((await calls.resend(id, confirmationId)).status).toBe(503);
    gateway.behave(failsForCertain);
    expect((await calls.resend(id, confirmationId)).headers.get('error-reason')).toBe('send-failed');
    expect((await calls.check(id, confirmationId, { code: codes()[0], ...terms })).status).toBe(200);
  });
});

describe('an erasure during the dispatch', () => {
  it('leaves nothing about the user when the gateway answers', async () => {
    const { gateway, service, id, calls } = await withGateway({ LEDGERLINE_GATEWAY_SECONDS: '10' });
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      gateway.behave(async () => {
        resolve();
        await new Promise<void>((done) => (answer = done));
        return accepts();
      });
    });
    const creating = calls.create(id);
    await asked;
    expect((await service.call(`/User/${id}`, undefined, { method: 'DELETE' })).status).toBe(204);
    answer();
    await creating;
    for (const table of ['confirmations', 'messages', 'verifications']) {
      expect([table, await service.sql`select from ${service.sql(table)} where user_id = ${id}`]).toEqual([table, []]);
    }
  });
});

describe('a text that was certainly not sent', () => {
  it('is a 503 without Location; the confirmation is void, and nothing of the budget is used', async () => {
    const { gateway, service, id, calls, sends } = await withGateway();
    gateway.behave(failsForCertain);
    const answer = await calls.create(id);
    expect([answer.status, answer.headers.get('error-reason')]).toEqual([503, 'send-failed']);
    expect(answer.headers.get('location')).toBeNull();
    expect(await sends()).toBe(0);
    const [row] =
      await service.sql`select state::text, sealed_terms, code_digest from confirmations where user_id = ${id}`;
    expect(row).toEqual({ state: 'void', sealed_terms: null, code_digest: null });
    expect((await calls.eventsOf(id, 'phone.send_failed')).map(({ data }) => data)).toEqual([
      expect.objectContaining({ reason: 'unavailable', for: 'confirmation', confirmationId: expect.any(String) }),
    ]);
  });

  it('with a key: the same key creates one confirmation as soon as a gateway accepts it', async () => {
    const { gateway, id, calls, codes, sends } = await withGateway();
    const key = { 'idempotency-key': 'pay-1' };
    gateway.behave(failsForCertain);
    for (let call = 0; call < 2; call += 1) expect((await calls.create(id, payment, key)).status).toBe(503);
    const other = await calls.create(id, { ...payment, amount: 1 }, key);
    expect(other.headers.get('error-reason')).toBe('idempotency-conflict');
    gateway.behave(accepts);
    const sent = await calls.create(id, payment, key);
    expect(sent.status).toBe(201);
    expect((await calls.create(id, payment, key)).text).toBe(sent.text);
    expect(await sends()).toBe(1);
    const { confirmationId } = sent.json;
    expect((await calls.check(id, confirmationId, { code: codes().at(-1), ...terms })).status).toBe(200);
  });

  it('is a 400 if the destination was refused; it is counted', async () => {
    const { gateway, id, calls, sends } = await withGateway();
    gateway.behave(refusesDestination);
    const answer = await calls.create(id);
    expect([answer.status, answer.headers.get('error-reason')]).toEqual([400, 'phone-not-supported']);
    expect(await sends()).toBe(1);
  });
});

describe('budgets', () => {
  it('hold for each user, apart from those of send-code; user-bound tokens may use half of them', async () => {
    const service = await serviceForTest({
      LEDGERLINE_LIMITS: 'user-confirmations=10/10m,12/1d; user-sends=1/1d',
    });
    const calls = confirmationCalls(() => service);
    const id = await service.verifiedUser();
    const bound = await service.token('phone', id);
    const asUser = async () => (await service.call(`/User/${id}/confirmations`, payment, { token: bound })).status;
    expect([await asUser(), await asUser(), await asUser(), await asUser(), await asUser()]).toEqual(
      Array.from({ length: 5 }, () => 201),
    );
    expect(await asUser()).toBe(429);
    for (let count = 0; count < 4; count += 1) expect((await calls.create(id)).status).toBe(201);
    const last = await calls.create(id);
    expect((await calls.resend(id, last.json.confirmationId)).status).toBe(429);
    const refused = await calls.create(id);
    expect([refused.status, refused.headers.get('error-reason')]).toEqual([429, 'too-many-sends']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    await service.advance(601);
    expect([(await calls.create(id)).status, (await calls.create(id)).status]).toEqual([201, 201]);
    expect((await calls.create(id)).status).toBe(429);
    const decision = await until(async () => {
      const address = '/operator/guard/decisions?rule=user-confirmations';
      return (await service.call(address, undefined, { method: 'GET' })).json.decisions[0];
    });
    expect(decision).toMatchObject({ operation: 'create-confirmation', userId: id, action: 'refused' });
  });

  it('have the limits of the contract in production and in the sandbox', async () => {
    const { rules } = await import('../../src/guard/rules.ts');
    expect(rules['user-confirmations'].windows).toMatchObject({ sandbox: '100/10m', production: '10/10m,50/1d' });
    expect(rules['confirmation-failures'].windows).toMatchObject({
      sandbox: '10/1h/1h',
      production: '10/1h/1h,20/1d/1d',
    });
  });

  it('of spending, countries and kinds of numbers apply; those of phones, addresses and ranges do not', async () => {
    const service = await serviceForTest({
      LEDGERLINE_RULES: '*=enforce',
      LEDGERLINE_COUNTRIES: 'GB,GG',
      LEDGERLINE_LIMITS: 'phone-sends=1/1d; token-sends=1/1d',
      LEDGERLINE_PRICES: '*=1',
      LEDGERLINE_SPEND: 'message=2,*=4',
    });
    const calls = confirmationCalls(() => service);
    const id = await service.verifiedUser();
    const sent = [];
    for (let count = 0; count < 4; count += 1) sent.push((await calls.create(id)).status);
    // One unit was spent on the verification.
    expect(sent).toEqual([201, 201, 201, 429]);
    await service.sql`update verifications set verified_phone = '+33612345678' where user_id = ${id}`;
    const abroad = await calls.create(id);
    expect([abroad.status, abroad.headers.get('error-reason')]).toEqual([400, 'phone-not-supported']);
  });
});

describe('time', () => {
  it('ends a confirmation after five minutes; a job removes its terms', async () => {
    const service = await serviceForTest();
    const calls = confirmationCalls(() => service);
    const { id, confirmationId, code } = await calls.pending();
    await service.advance(301);
    expect((await calls.check(id, confirmationId, { code, ...terms })).status).toBe(400);
    expect(await calls.stateOf(id, confirmationId)).toBe('expired');
    expect((await calls.resend(id, confirmationId)).headers.get('error-reason')).toBe('nothing-to-resend');
    await expect
      .poll(() => service.sql`select state::text, sealed_terms, code_digest from confirmations where user_id = ${id}`, {
        timeout: 60_000,
        interval: 500,
      })
      .toEqual([{ state: 'expired', sealed_terms: null, code_digest: null }]);
  }, 90_000);

  it('is LEDGERLINE_CONFIRMATION_SECONDS, in the answer and in the text', async () => {
    const service = await serviceForTest({ LEDGERLINE_CONFIRMATION_SECONDS: '120' });
    const calls = confirmationCalls(() => service);
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    expect((await calls.create(id)).json.expiresInSeconds).toBe(120);
    expect((await service.messages(phone))[0]!.text).toContain('Valid for 2 min.');
  });

  it('blocks end, and operators list and lift them', async () => {
    const service = await serviceForTest();
    const calls = confirmationCalls(() => service);
    const { id, confirmationId, code } = await calls.pending();
    for (let count = 0; count < 10; count += 1) await calls.check(id, crypto.randomUUID(), { code, ...terms });
    const blocks = (await service.call('/operator/guard/blocks', undefined, { method: 'GET' })).json.blocks;
    expect(blocks).toEqual([
      expect.objectContaining({ id: `confirmations:${id}`, rule: 'confirmation-failures', subject: String(id) }),
    ]);
    const { json } = await service.call(`/User/${id}/data`, undefined, { method: 'GET' });
    expect(json.blocks).toEqual([expect.objectContaining({ rule: 'confirmation-failures' })]);
    await service.call('/operator/guard/lift', { block: `confirmations:${id}` });
    expect((await calls.check(id, confirmationId, { code, ...terms })).status).toBe(200);
    expect((await calls.eventsOf(id, 'phone.')).map(({ type }) => type).slice(-2)).toEqual([
      'phone.verification_blocked',
      'phone.block_lifted',
    ]);
  });
});
