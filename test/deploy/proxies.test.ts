/** The proxies of deploy/ in front of two nodes, where they are installed. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { selfSigned } from '../harness/servers/certificate.ts';
import { proxyKinds, startProxy, type Proxy } from '../harness/servers/proxies.ts';
import { cloneDatabase, row, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** Asked of the node itself: the sandbox's token endpoint refuses whoever comes through a proxy. */
async function tokenOf(port: number): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'sandbox',
    client_secret: 'sandbox',
  });
  const response = await fetch(`http://127.0.0.1:${port}/connect/token`, { method: 'POST', body: form });
  return ((await response.json()) as { access_token: string }).access_token;
}

describe.each(proxyKinds)('$name', (kind) => {
  describe.skipIf(!kind.isInstalled)('in front of two nodes', () => {
    const nodes: Service[] = [];
    const cleanUps: (() => unknown)[] = [];
    let proxy: Proxy;
    let token: string;

    beforeAll(async () => {
      const port = await freePort('127.0.0.1');
      const database = await cloneDatabase();
      cleanUps.push(database.drop, () => Promise.all(nodes.map((node) => node.stop())));
      const settings = {
        DATABASE_URL: database.url,
        PUBLIC_URL: `https://localhost:${port}`,
        LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
      };
      const ports: [number, number] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
      for (const own of ports) nodes.push(await startService({ ...settings, PORT: String(own) }));
      token = await tokenOf(ports[0]);
      proxy = await startProxy(kind, port, ports);
      cleanUps.push(proxy.stop);
    });
    afterAll(async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    });

    const open = (method: string, pathname: string, headers: Record<string, string> = {}) =>
      proxy.open(method, pathname, { authorization: `Bearer ${token}`, ...headers });

    async function call(method: string, pathname: string, body?: string, contentType = 'application/json') {
      const sent = open(method, pathname, body === undefined ? {} : { 'content-type': contentType });
      sent.end(body);
      const [response] = await once(sent, 'response');
      return { status: response.statusCode as number, body: await text(response) };
    }

    it('passes calls on, and bodies larger than its own default', async () => {
      const created = await call('POST', '/User', '{}');
      expect(created.status).toBe(201);
      const { id } = JSON.parse(created.body) as { id: number };
      const lines = Array.from({ length: 20_000 }, () => JSON.stringify(row(id))).join('\n');
      expect(lines.length).toBeGreaterThan(2 * 1024 * 1024);
      const recorded = await call('POST', '/app/record-transactions', lines, 'application/x-ndjson');
      expect([recorded.status, JSON.parse(recorded.body).totals.created]).toEqual([200, 20_000]);
    });

    it('passes each event of a stream on at once', async () => {
      const { id } = JSON.parse((await call('POST', '/User', '{}')).body) as { id: number };
      const sent = open('GET', `/app/live?individualId=${id}`);
      sent.end();
      const [response] = await once(sent, 'response');
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      await until(() => received.includes('"transactionCount":0'));
      await call('POST', '/app/record-transactions', JSON.stringify({ transactions: [row(id)] }));
      await until(() => received.includes('"transactionCount":1'));
      sent.destroy();
    });

    it('goes on with the other node while one is restarted', async () => {
      await nodes.pop()!.stop();
      for (let count = 0; count < 20; count += 1) expect((await call('POST', '/User', '{}')).status).toBe(201);
    });
  });

  describe.skipIf(!kind.isInstalled)('as it is configured', () => {
    it('gives the 503 of the nodes on, with Retry-After, while none of them is ready', async () => {
      const nodes = await startRecordingNodes();
      const proxy = await startProxy(kind, await freePort('127.0.0.1'), nodes.ports);
      onTestFinished(proxy.stop);
      nodes.status = 503;
      const seen = new Set<string>();
      for (let count = 0; count < 40; count += 1) {
        const sent = proxy.open(count % 2 ? 'POST' : 'GET', '/User');
        sent.end();
        const [response] = await once(sent, 'response');
        response.resume();
        seen.add(`${response.statusCode} ${response.headers['retry-after']}`);
      }
      expect([...seen]).toEqual(['503 7']);
    });

    it('shows a node a request when its whole body is there, except for rows that are recorded', async () => {
      const nodes = await startRecordingNodes();
      const proxy = await startProxy(kind, await freePort('127.0.0.1'), nodes.ports);
      onTestFinished(proxy.stop);
      const slow = ['/User', '/connect/token', '/App/Record-Transactions'].map((pathname) => {
        const sent = proxy.open('POST', pathname, { 'content-length': '100' });
        sent.write('{');
        sent.on('error', () => {});
        return sent;
      });
      onTestFinished(() => slow.forEach((sent) => sent.destroy()));
      await until(() => nodes.requests.includes('POST /App/Record-Transactions'));
      slow[0]!.end(' '.repeat(99));
      await once(slow[0]!, 'response');
      expect(nodes.requests.filter((each) => each.startsWith('POST')).toSorted()).toEqual([
        'POST /App/Record-Transactions',
        'POST /User',
      ]);
    });

    it('limits what one address may have open', async () => {
      const nodes = await startRecordingNodes();
      const limit = 3;
      const proxy = await startProxy(kind, await freePort('127.0.0.1'), nodes.ports, (example) =>
        example.replace(/(limit_conn ledgerline_addresses|sc0_conn_cur gt) 256\b/, `$1 ${limit}`),
      );
      onTestFinished(proxy.stop);
      const openOne = async () => {
        const socket = connect({ port: proxy.port, servername: 'localhost', ca: selfSigned.cert });
        onTestFinished(() => void socket.destroy());
        let received = '';
        socket.on('data', (chunk) => (received += String(chunk))).on('error', () => {});
        socket.write('POST /app/record-transactions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n');
        const count = nodes.requests.length;
        await until(() => nodes.requests.length > count || received !== '' || socket.destroyed);
        return nodes.requests.length > count ? 'passed on' : received;
      };
      for (let count = 0; count < limit; count += 1) expect(await openOne()).toBe('passed on');
      const refused = await openOne();
      // HAProxy closes the connection before it reads anything.
      if (refused !== '') expect(refused).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/i);
    });
  });
});

/** Two servers in place of the nodes, which note what the proxy sends them. */
async function startRecordingNodes() {
  const nodes = { status: 200, requests: [] as string[], ports: [0, 0] as [number, number] };
  for (const index of [0, 1]) {
    const server = createServer((request, response) => {
      if (request.url !== '/health/ready') nodes.requests.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => response.writeHead(nodes.status, { 'retry-after': '7' }).end());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    nodes.ports[index] = (server.address() as AddressInfo).port;
  }
  return nodes;
}
