/** Connections whose body arrives slowly, and the share of connections that one address may have. */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { httpRequest } from '../harness/http-request.ts';
import { row, serviceForTest, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

interface Peer {
  socket: Socket;
  received(): string;
}

async function openPeer(service: Service, text: string, localAddress = '127.0.0.1'): Promise<Peer> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  let received = '';
  socket.on('data', (chunk) => (received += chunk)).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received };
}

const head = (path: string, type: string, length: number, token?: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n` +
  `${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`;

const slowTokenRequest = `${head('/connect/token', 'application/x-www-form-urlencoded', 100)}g`;

const form = 'application/x-www-form-urlencoded';

/** The status of a request over a new connection from this address; 'closed' if there is no answer. */
async function statusFrom(service: Service, localAddress: string, path: string, token?: string) {
  const agent = new Agent({ maxSockets: 1 });
  try {
    const { status } = await httpRequest(service.url + path, {
      agent,
      localAddress,
      method: token === undefined ? 'GET' : 'POST',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    return status;
  } catch {
    return 'closed';
  } finally {
    agent.destroy();
  }
}

it('health is always answered, however many slow bodies without a token there are', async () => {
  const service = await serviceForTest({ LEDGERLINE_CONNECTIONS: '300' });
  const token = await service.token();
  const peers = await Promise.all(Array.from({ length: 300 }, () => openPeer(service, slowTokenRequest)));
  for (let count = 0; count < 20; count += 1) {
    expect(await statusFrom(service, '127.0.0.1', '/health/live')).toBe(200);
    expect(await statusFrom(service, '127.0.0.1', '/health/ready')).toBe(200);
  }
  // Callers from elsewhere do not notice.
  expect(await statusFrom(service, '127.0.0.2', '/User', token)).toBe(201);
  await until(() => peers.every(({ socket }) => socket.closed));
});

it('a request for a token or a receipt must arrive within a few seconds', async () => {
  const service = await serviceForTest({});
  const asked = await openPeer(service, slowTokenRequest);
  const receipt = await openPeer(service, `${head('/gateways/twilio/receipts', form, 20_000)}x`);
  // Fast enough for the minimum rate, and still too late.
  const trickle = setInterval(() => receipt.socket.write('x'.repeat(800)), 250);
  onTestFinished(() => clearInterval(trickle));
  for (const { received } of [asked, receipt]) {
    await until(() => received().includes('\r\n\r\n'));
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(received().toLowerCase()).toContain('connection: close');
  }
});

it('a body with a token must arrive at a minimum rate, but a stream of rows may be slow', async () => {
  const service = await serviceForTest({});
  const id = await service.createUser();
  const token = await service.token();
  const slow = await openPeer(service, head('/app/get-all-transactions', 'application/json', 1000, token));
  const line = `${JSON.stringify(row(id))}\n`;
  const rows = await openPeer(
    service,
    head('/app/record-transactions', 'application/x-ndjson', 2 * line.length, token) + line,
  );
  const trickle = setInterval(() => slow.socket.write(' '), 200);
  onTestFinished(() => clearInterval(trickle));
  await until(() => slow.received().includes('\r\n\r\n'));
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 [\s\S]*error-reason: request-timeout/i);
  rows.socket.write(JSON.stringify(row(id)).padEnd(line.length));
  await until(() => rows.received().includes('totals'));
  expect(rows.received()).toMatch(/"created":2/);
});

it('slow bodies make room first, the slowest before the others; idle connections stay', async () => {
  const service = await serviceForTest({ LEDGERLINE_CONNECTIONS: '20', LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1' });
  const token = await service.token();
  const upload = () => openPeer(service, head('/app/get-all-transactions', 'application/json', 900_000, token));
  const idle = await Promise.all(
    Array.from({ length: 10 }, () => openPeer(service, 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')),
  );
  await until(() => idle.every(({ received }) => received().includes('live')));
  const faster = await Promise.all(Array.from({ length: 3 }, upload));
  const slowest = await Promise.all(Array.from({ length: 2 }, upload));
  const trickle = setInterval(() => {
    for (const { socket } of faster) socket.write(' '.repeat(500));
  }, 100);
  onTestFinished(() => clearInterval(trickle));
  const closed: Peer[] = [];
  for (const peer of [...idle, ...faster, ...slowest]) peer.socket.once('close', () => closed.push(peer));
  // New connections until room has to be made. The slowest two are a tenth of all, and so are closed together.
  await until(async () => {
    await openPeer(service, 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return closed.length >= 2;
  }, 200);
  expect(new Set(closed.slice(0, 2))).toEqual(new Set(slowest));
});

it('one address gets half of the connections, beyond which only health is answered', async () => {
  const service = await serviceForTest({ LEDGERLINE_CONNECTIONS: '20' });
  const token = await service.token();
  const ids: number[] = [];
  for (let count = 0; count < 12; count += 1) ids.push(await service.createUser());
  const streams: Peer[] = [];
  for (const id of ids) {
    const request = `GET /app/live?individualId=${id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}`;
    const peer = await openPeer(service, `${request}\r\n\r\n`);
    await until(() => peer.received().includes('\r\n\r\n'));
    if (/^HTTP\/1\.1 503 [\s\S]*retry-after/i.test(peer.received())) break;
    streams.push(peer);
  }
  // The connections of the calls above count too, until they make room.
  expect(streams.length).toBeGreaterThan(4);
  expect(streams.length).toBeLessThan(11);
  expect(await statusFrom(service, '127.0.0.1', '/health/live')).toBe(200);
  expect(await statusFrom(service, '127.0.0.2', '/User', token)).toBe(201);
  expect(streams.filter(({ socket }) => socket.closed)).toHaveLength(0);
});
