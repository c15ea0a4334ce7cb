/** Compressed answers: files and long JSON, and nothing else. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpRequest, type HttpAnswer } from '../harness/http-request.ts';
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

const encodingOf = ({ headers }: HttpAnswer) => headers.get('content-encoding');

describe('JSON', () => {
  it('is compressed if it is long and the caller accepts it', async () => {
    const plain = await list(1000);
    const packed = await list(1000, 'deflate, gzip');
    expect(encodingOf(plain)).toBeNull();
    const { headers, bytes } = packed;
    const shown = [encodingOf(packed), headers.get('vary'), headers.get('content-length')];
    expect(shown).toEqual(['gzip', 'accept-encoding', String(bytes.length)]);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length * 4).toBeLessThan(plain.bytes.length);
  });

  it.each(['gzip;q=0', 'br', 'identity', 'gzippy'])('is not compressed for %s', async (encoding) => {
    expect(encodingOf(await list(1000, encoding))).toBeNull();
  });

  it('of a page of 20 rows is sent as it is', async () => {
    expect(encodingOf(await list(20, 'gzip'))).toBeNull();
  });

  it('with a token is never compressed', async () => {
    const form = 'grant_type=client_credentials&client_id=sandbox&client_secret=sandbox';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'gzip, br' };
    const answer = await ask('/connect/token', headers, form);
    expect([answer.status, encodingOf(answer)]).toEqual([200, null]);
  });
});

it.each(['/openapi.json', '/docs', '/'])('%s is sent in the encoding that the caller accepts', async (path) => {
  const plain = await ask(path, {});
  const packed = await ask(path, { 'accept-encoding': 'gzip' });
  const smaller = await ask(path, { 'accept-encoding': 'gzip, br' });
  expect([packed, smaller].map(encodingOf)).toEqual(['gzip', 'br']);
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  expect(brotliDecompressSync(smaller.bytes).equals(plain.bytes)).toBe(true);
  const again = await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': plain.headers.get('etag')! });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});
