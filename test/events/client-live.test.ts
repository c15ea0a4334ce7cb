/** The client's live streams, and its functions for webhook endpoints. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clientCredentials, createClient, LedgerlineError } from '../../client/index.ts';
import { row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { startReceiver } from '../harness/servers/receiver.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

function clientOf({ url }: { url: string }, baseUrl = url) {
  const token = clientCredentials({ baseUrl: url, clientId: 'sandbox', clientSecret: 'sandbox' });
  return createClient({ baseUrl, token });
}

/** Aborted when the test ends, so that nothing goes on behind it. */
function testSignal(): AbortController {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller;
}

/** Passes bytes on, until it is told to cut every connection. */
async function startPipe(target: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(target).port), '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => sockets.delete(one));
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}

describe('client.live', () => {
  it('yields the current state and every change, also over connections that break', async () => {
    const pipe = await startPipe(service.url);
    const client = clientOf(service, pipe.url);
    const id = await service.createUser();
    const states = client.live(id, testSignal());
    expect((await states.next()).value).toEqual({ sequence: 0, transactionCount: 0 });
    await service.record([row(id)]);
    expect((await states.next()).value).toEqual({ sequence: 1, transactionCount: 1 });
    pipe.cut();
    await service.record([row(id)]);
    // The first message of the new connection tells what happened meanwhile.
    expect((await states.next()).value).toEqual({ sequence: 2, transactionCount: 2 });
  });

  it('gets a new token when the one it has expires', async () => {
    const own = await serviceForTest();
    const client = clientOf(own);
    const id = await own.createUser();
    const states = client.live(id, testSignal());
    await states.next();
    await own.advance(86_401);
    expect((await states.next()).value).toEqual({ sequence: 0, transactionCount: 0 });
  });

  it('ends when it is aborted, and throws when the service refuses', async () => {
    const client = clientOf(service);
    const controller = testSignal();
    const states = client.live(await service.createUser(), controller);
    await states.next();
    const next = states.next();
    controller.abort();
    expect(await next).toEqual({ value: undefined, done: true });
    const refused = await client
      .live(2_000_000_000)
      .next()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LedgerlineError);
    expect(refused).toMatchObject({ kind: 'refused', reason: 'unknown-individual' });
  });
});

describe('client.webhooks', () => {
  it('manages endpoints', async () => {
    const client = clientOf(service);
    const receiver = await startReceiver();
    const created = await client.webhooks.create({ url: receiver.url, types: ['user.created'] });
    expect(await client.webhooks.test(created.id)).toMatchObject({ delivered: true, status: 200 });
    const secret = await client.webhooks.rotateSecret(created.id, { overlapSeconds: 0 });
    expect(secret).not.toBe(created.secret);
    expect(await client.webhooks.update(created.id, { description: 'x' })).toMatchObject({ description: 'x' });
    expect(await client.webhooks.get(created.id)).toMatchObject({ description: 'x' });
    await service.createUser();
    await receiver.received(2);
    expect(await client.webhooks.replay(created.id, { from: '2020-01-01' })).toBeGreaterThan(0);
    expect((await client.webhooks.deliveries(created.id, { limit: 1 })).length).toBe(1);
    expect((await client.webhooks.list()).map(({ id }) => id)).toContain(created.id);
    expect((await client.operator.webhookEndpoints()).map(({ id }) => id)).toContain(created.id);
    expect((await client.operator.webhookDeliveries(created.id, { limit: 1 }))[0]!.request).toContain('user.created');
    expect((await client.operator.events({ type: 'user.created', count: 1 }))[0]!.type).toBe('user.created');
    await client.webhooks.remove(created.id);
  });
});
