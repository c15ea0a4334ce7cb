import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/catalogue.ts';
import { invalidField, row, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function events(query = '', token?: string) {
  return service.call(`/events${query}`, undefined, { method: 'GET', ...(token !== undefined && { token }) });
}

/** The cursor behind everything there is. */
async function end(): Promise<string> {
  let next = (await events('?limit=1000')).json.next as string;
  for (;;) {
    const page = (await events(`?limit=1000&after=${next}`)).json;
    if (page.events.length === 0) return page.next;
    next = page.next;
  }
}

const uuidOfVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('GET /events', () => {
  it('gives the event of a new user at once', async () => {
    const after = await end();
    const id = await service.createUser();
    const { status, headers, json } = await events(`?after=${after}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toEqual({
      events: [
        {
          id: expect.stringMatching(uuidOfVersion7),
          type: 'user.created',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/),
          sequence: 1,
          data: { userId: id },
        },
      ],
      next: expect.any(String),
    });
    expect((await events(`?after=${json.next}`)).json).toEqual({ events: [], next: expect.any(String) });
  });

  it('has one event for each individual and commit, with up to 20 ids', async () => {
    const [a, b] = [await service.createUser(), await service.createUser()];
    const after = await end();
    const rows = Array.from({ length: 25 }, () => row(a));
    await service.record([...rows, row(b, { transactionId: 'only' })]);
    const { events: written } = (await events(`?after=${after}`)).json;
    expect(written.map(({ type, sequence, data }: Record<string, unknown>) => ({ type, sequence, data }))).toEqual([
      {
        type: 'transactions.recorded',
        sequence: 1,
        data: {
          userId: a,
          count: 25,
          transactionIds: rows.slice(0, 20).map(({ transactionId }) => transactionId),
          more: true,
        },
      },
      {
        type: 'transactions.recorded',
        sequence: 1,
        data: { userId: b, count: 1, transactionIds: ['only'], more: false },
      },
    ]);
  });

  it('distinguishes changed rows from new ones, and has nothing about duplicates, conflicts and rejected rows', async () => {
    const id = await service.createUser();
    const pending = row(id, { transactionStatus: 'Pending' });
    const accepted = row(id);
    await service.record([pending, accepted]);
    const after = await end();
    await service.record([pending, { ...accepted, amount: '11.00' }, row(2_000_000_000), { individualId: id }]);
    expect((await events(`?after=${after}`)).json.events).toEqual([]);
    const fresh = row(id);
    await service.record([{ ...pending, transactionStatus: 'Accepted' }, fresh]);
    const { events: written } = (await events(`?after=${after}`)).json;
    expect(written.map(({ type, sequence, data }: Record<string, unknown>) => ({ type, sequence, data }))).toEqual([
      {
        type: 'transactions.recorded',
        sequence: 2,
        data: { userId: id, count: 1, transactionIds: [fresh.transactionId], more: false },
      },
      {
        type: 'transactions.updated',
        sequence: 3,
        data: { userId: id, transactionIds: [pending.transactionId], more: false },
      },
    ]);
  });

  it('pages by limit, and filters by user and by types', async () => {
    const id = await service.createUser();
    for (let count = 0; count < 3; count += 1) await service.record([row(id)]);
    await service.createUser();
    const first = (await events(`?userId=${id}&limit=2`)).json;
    const second = (await events(`?userId=${id}&limit=2&after=${first.next}`)).json;
    const third = (await events(`?userId=${id}&limit=2&after=${second.next}`)).json;
    const types = (page: { events: { type: string }[] }) => page.events.map(({ type }) => type);
    expect([types(first), types(second), types(third)]).toEqual([
      ['user.created', 'transactions.recorded'],
      ['transactions.recorded', 'transactions.recorded'],
      [],
    ]);
    const both = (await events(`?type=user.created&type=transactions.updated&userId=${id}`)).json;
    expect(types(both)).toEqual(['user.created']);
    const created = (await events('?limit=1000&type=user.created')).json.events;
    expect(created.length).toBeGreaterThan(1);
    expect(created.every(({ type }: { type: string }) => type === 'user.created')).toBe(true);
    // A cursor is a position: filters may change under it.
    expect(types((await events(`?after=${first.next}&userId=${id}&type=transactions.recorded`)).json)).toHaveLength(2);
    expect((await events('?userId=2000000000')).json.events).toEqual([]);
  });

  it('takes parameter names in any case, and an empty value as absent', async () => {
    const answer = await events('?LIMIT=1&After=&TYPE=user.created&userid=');
    expect([answer.status, answer.json.events.length]).toEqual([200, 1]);
  });

  it('refuses invalid values', async () => {
    const message = 'The field Limit must be between 1 and 1000.';
    for (const limit of [0, 1001, -1]) {
      expect((await events(`?limit=${limit}`)).json).toEqual(invalidField('Limit', message));
    }
    expect((await events('?limit=many')).json).toEqual(
      invalidField('Limit', "The value 'many' is not valid for Limit."),
    );
    expect((await events('?userId=0')).json.errors).toHaveProperty('UserId');
    const unknown = await events('?type=user.created&type=user.invented');
    expect([unknown.status, unknown.headers.get('error-reason')]).toEqual([400, 'invalid-request']);
    expect(unknown.json).toEqual(invalidField('Type', `The field Type must be one of ${eventTypes.join(', ')}.`));
    const next = (await events()).json.next as string;
    for (const cursor of [
      'x',
      '1',
      'AAAA',
      next.slice(1),
      `${next}A`,
      next.replace(/.$/, '!'),
      '%00',
      'a'.repeat(5000),
    ]) {
      const answer = await events(`?after=${encodeURIComponent(cursor)}`);
      expect([cursor, answer.status, Object.keys(answer.json.errors)]).toEqual([cursor, 400, ['After']]);
    }
  });

  it('is for service tokens with the scope events:read', async () => {
    expect((await events('', await service.token('users'))).status).toBe(403);
    expect((await events('', await service.token('events:write'))).status).toBe(403);
    expect((await events('', await service.token('events:read'))).status).toBe(200);
    // The embedded issuer gives a bound token no such scope.
    expect((await events('', await service.token('', 1))).status).toBe(403);
  });

  it('writes no event for demo data', async () => {
    const fresh = await serviceForTest();
    const { json } = await fresh.call('/events', undefined, { method: 'GET' });
    expect(json.events).toEqual([]);
    await fresh.record([row(1)]);
    const [written] = (await fresh.call('/events', undefined, { method: 'GET' })).json.events;
    expect(written).toMatchObject({ type: 'transactions.recorded', sequence: 1 });
  });

  it('keeps events and cursors for 30 days by the service’s clock', async () => {
    const own = await serviceForTest();
    const get = (query = '') => own.call(`/events${query}`, undefined, { method: 'GET' });
    await own.createUser();
    await own.createUser();
    const middle = (await get('?limit=1')).json.next;
    await own.advance(20 * 86_400);
    own.forgetTokens();
    const atEnd = (await get(`?after=${middle}`)).json.next;
    await own.createUser();
    await own.advance(11 * 86_400);
    own.forgetTokens();
    const outlived = await get(`?after=${middle}`);
    expect(outlived.json).toEqual(invalidField('After', 'The field After is older than the events that are kept.'));
    // One at the end is as old as it was given.
    expect((await get(`?after=${atEnd}`)).json.events).toHaveLength(1);
    expect((await get()).json.events).toHaveLength(1);
  });

  it('loses all events and invalidates cursors when the sandbox is emptied', async () => {
    const own = await serviceForTest();
    const get = (query = '') => own.call(`/events${query}`, undefined, { method: 'GET' });
    await own.createUser();
    const { next } = (await get()).json;
    await own.call('/sandbox/data', undefined, { method: 'DELETE', token: null });
    expect((await get(`?after=${next}`)).json).toEqual(
      invalidField('After', 'The field After belongs to a log that is gone.'),
    );
    expect((await get()).json.events).toEqual([]);
    await own.createUser();
    expect((await get()).json.events).toHaveLength(1);
  });
});
