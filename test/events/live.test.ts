import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { openStream } from '../harness/servers/event-stream.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const live = async (query: string, token?: string, of: Service = service) =>
  openStream(`${of.url}/app/live${query}`, token ?? (await of.token()));

async function latestEvent(userId: number, of: Service = service) {
  const { events } = (await of.call(`/events?userId=${userId}&limit=1000`, undefined, { method: 'GET' })).json;
  return events.findLast(({ type }: { type: string }) => type.startsWith('transactions.'));
}

describe('GET /app/live', () => {
  it('sends the current state at once, and after every commit that records or updates rows', async () => {
    const id = await service.createUser();
    const stream = await live(`?individualId=${id}`);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
    await stream.until(() => stream.messages.length === 1);
    expect(stream.messages[0]).toEqual({ event: 'changed', id: '0', data: { sequence: 0, transactionCount: 0 } });
    const pending = row(id, { transactionStatus: 'Pending' });
    await service.record([pending, row(id)]);
    await stream.until(() => stream.messages.length === 2);
    expect(stream.messages[1]).toEqual({
      event: 'changed',
      id: (await latestEvent(id)).id,
      data: { sequence: 1, transactionCount: 2 },
    });
    await service.record([{ ...pending, transactionStatus: 'Accepted' }]);
    await stream.until(() => stream.messages.length === 3);
    expect(stream.messages[2]).toEqual({
      event: 'changed',
      id: (await latestEvent(id)).id,
      data: { sequence: 2, transactionCount: 2 },
    });
    // Nothing of what changes nothing.
    await service.record([pending]);
    const again = await live(`?individualId=${id}`);
    await again.until(() => again.messages.length === 1);
    expect(again.messages[0]).toEqual(stream.messages[2]);
    expect(stream.messages).toHaveLength(3);
  });

  it('sends events to all watchers of an individual, and to no others', async () => {
    const [a, b] = [await service.createUser(), await service.createUser()];
    const [first, second, other] = [
      await live(`?individualId=${a}`),
      await live(`?individualId=${a}`),
      await live(`?individualId=${b}`),
    ];
    for (const stream of [first, second, other]) await stream.until(() => stream.messages.length === 1);
    await service.record([row(a)]);
    for (const stream of [first, second]) await stream.until(() => stream.messages.length === 2);
    expect(other.messages).toHaveLength(1);
  });

  it('is for one individual, whom a bound token need not name', async () => {
    const [id, other] = [await service.createUser(), await service.createUser()];
    const bound = await service.token('', id);
    expect((await live('', bound)).response.status).toBe(200);
    expect((await live(`?individualId=${id}`, bound)).response.status).toBe(200);
    expect((await live(`?individualId=${other}`, bound)).response.status).toBe(403);
    const unnamed = await live('');
    expect([unnamed.response.status, await unnamed.response.json()]).toMatchObject([
      400,
      { errors: { IndividualId: ['The IndividualId field is required.'] } },
    ]);
    const unknown = await live('?individualId=2000000000');
    expect([unknown.response.status, unknown.response.headers.get('error-reason')]).toEqual([
      400,
      'unknown-individual',
    ]);
    expect((await live('?individualId=x')).response.status).toBe(400);
    expect((await live('', await service.token('users'))).response.status).toBe(403);
    expect((await live('', 'none')).response.status).toBe(401);
  });

  it('takes three streams for a subject and individual, and one more when one ends', async () => {
    const id = await service.createUser();
    const streams = [
      await live(`?individualId=${id}`),
      await live(`?individualId=${id}`),
      await live(`?individualId=${id}`),
    ];
    const fourth = await live(`?individualId=${id}`);
    expect([fourth.response.status, fourth.response.headers.get('error-reason')]).toEqual([429, 'too-many-streams']);
    expect(Number(fourth.response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await live('', await service.token('', id))).response.status).toBe(200);
    streams[0]!.close();
    await until(async () => (await live(`?individualId=${id}`)).response.status === 200);
    // What was refused for another reason takes no place.
    for (let count = 0; count < 5; count += 1)
      expect((await live('?individualId=2000000000')).response.status).toBe(400);
  });

  it('ends when the token expires, by the service’s clock', async () => {
    const own = await serviceForTest();
    const id = await own.createUser();
    const stream = await live(`?individualId=${id}`, undefined, own);
    await stream.until(() => stream.messages.length === 1);
    await own.advance(86_401);
    await stream.until(() => stream.hasEnded);
    expect(stream.messages.map(({ event }) => event)).toEqual(['changed', 'expired']);
  });

  it('ends when the user is erased', async () => {
    const id = await service.createUser();
    const stream = await live(`?individualId=${id}`);
    await stream.until(() => stream.messages.length === 1);
    await service.call(`/User/${id}`, undefined, { method: 'DELETE' });
    await stream.until(() => stream.hasEnded);
    expect((await live(`?individualId=${id}`)).response.status).toBe(400);
  });

  it('sends a comment every 15 seconds', async () => {
    const id = await service.createUser();
    const stream = await live(`?individualId=${id}`);
    await stream.until(() => stream.comments === 1);
    expect(stream.messages).toHaveLength(1);
  });

  it('sends what another process has recorded', async () => {
    const second = await serviceForTest({ DATABASE_URL: service.databaseUrl });
    const id = await service.createUser();
    const stream = await live(`?individualId=${id}`);
    await stream.until(() => stream.messages.length === 1);
    const { status } = await second.record([row(id)]);
    expect(status).toBe(200);
    await stream.until(() => stream.messages.length === 2);
    expect(stream.messages[1]!.data).toEqual({ sequence: 1, transactionCount: 1 });
  });

  it('ends at once when the service stops, so that its reader connects elsewhere', async () => {
    const own = await startService({ LEDGERLINE_DRAIN_SECONDS: '2' });
    const stream = await live(`?individualId=${await own.createUser()}`, undefined, own);
    await stream.until(() => stream.messages.length === 1);
    const stopped = own.stop();
    await stream.until(() => stream.hasEnded);
    await stopped;
  });

  it('answers HEAD without a stream', async () => {
    const id = await service.createUser();
    const answer = await service.call(`/app/live?individualId=${id}`, undefined, { method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

describe('GET /operator/messages/live', () => {
  const follow = async (lastEventId?: string) =>
    openStream(
      `${service.url}/operator/messages/live`,
      await service.token('operator:read'),
      lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    );

  it('tells what becomes of texts, and resumes without a gap', async () => {
    const first = await follow();
    await first.until(() => first.messages.length === 1);
    expect(first.messages[0]).toMatchObject({ event: 'ready', id: expect.any(String) });
    const cursor = first.messages[0]!.id!;
    const userId = await service.createUser();
    await service.sql`
      select write_event('phone.verified', ${userId}, now(), '{"country":"GB"}'),
        write_event('gateway.up', null, now(), '{"gateway":"x","reason":"y"}')`;
    await first.until(() => first.messages.length === 2);
    expect(first.messages[1]).toMatchObject({
      event: 'message',
      data: { type: 'phone.verified', data: { userId, country: 'GB' } },
    });
    const second = await follow(cursor);
    await second.until(() => second.messages.length === 2);
    expect(second.messages).toEqual([{ event: 'ready', id: cursor, data: {} }, first.messages[1]]);
    const third = await follow(first.messages[1]!.id);
    await third.until(() => third.messages.length === 1);
    await service.sql`select write_event('phone.verified', ${userId}, now(), '{"country":"DE"}')`;
    await third.until(() => third.messages.length === 2);
    expect(third.messages[1]!.data.data.country).toBe('DE');
  });

  it('is for operators', async () => {
    const stream = await openStream(`${service.url}/operator/messages/live`, await service.token('events:read'));
    expect(stream.response.status).toBe(403);
  });
});
