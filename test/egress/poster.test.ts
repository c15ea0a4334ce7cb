import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgressPolicy } from '../../src/egress/addresses.ts';
import { createPoster, type PosterOptions } from '../../src/egress/poster.ts';
import { parseRetryAfter } from '../../src/formats/retry-after.ts';
import { selfSigned } from '../harness/servers/certificate.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { until } from '../harness/until.ts';

const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 });

function posterFor(allow: string[], answers: string[][] = [], more: Partial<PosterOptions> = {}) {
  const asked: string[] = [];
  const poster = createPoster({
    policy: createEgressPolicy({ allow, allowsLoopback: false }),
    timeoutMilliseconds: 5000,
    connections: 4,
    async resolveHost(host) {
      asked.push(host);
      return (answers.length > 1 ? answers.shift()! : answers[0]!).map(address);
    },
    ...more,
  });
  onTestFinished(() => poster.close());
  return {
    asked,
    close: poster.close,
    post: (url: string) => poster.post(url, { 'content-type': 'application/json' }, '{}'),
  };
}

const forbidden = { error: 'The host leads to a forbidden address.', milliseconds: expect.any(Number) };

describe('the address that is connected to', () => {
  it('is the one that was checked, at every connection', async () => {
    const receiver = await startReceiver(
      (_hook, response) => void response.writeHead(200, { connection: 'close' }).end(),
    );
    const { port } = new URL(receiver.url);
    // The name is allowed to lead to 127.0.0.1 only; then the answer of the name server changes.
    const { post, asked } = posterFor(['127.0.0.1', 'hooks.test'], [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2']]);
    const url = `http://hooks.test:${port}/`;
    expect([(await post(url)).status, (await post(url)).status]).toEqual([200, 200]);
    expect(await post(url)).toEqual(forbidden);
    expect(asked).toHaveLength(3);
    expect(receiver.hooks).toHaveLength(2);
  });

  it('is forbidden when one of several answers is', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    for (const answers of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['::ffff:7f00:1'],
      ['64:ff9b::7f00:1'],
      ['10.0.0.1'],
      ['169.254.169.254'],
      ['fe80::1%eth0'],
      ['2002:7f00:1::'],
      ['0.0.0.0'],
      [],
    ]) {
      expect([answers, await posterFor([], [answers]).post(`https://hooks.test:${port}/`)]).toEqual([
        answers,
        forbidden,
      ]);
    }
    expect(receiver.hooks).toEqual([]);
  });

  it('is not opened by a name if it is loopback or link-local, but is if it is private', () => {
    const { isAllowed } = createEgressPolicy({ allow: ['hooks.internal'], allowsLoopback: false });
    for (const one of ['127.0.0.1', '::1', '169.254.169.254', 'fe80::1', '0.0.0.0']) {
      expect([one, isAllowed(one, 'hooks.internal')]).toEqual([one, false]);
    }
    for (const one of ['10.0.0.1', 'fc00::1', '8.8.8.8']) {
      expect([one, isAllowed(one, 'Hooks.Internal.')]).toEqual([one, true]);
    }
    expect(isAllowed('10.0.0.1', 'other.internal')).toBe(false);
  });

  it('is checked again before a literal is called, since settings may have changed', async () => {
    const receiver = await startReceiver();
    expect(await posterFor([]).post(receiver.url)).toMatchObject({ error: 'The URL is not allowed.' });
    expect(receiver.hooks).toEqual([]);
  });
});

it('a certificate that is not trusted ends the connection', async () => {
  const receiver = await startReceiver(200, selfSigned);
  const { post } = posterFor(['127.0.0.1', 'localhost'], [['127.0.0.1']]);
  expect((await post(receiver.url)).error).toMatch(/^The TLS connection failed \(\w+\)\.$/);
  expect(receiver.hooks).toEqual([]);
});

it('a kept connection that the receiver closes is replaced without a failure', async () => {
  const sockets: Socket[] = [];
  const receiver = await startReceiver((_hook, response, request) => {
    sockets.push(request.socket);
    // Closed behind the answer, as a receiver with a short timeout would.
    response.end(() => setTimeout(() => request.socket.resetAndDestroy(), 1));
  });
  const { post } = posterFor(['127.0.0.1']);
  for (let count = 0; count < 20; count += 1) {
    expect(await post(receiver.url)).toMatchObject({ status: 200 });
    await new Promise((resolve) => setTimeout(resolve, count % 3));
  }
});

it('a request in flight is not sent again when the poster is closed', async () => {
  let isSilent = false;
  const receiver = await startReceiver((_hook, response) => void (isSilent || response.end()));
  const { post, close } = posterFor(['127.0.0.1']);
  await post(receiver.url);
  isSilent = true;
  const answer = post(receiver.url);
  await until(() => receiver.hooks.length === 2);
  close();
  expect(await answer).toMatchObject({ error: 'The connection failed.' });
  expect(receiver.hooks).toHaveLength(2);
});

describe('a proxy', () => {
  async function startProxy(status = 200) {
    const connected: { authority: string; authorization: string | undefined }[] = [];
    const server = createServer();
    server.on('connect', (request, socket: Socket) => {
      connected.push({ authority: request.url!, authorization: request.headers['proxy-authorization'] });
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      const target = connect(Number(request.url!.split(':').at(-1)), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { connected, url: `http://user:pa%20ss@127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('carries everything by CONNECT, and resolves the names', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const proxy = await startProxy();
    const { post, asked } = posterFor(['hooks.internal'], [], { proxyUrl: proxy.url });
    expect(await post(`http://hooks.internal:${port}/hooks`)).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
    expect(proxy.connected).toEqual([
      { authority: `hooks.internal:${port}`, authorization: `Basic ${Buffer.from('user:pa ss').toString('base64')}` },
    ]);
    expect(receiver.hooks[0]!.headers.host).toBe(`hooks.internal:${port}`);
  });

  it('is used for TLS too, with the receiver’s certificate checked', async () => {
    const receiver = await startReceiver(200, selfSigned);
    const proxy = await startProxy();
    const { post } = posterFor(['localhost', '127.0.0.1'], [], { proxyUrl: proxy.url });
    expect((await post(receiver.url)).error).toMatch(/^The TLS connection failed/);
    expect(proxy.connected).toHaveLength(1);
  });

  it('keeps no connection to a receiver that never answers the handshake', async () => {
    const open = new Set<Socket>();
    const silent = createTcpServer((socket) => {
      open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
      socket.resume();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      silent.close();
    });
    await once(silent, 'listening');
    const proxy = await startProxy();
    const { post } = posterFor(['localhost', '127.0.0.1'], [], { proxyUrl: proxy.url, timeoutMilliseconds: 300 });
    const { port } = silent.address() as AddressInfo;
    expect(await post(`https://localhost:${port}/`)).toMatchObject({ error: 'No answer in time.' });
    expect(proxy.connected).toHaveLength(1);
    await until(() => open.size === 0);
  });

  it('that refuses is the reason of the failure', async () => {
    const proxy = await startProxy(403);
    const { post } = posterFor([], [], { proxyUrl: proxy.url });
    expect((await post('https://hooks.example.com/')).error).toBe('The connection failed (PROXY_403).');
  });
});

it('Retry-After is read as seconds or as a date', () => {
  expect([parseRetryAfter('120'), parseRetryAfter(undefined), parseRetryAfter('soon')]).toEqual([
    120,
    undefined,
    undefined,
  ]);
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0);
  expect([parseRetryAfter('0.5'), parseRetryAfter('2.25')]).toEqual([1, 3]);
  expect(parseRetryAfter('86400000000')).toBe(86_400_000_000);
  expect(parseRetryAfter(new Date(Date.now() + 100_000).toUTCString())).toBeGreaterThan(90);
});
