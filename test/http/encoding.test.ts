/** Compressed answers: files and long JSON, and nothing else. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpRequest } from '../harness/http-request.ts';
import { row, startService, type Service } from '../harness/service.ts';

let service: Service;
let token: string;
let individualId: number;
beforeAll(async () => {
  service = await startService();
  token = await service.token();
  individualId = await service.createUser();
  const transactions = Array.from({ length: 1000 }, (_, index) => row(individualId, { transactionId: `e${index}` }));
  await service.call('/app/record-transactions', { transactions });
});
afterAll(() => service.stop());

const ask = (path: string, headers: Record<string, string>, body?: unknown) =>
  httpRequest(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

const list = (dataBatchCount: number, encoding?: string) =>
  ask(
    '/app/get-all-transactions',
    {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(encoding !== undefined && { 'accept-encoding': encoding }),
    },
    { individualId, dataBatch: 1, dataBatchCount },
  );

describe('JSON', () => {
  it('is compressed if it is long and the caller accepts it', async () => {
    const plain = await list(1000);
    const packed = await list(1000, 'deflate, gzip');
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(packed.headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(packed.bytes.length) });
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length * 4).toBeLessThan(plain.bytes.length);
  });

  it.each(['gzip;q=0', 'br', 'identity', 'gzippy'])('is not compressed for %s', async (encoding) => {
    expect((await list(1000, encoding)).headers['content-encoding']).toBeUndefined();
  });

  it('of a page of 20 rows is sent as it is', async () => {
    expect((await list(20, 'gzip')).headers['content-encoding']).toBeUndefined();
  });

  it('with a token is never compressed', async () => {
    const form = 'grant_type=client_credentials&client_id=sandbox&client_secret=sandbox';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'gzip, br' };
    const answer = await ask('/connect/token', headers, form);
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
  });
});

it.each(['/openapi.json', '/docs', '/'])('%s is sent in the encoding that the caller accepts', async (path) => {
  const plain = await ask(path, {});
  const packed = await ask(path, { 'accept-encoding': 'gzip' });
  const smaller = await ask(path, { 'accept-encoding': 'gzip, br' });
  expect([packed, smaller].map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', 'br']);
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  expect(brotliDecompressSync(smaller.bytes).equals(plain.bytes)).toBe(true);
  const again = await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': plain.headers.etag! });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});
