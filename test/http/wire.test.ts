/** Paths, errors and CORS on the wire, whatever the operation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeBytes } from '../harness/raw-socket.ts';
import { expectTraceId, refusal, row, startService, type CallOptions, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const verify = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.call('/User/phone-number/verify', undefined, { raw, headers });

const exchange = (bytes: string | Uint8Array, until?: RegExp) => exchangeBytes(service.url, bytes, until);

describe('a path', () => {
  it.each(['/user/PHONE-number/VERIFY', '/User/phone-number/verify/', '/USER/PHONE-NUMBER/VERIFY/'])(
    'matches in any case, with or without a trailing slash: %s',
    async (path) => {
      expect((await service.call(path, { id: 1 })).json.errors).toEqual({ Code: ['The Code field is required.'] });
    },
  );

  it.each([
    ['GET', '/User', 'POST'],
    ['PUT', '/app/get-all-transactions', 'POST'],
    ['DELETE', '/User/1/status/', 'GET, HEAD'],
    ['POST', '/HEALTH/live', 'GET, HEAD'],
    ['PATCH', '/User/1/phone-number', 'DELETE'],
    ['OPTIONS', '/User', 'POST'],
    ['GET', '/sandbox/clock', 'POST, DELETE'],
    ['PUT', '/.well-known/jwks.json', 'GET, HEAD'],
  ])('answers 405 with Allow for %s %s', async (method, path, allow) => {
    const answer = await service.call(path, undefined, { method, token: null });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(answer.json).toEqual({
      type: 'https://tools.ietf.org/html/rfc7231#section-6.5.5',
      title: 'Method Not Allowed',
      status: 405,
      traceId: expectTraceId,
    });
  });

  it.each(['/nothing', '/User/1/nothing', '/.well-known/xjwks.json', '/User//status', `/${'x'.repeat(5000)}`])(
    'that is unknown answers 404: %s',
    async (path) => {
      const answer = await service.call(path, {}, { token: null });
      expect(answer.status).toBe(404);
      expect(answer.json).toEqual({
        type: 'https://tools.ietf.org/html/rfc7231#section-6.5.4',
        title: 'Not Found',
        status: 404,
        traceId: expectTraceId,
      });
    },
  );

  it('that cannot be decoded answers 404; with an id, the token is checked first', async () => {
    const get = (path: string, options: CallOptions = {}) =>
      service.call(path, undefined, { method: 'GET', ...options });
    for (const path of ['/%', '/%ff%fe', '/User/%zz/status', '/User/%e0%a4/status']) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.json).toMatchObject({ status: 404, traceId: expectTraceId });
    }
    expect((await get('/User/%zz/status')).json).toEqual(refusal(404, 'Not Found', 'Unknown user.'));
    expect((await get('/User/%zz/status', { token: null })).status).toBe(401);
  });

  it('is decoded by segment: an escaped slash separates nothing', async () => {
    const id = await service.createUser();
    const get = (path: string) => service.call(path, undefined, { method: 'GET' });
    expect((await get(`/User/${id}/%73tatus`)).status).toBe(200);
    expect((await get(`/User/${id}%2Fstatus`)).status).toBe(405);
    expect((await get(`/User%2F${id}/status`)).status).toBe(404);
  });

  it('may have scheme and host, and then that host is used', async () => {
    const get = (address: string, host = 'x') => exchange(`GET ${address} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(await get('http://localhost/health/live')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get('HTTPS://api.example:8443/HEALTH/live/?a=http://b/c')).toMatch(/^HTTP\/1\.1 200 /);
    const statusLine = (answer: string) => answer.split('\r\n')[0];
    expect(statusLine(await get('http://localhost'))).toBe(statusLine(await get('/', 'localhost')));
    expect(await get('http://localhost/nothing')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await get('http:///health/live')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await get('http://localhost/sandbox/messages', 'evil.example')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get('http://evil.example/sandbox/messages', 'localhost')).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await service.call('/health/live', undefined, { method: 'HEAD', token: null });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

const logLineWith = (text: string) => until(() => service.logLines.find((line) => line.includes(text)));

describe('an error', () => {
  it('carries the caller’s trace id with a new span id, and the same id is in the log', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const answer = await verify('{}', { traceparent: `00-${trace}-b7ad6b7169203331-01` });
    expect(answer.json.traceId).toMatch(new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    const line = await logLineWith(trace);
    expect(JSON.parse(line)).toMatchObject({
      msg: 'request',
      operation: 'verify-phone',
      status: 400,
      traceId: answer.json.traceId,
    });
  });

  it.each([
    'x',
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
  ])('has a new trace id if the caller’s is invalid: %s', async (traceparent) => {
    const { traceId } = (await verify('{}', { traceparent })).json;
    expect(traceId).toEqual(expectTraceId);
    expect(traceId.toLowerCase()).not.toContain('0af7651916cd43dd8448eb211c80319c');
  });

  it('is also the answer to what is not HTTP, and its trace id is in the log', async () => {
    const answer = await exchange('NONSENSE\r\n\r\n', /\}/);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r[\s\S]*"status":400/);
    const traceId = /"traceId":"([^"]+)"/.exec(answer)![1]!;
    await logLineWith(traceId);
    expect(service.logLines.filter((line) => line.includes(traceId))).toHaveLength(1);
    const huge = await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`, /\}/);
    expect(huge).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r[\s\S]*"status":431/);
  });

  it('is not the answer to an unknown expectation', async () => {
    const answer = await exchange('GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is the answer to HTTP/1.1 without a Host; HTTP/1.0 needs none', async () => {
    const answer = await exchange('GET /health/live HTTP/1.1\r\n\r\n', /\}/);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r[\s\S]*"status":400,"traceId"/);
    expect(await exchange('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['1.1', '1.0'])('is the answer to two Host headers, in HTTP/%s', async (version) => {
    for (const hosts of ['Host: localhost\r\nHost: evil.example', 'HOST: localhost\r\nhost: localhost']) {
      const answer = await exchange(`GET /sandbox/messages HTTP/${version}\r\n${hosts}\r\n\r\n`, /\}/);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r/);
    }
  });
});

describe('every answer', () => {
  it('carries Request-Id, which is the trace id of a problem and of the log', async () => {
    const id = await service.createUser();
    const problem = await verify('{}');
    expect(problem.headers.get('request-id')).toBe(problem.json.traceId);
    const answers = [
      await service.call(`/User/${id}/status`, undefined, { method: 'GET' }),
      await service.call('/User', {}, { token: null }),
      await service.call('/nothing', undefined, { method: 'GET', token: null }),
      await service.call('/connect/token', undefined, { raw: 'x', token: null }),
      await service.call('/', undefined, { method: 'GET', token: null }),
    ];
    for (const { headers } of answers) {
      const requestId = headers.get('request-id');
      expect(requestId).toEqual(expectTraceId);
      expect(JSON.parse(await logLineWith(requestId!)).traceId).toBe(requestId);
    }
    const unreadable = await exchange('NONSENSE\r\n\r\n', /\}/);
    expect(/^Request-Id: (\S+)\r$/m.exec(unreadable)![1]).toBe(/"traceId":"([^"]+)"/.exec(unreadable)![1]);
  });

  it('is not kept by caches if it needs a token, and its type is not guessed', async () => {
    const id = await service.createUser();
    await service.record([row(id)]);
    const answers = [
      await service.list({ individualId: id }),
      await service.list({ individualId: 'x' }),
      await service.call(`/User/${id}/status`, undefined, { method: 'GET' }),
      await service.call('/events', undefined, { method: 'GET' }),
      await service.call('/app/export-transactions', { individualId: id }),
      await service.call('/webhook-endpoints', undefined, { method: 'GET' }),
    ];
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const path of ['/health/live', '/openapi.json', '/docs', '/']) {
      const answer = await service.call(path, undefined, { method: 'GET', token: null });
      expect([path, answer.headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    }
  });

  it('that is a 304 has no Content-Length', async () => {
    const page = await service.call('/', undefined, { method: 'GET', token: null });
    const answer = await exchange(
      `GET / HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${page.headers.get('etag')}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 304 /);
    expect(answer).not.toMatch(/^(content-length|transfer-encoding):/im);
  });
});

describe('CORS', () => {
  it('is off by default', async () => {
    const answer = await service.call('/User', {}, { headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('allows configured origins, with our own headers exposed', async () => {
    const open = await startService({ LEDGERLINE_CORS_ORIGINS: 'https://app.example' });
    try {
      const answer = await open.call('/User', {}, { headers: { origin: 'https://app.example' } });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(answer.headers.get('access-control-expose-headers')).toBe(
        'As-Of, Retry-After, Error-Reason, WWW-Authenticate, Code-Length, Code-Expires-In, Challenge, Location, Request-Id',
      );
      const preflight = await open.call('/User', undefined, {
        method: 'OPTIONS',
        token: null,
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
        204,
        'authorization,content-type',
      ]);
      const stranger = await open.call('/User', {}, { headers: { origin: 'https://evil.example' } });
      expect(stranger.headers.get('access-control-allow-origin')).not.toBe('https://evil.example');
    } finally {
      await open.stop();
    }
  });
});
