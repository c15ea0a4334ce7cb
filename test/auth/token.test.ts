import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { row, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function ask(form: Record<string, string> | string, headers: Record<string, string> = {}) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
  // oxlint-disable-next-line no-explicit-any -- tests read what they expect
  return { status: response.status, headers: response.headers, json: (await response.json()) as any };
}

const grant = { grant_type: 'client_credentials' };
const sandbox = { ...grant, client_id: 'sandbox', client_secret: 'sandbox' };
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

describe('the token endpoint', () => {
  it('issues an RFC 9068 access token for client_credentials, with the secret in the body or in Basic', async () => {
    for (const answer of [await ask(sandbox), await ask(grant, basic('sandbox', 'sandbox'))]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.json).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 86_400,
        scope: 'users phone transactions:read transactions:write events:read events:write operator:read operator:write',
      });
      expect(decodeProtectedHeader(answer.json.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'RS256' });
      expect(decodeJwt(answer.json.access_token)).toMatchObject({
        iss: service.url,
        aud: 'ledgerline',
        client_id: 'sandbox',
        sub: 'sandbox',
      });
    }
  });

  it('grants the requested scopes', async () => {
    const { json } = await ask({ ...sandbox, scope: 'phone users' });
    expect(json.scope).toBe('phone users');
    expect(decodeJwt(json.access_token).scope).toBe('phone users');
  });

  it('binds a token to a user, with at most phone and transactions:read', async () => {
    const { json } = await ask({ ...sandbox, user_id: '42' });
    expect(json.scope).toBe('phone transactions:read');
    expect(decodeJwt(json.access_token)).toMatchObject({ user_id: 42, sub: '42' });
    expect((await ask({ ...sandbox, user_id: '42', scope: 'users phone operator:write' })).json.scope).toBe('phone');
  });

  it.each([
    ['a wrong secret', { ...sandbox, client_secret: 'x' }, 401, 'invalid_client'],
    ['an unknown client', { ...sandbox, client_id: 'x' }, 401, 'invalid_client'],
    ['no client', grant, 401, 'invalid_client'],
    ['no grant', { client_id: 'sandbox', client_secret: 'sandbox' }, 400, 'invalid_request'],
    ['another grant', { ...sandbox, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['an unknown scope', { ...sandbox, scope: 'phone admin' }, 400, 'invalid_scope'],
    ['a user_id that is none', { ...sandbox, user_id: '0' }, 400, 'invalid_request'],
    ['an empty user_id', { ...sandbox, user_id: '' }, 400, 'invalid_request'],
    ['a blank user_id', { ...sandbox, user_id: ' ' }, 400, 'invalid_request'],
    ['a user_id out of range', { ...sandbox, user_id: '2147483648' }, 400, 'invalid_request'],
    [
      'a repeated parameter',
      'grant_type=client_credentials&grant_type=client_credentials&client_id=sandbox&client_secret=sandbox',
      400,
      'invalid_request',
    ],
    ['an empty body', '', 400, 'invalid_request'],
  ])('refuses %s as RFC 6749 says', async (_, form, status, error) => {
    const answer = await ask(form);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error, error_description: expect.any(String) });
    expect(answer.headers.get('content-type')).toContain('application/json');
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('logs each request that it refuses, also one that it cannot read', async () => {
    const logged = () => service.logLines.filter((line) => line.includes('"msg":"token-refused"'));
    const before = logged().length;
    await ask({ ...sandbox, client_secret: 'x' });
    await ask('');
    await ask(grant, { authorization: 'Basic !!' });
    await expect.poll(() => logged().length - before).toBe(3);
  });

  it('refuses another media type, a broken Basic header, and two secrets', async () => {
    expect((await ask('{}', { 'content-type': 'application/json' })).json.error).toBe('invalid_request');
    expect((await ask(grant, { authorization: 'Basic !!' })).json.error).toBe('invalid_client');
    expect((await ask(grant, { authorization: 'Bearer x' })).json.error).toBe('invalid_client');
    expect((await ask(sandbox, basic('sandbox', 'sandbox'))).json.error).toBe('invalid_request');
  });

  it('answers in the form of RFC 6749 also for a body that is too large and for another method', async () => {
    const large = await ask({ ...sandbox, pad: 'x'.repeat(1024 * 1024) });
    const got = await service.call('/connect/token', undefined, { method: 'GET', token: null });
    expect([large.status, got.status, got.headers.get('allow')]).toEqual([413, 405, 'POST']);
    for (const { json, headers } of [large, got]) {
      expect(json).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('refuses a user_id in the query, where it would bind nothing', async () => {
    const response = await fetch(`${service.url}/connect/token?user_id=42`, {
      method: 'POST',
      body: new URLSearchParams(sandbox),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  it('gives a client that must bind users no unbound token', async () => {
    const configured = await serviceForTest({
      LEDGERLINE_CLIENTS: JSON.stringify([
        {
          id: 'app-back-end',
          secretSha256: '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b',
          scopes: ['phone', 'users'],
          mustBindUsers: true,
        },
      ]),
    });
    const asked = async (more: Record<string, string>) => {
      const form = { ...grant, client_id: 'app-back-end', client_secret: 'secret', ...more };
      const response = await fetch(`${configured.url}/connect/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    for (const more of [{}, { user_id: '' }, { scope: 'phone' }]) {
      expect(await asked(more)).toMatchObject({ error: 'invalid_request' });
    }
    expect(await asked({ user_id: '7' })).toMatchObject({ scope: 'phone' });
  });

  it('reads clients from the configuration, each with its own rights', async () => {
    const configured = await serviceForTest({
      LEDGERLINE_CLIENTS: JSON.stringify([
        {
          id: 'reader',
          secretSha256: '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b',
          scopes: ['phone'],
        },
      ]),
      LEDGERLINE_TOKEN_SECONDS: '120',
    });
    const form = { ...grant, client_id: 'reader', client_secret: 'secret' };
    const asked = async (more: Record<string, string>) => {
      const response = await fetch(`${configured.url}/connect/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...form, ...more }),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    expect(await asked({})).toMatchObject({ scope: 'phone', expires_in: 120 });
    expect(await asked({ scope: 'users' })).toMatchObject({ error: 'invalid_scope' });
    expect(await asked({ user_id: '1' })).toMatchObject({ error: 'unauthorized_client' });
    // A malformed user_id is an error of its own, also for a client that may not bind users.
    expect(await asked({ user_id: '' })).toMatchObject({ error: 'invalid_request' });
    expect(await asked({ user_id: 'x' })).toMatchObject({ error: 'invalid_request' });
    expect(await asked({ client_id: 'sandbox', client_secret: 'sandbox' })).toMatchObject({ error: 'invalid_client' });
  });
});

describe('the issuer’s documents', () => {
  it('publish the public keys of the tokens, and no private part', async () => {
    const jwks = (await service.call('/.well-known/jwks.json', undefined, { method: 'GET', token: null })).json;
    expect(jwks.keys).toEqual([
      { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: expect.any(String), alg: 'RS256', use: 'sig' },
    ]);
    expect(decodeProtectedHeader(await service.token()).kid).toBe(jwks.keys[0].kid);
    const discovery = (
      await service.call('/.well-known/openid-configuration', undefined, { method: 'GET', token: null })
    ).json;
    expect(discovery).toMatchObject({
      issuer: service.url,
      jwks_uri: `${service.url}/.well-known/jwks.json`,
      token_endpoint: `${service.url}/connect/token`,
    });
  });
});

describe('scopes', () => {
  it.each([
    ['POST', '/User', 'users'],
    ['POST', '/User/phone-number/send-code', 'phone'],
    ['POST', '/User/phone-number/verify', 'phone'],
    ['POST', '/User/1/phone-number/resend-code', 'phone'],
    ['DELETE', '/User/1/phone-number', 'users'],
    ['POST', '/app/get-all-transactions', 'transactions:read'],
    ['POST', '/app/get-transaction', 'transactions:read'],
    ['POST', '/app/record-transactions', 'transactions:write'],
  ])('%s %s needs %s, and says so before it looks at the body', async (method, path, scope) => {
    const others =
      'users phone transactions:read transactions:write events:read events:write operator:read operator:write'
        .split(' ')
        .filter((name) => name !== scope);
    const token = await service.token(others.join(' '));
    const answer = await service.call(path, undefined, { method, token, ...(method === 'POST' && { raw: '{broken' }) });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    expect(answer.json.errors).toEqual({ Error: [`The token lacks the scope ${scope}.`] });
  });
});

describe('a token bound to one user', () => {
  it('may name only that id, which is checked after validation', async () => {
    const [mine, theirs] = [await service.createUser(), await service.createUser()];
    await service.record([row(mine), row(theirs)]);
    const token = await service.token('', mine);
    const call = async (path: string, body: unknown, method = 'POST') =>
      (await service.call(path, body, { token, method })).status;
    const list = (individualId: unknown) => call('/app/get-all-transactions', { individualId, dataBatch: 1 });
    expect(await list(mine)).toBe(200);
    expect(await list(theirs)).toBe(403);
    expect(await list(0)).toBe(400);
    expect(await call('/User/phone-number/send-code', { id: theirs, phoneNumber: '+447911123456' })).toBe(403);
    expect(await call('/User/phone-number/send-code', { id: theirs, phoneNumber: 'x' })).toBe(400);
    expect(await call('/User/phone-number/verify', { id: theirs, code: '1' })).toBe(403);
    expect(await call(`/User/${theirs}/phone-number/resend-code`, undefined)).toBe(403);
    expect(await call(`/User/${mine}/status`, undefined, 'GET')).toBe(200);
    expect(await call(`/User/${theirs}/status`, undefined, 'GET')).toBe(403);
    expect(await call('/User/abc/status', undefined, 'GET')).toBe(404);
    expect(await call('/User', {})).toBe(403);
  });
});

it('expires by the service’s clock', async () => {
  const own = await serviceForTest();
  const token = await own.token();
  expect((await own.call('/User', {}, { token })).status).toBe(201);
  await own.advance(86_390);
  expect((await own.call('/User', {}, { token })).status).toBe(201);
  await own.advance(11);
  const expired = await own.call('/User', {}, { token });
  expect([expired.status, expired.text]).toEqual([401, '']);
  expect(expired.headers.get('www-authenticate')).toBe(
    'Bearer error="invalid_token", error_description="the token has expired"',
  );
});
