import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** An issuer as anybody might run one; what it publishes can be changed while it runs. */
class Issuer {
  keys: JWK[] = [];
  reads = 0;
  status = 200;
  /** Holds back the keys until it is resolved. */
  gate: Promise<void> = Promise.resolve();
  #server!: Server;
  url = '';

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      if (request.url === '/.well-known/openid-configuration') {
        response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }));
      } else if (request.url === '/moved') {
        response.writeHead(302, { location: `${this.url}/keys` }).end();
      } else {
        this.reads += 1;
        void this.gate.then(() => response.writeHead(this.status).end(JSON.stringify({ keys: this.keys })));
      }
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const issuer = new Issuer();
let service: Service;
let pair: KeyPair;
let elliptic: KeyPair;

async function publish(kid: string, alg: string, { publicKey }: KeyPair): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
}

interface TokenOptions {
  kid?: string;
  alg?: string;
  key?: KeyPair['privateKey'] | Uint8Array;
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  exp?: number;
}

const now = () => Math.floor(Date.now() / 1000);

function mint({
  kid = 'one',
  alg = 'RS256',
  key = pair.privateKey,
  claims = {},
  header = {},
  exp = now() + 600,
}: TokenOptions = {}): Promise<string> {
  return new SignJWT({
    iss: issuer.url,
    aud: 'ledgerline',
    sub: 'client',
    scope: 'users phone',
    iat: now(),
    exp,
    ...claims,
  })
    .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
    .sign(key);
}

/** A body that would be refused with 400: a 401 shows that it was not looked at. */
async function callWith(token: string, to = service): Promise<number> {
  const answer = await to.call('/User', undefined, { token, raw: '{broken' });
  if (answer.status === 401) {
    expect(answer.text).toBe('');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  }
  return answer.status;
}

beforeAll(async () => {
  await issuer.start();
  pair = await generateKeyPair('RS256');
  elliptic = await generateKeyPair('ES256');
  issuer.keys = [await publish('one', 'RS256', pair), await publish('two', 'ES256', elliptic)];
  service = await startService({
    LEDGERLINE_ISSUER: issuer.url,
    LEDGERLINE_JWKS_REFRESH_SECONDS: String(refreshSeconds),
  });
});
afterAll(async () => {
  await service.stop();
  issuer.stop();
});

/** Keys are read again after this time; because of an unknown key after a tenth of it. */
const refreshSeconds = 2;
const cooldownSeconds = refreshSeconds / 10;

describe('a token of an external issuer', () => {
  it('is accepted by its JWKS, with every allowed algorithm', async () => {
    expect(await callWith(await mint())).toBe(400);
    expect(await callWith(await mint({ kid: 'two', alg: 'ES256', key: elliptic.privateKey }))).toBe(400);
    expect(await callWith(await mint({ claims: { aud: ['other', 'ledgerline'] } }))).toBe(400);
    expect(await callWith(await mint({ claims: { scope: undefined, scp: ['users'] } }))).toBe(400);
    expect(await callWith(await mint({ header: { typ: 'JWT' } }))).toBe(400);
  });

  it('may be off by the clock skew, but no more', async () => {
    expect(await callWith(await mint({ exp: now() - 50 }))).toBe(400);
    expect(await callWith(await mint({ exp: now() - 70 }))).toBe(401);
    expect(await callWith(await mint({ claims: { nbf: now() + 50 } }))).toBe(400);
  });

  const bad: [string, () => Promise<string> | string][] = [
    [
      'alg none',
      () =>
        new UnsecuredJWT({ scope: 'users' })
          .setIssuer(issuer.url)
          .setAudience('ledgerline')
          .setExpirationTime('1h')
          .encode(),
    ],
    [
      'HS256 with the public key',
      async () => mint({ alg: 'HS256', key: new TextEncoder().encode(await exportSPKI(pair.publicKey)) }),
    ],
    ['another issuer', () => mint({ claims: { iss: 'https://evil.example' } })],
    ['another audience', () => mint({ claims: { aud: 'other' } })],
    ['no audience', () => mint({ claims: { aud: undefined } })],
    ['an expiry that has passed', () => mint({ exp: now() - 3600 })],
    ['no expiry', () => mint({ claims: { exp: undefined } })],
    ['a start that is to come', () => mint({ claims: { nbf: now() + 3600 } })],
    ['another key under a known kid', async () => mint({ key: (await generateKeyPair('RS256')).privateKey })],
    ['an unknown kid', () => mint({ kid: 'three' })],
    ['an algorithm that is not its key’s', () => mint({ kid: 'two', alg: 'RS256' })],
    [
      'a key of its own in the header',
      async () => mint({ kid: 'x', header: { jwk: await exportJWK(pair.publicKey), jku: `${issuer.url}/keys` } }),
    ],
    ['the type of an ID token', () => mint({ header: { typ: 'JWT' }, claims: { nonce: 'n' } })],
    ['another type', () => mint({ header: { typ: 'dpop+jwt' } })],
    ['a user claim that names nobody', () => mint({ claims: { user_id: 'x' } })],
    ['a user claim that is null', () => mint({ claims: { user_id: null } })],
    ['a user claim that is empty', () => mint({ claims: { user_id: '' } })],
    ['a user claim in a list', () => mint({ claims: { user_id: [1] } })],
    ['a user claim that is an object', () => mint({ claims: { user_id: { id: 1 } } })],
    ['a user claim that is true', () => mint({ claims: { user_id: true } })],
    ['a type that is a number', () => mint({ header: { typ: 5 } })],
    ['a subject that is an object', () => mint({ claims: { sub: {} } })],
    ['a subject that is a list', () => mint({ claims: { sub: [] } })],
    ['a subject that PostgreSQL cannot store', () => mint({ claims: { sub: 'a\u0000b' } })],
    ['a client that PostgreSQL cannot store', () => mint({ claims: { client_id: 'a\u0000b' } })],
    ['a subject with half of a character', () => mint({ claims: { sub: 'a\ud83d' } })],
    ['nothing but noise', () => 'noise'],
    ['three dots', () => '...'],
    ['a flipped signature', async () => (await mint()).replace(/.{4}$/, 'AAAA')],
  ];
  it.each(bad)('is refused with 401, before the body is read, for %s', async (_, make) => {
    expect(await callWith(await make())).toBe(401);
  });

  it('is bound to a user by its claim, as a number or a string', async () => {
    for (const user_id of [7, '7']) {
      const token = await mint({ claims: { user_id } });
      expect((await service.call('/User/8/status', undefined, { method: 'GET', token })).status).toBe(403);
      expect((await service.call('/User/7/status', undefined, { method: 'GET', token })).status).toBe(404);
    }
  });

  it('follows a rotation: the new key works at once, the old one no longer, also for remembered tokens', async () => {
    const old = await mint();
    expect(await callWith(old)).toBe(400);
    const next = await generateKeyPair('RS256');
    issuer.keys = [await publish('next', 'RS256', next)];
    await vi.waitFor(async () => expect(await callWith(await mint({ kid: 'next', key: next.privateKey }))).toBe(400), {
      timeout: 5000,
    });
    expect(await callWith(old)).toBe(401);
    pair = next;
    issuer.keys = [await publish('one', 'RS256', next)];
    await vi.waitFor(async () => expect(await callWith(await mint())).toBe(400), { timeout: 5000 });
  });

  it('forgets a remembered token when its key leaves, with no other token coming in', async () => {
    const token = await mint();
    expect(await callWith(token)).toBe(400);
    const kept = issuer.keys;
    issuer.keys = [];
    await vi.waitFor(async () => expect(await callWith(token)).toBe(401), { timeout: 5000 });
    issuer.keys = kept;
    await vi.waitFor(async () => expect(await callWith(token)).toBe(400), { timeout: 5000 });
  });

  it('without a kid is accepted by the only key that fits, next to one that cannot be read', async () => {
    const kept = issuer.keys;
    const next = await generateKeyPair('RS256');
    const { kid: _, ...key } = await publish('next', 'RS256', next);
    // Some issuers write members without a value as null.
    issuer.keys = [{ kty: 'RSA', alg: 'RS256' }, { ...key, use: null } as unknown as JWK];
    const token = await mint({ key: next.privateKey, header: { kid: undefined } });
    await vi.waitFor(async () => expect(await callWith(token)).toBe(400), { timeout: 5000 });
    issuer.keys = kept;
    await vi.waitFor(async () => expect(await callWith(await mint())).toBe(400), { timeout: 5000 });
  });

  it('gives 503 with Retry-After while the keys cannot be read, and is accepted once they can', async () => {
    // The service reads the keys when it starts.
    issuer.status = 500;
    const own = await startService({
      LEDGERLINE_ISSUER: issuer.url,
      LEDGERLINE_JWKS_REFRESH_SECONDS: '10',
    });
    try {
      const answer = await own.call('/User', {}, { token: await mint() });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      issuer.status = 200;
      await vi.waitFor(async () => expect(await callWith(await mint(), own)).toBe(400), { timeout: 30_000 });
    } finally {
      issuer.status = 200;
      await own.stop();
    }
  });

  it('with an unknown key gives 503 with Retry-After while the keys cannot be read again, and 401 once they can', async () => {
    const own = await startService({
      LEDGERLINE_ISSUER: issuer.url,
      LEDGERLINE_JWKS_REFRESH_SECONDS: '10',
    });
    const unknown = await mint({ kid: 'unknown' });
    const several = () => Promise.all(Array.from({ length: 20 }, () => callWith(unknown, own)));
    try {
      expect(await callWith(await mint(), own)).toBe(400);
      expect(await callWith(unknown, own)).toBe(401);
      issuer.status = 500;
      await vi.waitFor(async () => expect(await callWith(unknown, own)).toBe(503), { timeout: 5000 });
      expect(await several()).toEqual(Array(20).fill(503));
      const answer = await own.call('/User', {}, { token: unknown });
      expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, 5]);
      expect(await callWith(await mint(), own)).toBe(400);
      issuer.status = 200;
      await vi.waitFor(async () => expect(await callWith(unknown, own)).toBe(401), { timeout: 5000 });
      expect(await several()).toEqual(Array(20).fill(401));
    } finally {
      issuer.status = 200;
      await own.stop();
    }
  });

  it('waits for a read of the keys that is in progress', async () => {
    const own = await startService({
      LEDGERLINE_ISSUER: issuer.url,
      LEDGERLINE_JWKS_REFRESH_SECONDS: '10',
    });
    const kept = issuer.keys;
    try {
      expect(await callWith(await mint(), own)).toBe(400);
      const next = await generateKeyPair('RS256');
      issuer.keys = [...kept, await publish('next', 'RS256', next)];
      const tokens = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          mint({ kid: 'next', key: next.privateKey, claims: { jti: String(index) } }),
        ),
      );
      let open = () => {};
      issuer.gate = new Promise((resolve) => (open = resolve));
      const before = issuer.reads;
      // Until the cool-down since the first read is over, an unknown key is refused without a further read.
      const first = until(async () => (await callWith(tokens[0]!, own)) !== 401);
      await until(() => issuer.reads > before);
      const answers = tokens.map((token) => callWith(token, own));
      open();
      expect(await Promise.all(answers)).toEqual(Array(20).fill(400));
      await first;
    } finally {
      issuer.gate = Promise.resolve();
      issuer.keys = kept;
      await own.stop();
    }
  });

  // After tests that took longer than a cool-down without a request to this service, so that it need not wait for one.
  it('with an unknown key does not cause repeated reads of the keys', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, index) => mint({ kid: `unknown-${index}` })));
    const before = { reads: issuer.reads, at: performance.now() };
    // Within a cool-down no key is read.
    while (issuer.reads === before.reads) {
      expect(await Promise.all(tokens.map((token) => callWith(token)))).toEqual(Array(50).fill(401));
    }
    // One at once, one after each pause, and perhaps one that was due.
    const pauses = Math.floor((performance.now() - before.at) / 1000 / cooldownSeconds);
    expect(issuer.reads - before.reads).toBeLessThanOrEqual(2 + pauses);
  });

  it('never follows a redirect to the keys', async () => {
    const own = await startService({ LEDGERLINE_ISSUER: issuer.url, LEDGERLINE_JWKS_URL: `${issuer.url}/moved` });
    expect((await own.call('/User', {}, { token: await mint() })).status).toBe(503);
    await own.stop();
  });

  it('leaves the service without a token endpoint of its own', async () => {
    expect((await service.call('/connect/token', {}, { token: null })).status).toBe(404);
  });
});

it('a missing token is answered with an empty 401', async () => {
  for (const headers of [{}, { authorization: 'Basic eDp5' }] as Record<string, string>[]) {
    const answer = await service.call('/User', undefined, { token: null, headers, raw: '{broken' });
    expect([answer.status, answer.text, answer.headers.get('www-authenticate')]).toEqual([401, '', 'Bearer']);
  }
  const malformed = await service.call('/User', {}, { token: null, headers: { authorization: 'Bearer a b' } });
  expect(malformed.headers.get('www-authenticate')).toMatch(/invalid_token/);
});

it('a bound token works for operations of operators only about its user', async () => {
  const token = await mint({ claims: { scope: 'operator:read operator:write', user_id: 1 } });
  const call = async (method: string, path: string, body?: unknown) =>
    (await service.call(path, body, { method, token })).status;
  expect([
    await call('GET', '/operator/overview'),
    await call('GET', '/operator/guard/blocks'),
    await call('GET', '/operator/actions'),
    await call('POST', '/operator/guard/lift', { userId: 8 }),
    await call('POST', '/operator/guard/mode', { rule: 'user-failures', mode: 'off' }),
    await call('POST', '/operator/find-users', { phoneNumber: '+447911123456' }),
    await call('GET', '/operator/users/2/trail'),
  ]).toEqual(Array(7).fill(403));
});
