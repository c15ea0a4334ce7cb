/** Erasure: DELETE /User/{id} and everything that an erased id answers from then on. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tablesWith } from '../harness/personal-data.ts';
import { newPhone, row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const erase = (id: number, token?: string) =>
  service.call(`/User/${id}`, undefined, { method: 'DELETE', ...(token && { token }) });
const get = (path: string) => service.call(path, undefined, { method: 'GET' });

describe('DELETE /User/{id}', () => {
  it('removes phone number, e-mail and additionalData from every table', async () => {
    const phone = newPhone();
    const { id } = (await service.call('/User', { email: 'gone@example.com', additionalData: { nickname: 'Zaphod' } }))
      .json;
    await service.sendCode(id, phone);
    await service.verify(id, await service.lastCode(phone));
    expect(await tablesWith(service, phone, 'gone@example.com', 'Zaphod')).not.toEqual([]);
    const answer = await erase(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await tablesWith(service, phone, 'gone@example.com', 'Zaphod')).toEqual([]);
    expect(await service.sql`select from messages where user_id = ${id}`).toHaveLength(0);
    expect(await service.sql`select from verification_events where user_id = ${id}`).toHaveLength(0);
    expect(await service.messages(phone)).toEqual([]);
  });

  it('frees the number for another user', async () => {
    const phone = newPhone();
    await erase(await service.verifiedUser(phone));
    const next = await service.verifiedUser(phone);
    expect((await get(`/User/${next}/status`)).json.phoneNumber).toBe(phone);
  });

  it('answers as for an unknown user after the erasure', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    const transaction = row(id);
    await service.record([transaction]);
    await erase(id);
    const unknown = { status: 400, reason: 'unknown-individual' };
    const answers = {
      send: await service.sendCode(id, phone),
      verify: await service.verify(id, '123456'),
      status: await get(`/User/${id}/status`),
      data: await get(`/User/${id}/data`),
      unlink: await service.call(`/User/${id}/phone-number`, undefined, { method: 'DELETE' }),
      resend: await service.call(`/User/${id}/phone-number/resend-code`),
      list: await service.list({ individualId: id }),
      summarize: await service.call('/app/summarize-transactions', { individualId: id }),
      export: await service.call('/app/export-transactions', { individualId: id }),
      get: await service.call('/app/get-transaction', { transactionId: transaction.transactionId, individualId: id }),
      getById: await service.call('/app/get-transaction', { transactionId: transaction.transactionId }),
    };
    const seen = Object.fromEntries(
      Object.entries(answers).map(([name, { status, headers }]) => [
        name,
        { status, reason: headers.get('error-reason') },
      ]),
    );
    expect(seen).toEqual({
      send: { status: 404, reason: 'unknown-user' },
      verify: { status: 400, reason: 'invalid-code' },
      status: { status: 404, reason: 'unknown-user' },
      data: { status: 404, reason: 'unknown-user' },
      unlink: { status: 404, reason: 'unknown-user' },
      resend: { status: 404, reason: 'unknown-user' },
      list: unknown,
      summarize: unknown,
      export: unknown,
      get: { status: 404, reason: 'unknown-transaction' },
      getById: { status: 404, reason: 'unknown-transaction' },
    });
    const { results } = (await service.record([row(id)])).json;
    expect(results[0].result).toBe('rejected');
  });

  it('shows operators that the user was erased, and nothing else', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    await erase(id);
    const trail = (await get(`/operator/users/${id}/trail`)).json;
    expect(trail).toEqual({
      ...{ id, verified: null, messages: [], events: [], changes: [] },
      erasedAt: expect.stringMatching(/^20.*Z$/),
    });
    const found = await service.call('/operator/find-users', { phoneNumber: phone });
    expect(found.json).toEqual({ userIds: [], holder: null });
  });

  it('never gives the id out again', async () => {
    const id = 1_900_000_000;
    expect((await service.call('/User', { id })).status).toBe(201);
    await erase(id);
    const again = await service.call('/User', { id });
    expect([again.status, again.json.errors.Error]).toEqual([400, ['User already exists.']]);
  });

  // On a Citus an erasure is not one transaction: see test/citus/erasure.test.ts.
  it.skipIf(inject('citusNodes').length > 0)(
    'keeps an id from being given out again, also while the erasure is in progress',
    async () => {
      const own = await serviceForTest();
      const id = 700;
      await own.call('/User', { id });
      await own.sql`select setval('user_ids', ${id}, false)`;
      let created: Promise<{ json: { id: number } }> | undefined;
      await own.sql.begin(async (sql) => {
        await sql`delete from users where id = ${id}`;
        await sql`insert into erased_users (user_id, erased_at) values (${id}, now())`;
        created = own.call('/User', {});
        // The new user waits for the erasure.
        await until(async () => {
          const waiting = await sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
          return waiting.length > 0;
        });
      });
      expect((await created!).json.id).toBeGreaterThan(id);
      expect((await own.call(`/User/${id}`, undefined, { method: 'DELETE' })).status).toBe(204);
    },
  );

  it('answers 204 when the user was erased before, 404 for an id that never existed', async () => {
    const id = await service.createUser();
    expect((await erase(id)).status).toBe(204);
    expect((await erase(id)).status).toBe(204);
    const unknown = await erase(2_147_483_640);
    expect([unknown.status, unknown.headers.get('error-reason')]).toEqual([404, 'unknown-user']);
  });

  it('refuses a token that is bound to the user', async () => {
    const id = await service.createUser();
    expect((await erase(id, await service.token('phone', id))).status).toBe(403);
    expect((await get(`/User/${id}/status`)).status).toBe(200);
  });

  it('keeps the transactions for the term of retention, then a job removes all of them', async () => {
    const retaining = await serviceForTest({ LEDGERLINE_RETAIN_ERASED_DAYS: '30' });
    const id = await retaining.createUser();
    await retaining.record([row(id), row(id)]);
    await retaining.call(`/User/${id}`, undefined, { method: 'DELETE' });
    const [erased] = await retaining.sql`select * from erased_users where user_id = ${id}`;
    expect(erased!.retained_until - erased!.erased_at).toBe(30 * 86_400_000);
    expect(await retaining.sql`select from transactions where individual_id = ${id}`).toHaveLength(2);
  });

  it('removes the transactions at once where nothing is retained', async () => {
    const forgetful = await serviceForTest({ LEDGERLINE_RETAIN_ERASED_DAYS: '0' });
    const id = await forgetful.createUser();
    const other = await forgetful.createUser();
    await forgetful.record([row(id), row(other, { senderName: 'Ada' })]);
    await forgetful.call(`/User/${id}`, undefined, { method: 'DELETE' });
    expect(
      await forgetful.sql`select individual_id from transactions where individual_id in (${id}, ${other})`,
    ).toEqual([{ individual_id: other }]);
  });

  it('is recorded with who did it', async () => {
    const id = await service.createUser();
    await erase(id);
    const actions = await service.sql`select action, target, client from operator_actions where user_id = ${id}`;
    expect([...actions]).toEqual([{ action: 'erase-user', target: `user ${id}`, client: 'sandbox' }]);
  });

  it('names no end of the retention where nothing is retained', async () => {
    const id = await service.createUser();
    await erase(id);
    const { events } = (await get(`/events?userId=${id}&type=user.erased`)).json;
    expect(events).toMatchObject([{ data: { userId: id, retainedUntil: null } }]);
  });

  it('causes the events phone.unlinked, user.erased and operator.acted, in this order and without a gap', async () => {
    const id = await service.verifiedUser('+447400123456');
    await service.record([row(id)]);
    await erase(id);
    const { events } = (await get(`/events?userId=${id}`)).json;
    const last = events.slice(-3) as { type: string; sequence: number; data: Record<string, unknown> }[];
    expect(last.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'phone.unlinked', data: { userId: id, country: 'GB', by: 'erasure' } },
      { type: 'user.erased', data: { userId: id, retainedUntil: expect.stringMatching(/^20\d\d-.*Z$/) } },
      {
        type: 'operator.acted',
        data: { userId: id, action: 'erase-user', actor: 'sandbox', target: `user ${id}` },
      },
    ]);
    // Events of transactions have a count of their own.
    const numbers = events
      .filter(({ type }: { type: string }) => !type.startsWith('transactions.'))
      .map(({ sequence }: { sequence: number }) => sequence);
    expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
  });
});
