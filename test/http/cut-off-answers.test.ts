/** Answers that fail while they are sent: what the log and the metrics say about them. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { Admission } from '../../src/sharing/admission.ts';
import { databaseAway } from '../../src/errors.ts';
import { operation, type Reply } from '../../src/http/operation.ts';
import { createServer } from '../../src/http/server.ts';
import { createObserver } from '../../src/monitoring/observe.ts';
import { until } from '../harness/until.ts';

/** The server with one operation, which answers with this. */
async function serverWith(makeReply: () => Reply) {
  const lines: string[] = [];
  const observer = createObserver({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const server = createServer({
    operations: [
      operation({
        name: 'stream',
        method: 'GET',
        path: '/stream',
        tag: 'Test',
        summary: 'A stream',
        responses: { 200: { about: 'The stream.' } },
        handle: makeReply,
      }),
    ],
    verifier: () => {
      throw new Error('no operation needs a token');
    },
    admission: new Admission(8),
    trustedProxies: [],
    observer,
    connections: { maxConnections: 100 },
    translate: () => undefined,
    corsOrigins: [],
    isStopping: () => false,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const requestLine = () => until(() => lines.find((line) => line.includes('"msg":"request"')));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`,
    lines,
    requestLine: async () => JSON.parse(await requestLine()),
    metrics: () => observer.metrics(),
  };
}

async function* failing(error: Error, chunks = 3): AsyncGenerator<string> {
  for (let count = 0; count < chunks; count += 1) yield 'x'.repeat(100_000);
  throw error;
}

it('a stream that fails after its start is cut off, and has the status and the name of its error', async () => {
  const { url, requestLine, metrics } = await serverWith(() => ({
    status: 200,
    body: Readable.from(failing(databaseAway())),
  }));
  const response = await fetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(await requestLine()).toMatchObject({
    level: 'error',
    status: 503,
    reason: 'database-unavailable',
    detail: 'The answer was cut off.',
    traceId: response.headers.get('request-id'),
  });
  expect(await metrics()).toMatch(/duration_seconds_count\{operation="stream",status="503"\} 1/);
});

it('a defect after the start is counted as one, once', async () => {
  const { url, lines, requestLine, metrics } = await serverWith(() => ({
    status: 200,
    body: Readable.from(failing(new TypeError('a mistake'))),
  }));
  const response = await fetch(url);
  await expect(response.text()).rejects.toThrow();
  expect(await requestLine()).toMatchObject({ status: 500, reason: 'internal' });
  expect(lines.filter((line) => line.includes('"msg":"defect"'))).toHaveLength(1);
  expect(await metrics()).toMatch(/ledgerline_defects_total 1/);
});

it('a defect before the start is a 500, and is counted once', async () => {
  const { url, lines, requestLine } = await serverWith(() => ({
    status: 200,
    body: Readable.from(failing(new TypeError('a mistake'), 0)),
  }));
  expect((await fetch(url)).status).toBe(500);
  expect(await requestLine()).toMatchObject({ status: 500 });
  expect(lines.filter((line) => line.includes('"msg":"defect"'))).toHaveLength(1);
});

it('a stream whose caller leaves is logged with status 499, and not as a defect', async () => {
  const { url, lines, requestLine } = await serverWith(() => ({
    status: 200,
    body: new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    }),
  }));
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  expect(response.status).toBe(200);
  leaving.abort();
  expect(await requestLine()).toMatchObject({ status: 499 });
  expect(lines.filter((line) => line.includes('"msg":"defect"'))).toHaveLength(0);
});

it('an answer that cannot be written closes the connection, and ends nothing else', async () => {
  const { url, lines } = await serverWith(() => ({ status: 200, body: 'x', headers: { 'x-broken': 'a\nb' } }));
  for (let count = 1; count <= 2; count += 1) {
    await expect(fetch(url)).rejects.toThrow();
    await until(() => lines.filter((line) => line.includes('"msg":"defect"')).length === count);
  }
});
