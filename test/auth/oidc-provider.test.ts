/** Tokens of a provider that others wrote: discovery, keys, audience, scopes, and the claim that binds a user. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientCredentials, createClient, LedgerlineError } from '../../client/index.ts';
import { startService, type Service } from '../harness/service.ts';

const userClaim = 'https://wallet.example.com/user_id';
const audience = 'https://ledgerline.example.com';
const scopes = 'users phone transactions:read';

let server: Server;
let issuer: string;
let service: Service;
/** The claims that the provider adds, by client. */
const claims = new Map<string, Record<string, unknown>>();

async function startProvider(): Promise<void> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: ['back-end', 'app', 'broken'].map((client_id) => ({
      client_id,
      client_secret: 'secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: scopes,
    })),
    scopes: scopes.split(' '),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({ scope: scopes, audience, accessTokenFormat: 'jwt' as const }),
      },
    },
    extraTokenClaims: (_, token) => claims.get(String(token.clientId)),
  });
  server.on('request', provider.callback());
}

beforeAll(async () => {
  await startProvider();
  service = await startService({
    LEDGERLINE_ISSUER: issuer,
    LEDGERLINE_AUDIENCE: audience,
    LEDGERLINE_USER_CLAIM: userClaim,
  });
});

afterAll(async () => {
  await service.stop();
  server.closeAllConnections();
  server.close();
});

const clientOf = (clientId: string) =>
  createClient({
    baseUrl: service.url,
    token: clientCredentials({ tokenUrl: `${issuer}/token`, clientId, clientSecret: 'secret', scope: scopes }),
  });

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as LedgerlineError,
  );

describe('a token of an external provider', () => {
  it('without the claim may name every user', async () => {
    const { id } = await clientOf('back-end').createUser();
    expect(await clientOf('back-end').userStatus(id)).toMatchObject({
      isPhoneNumberVerified: false,
      phoneNumber: null,
    });
  });

  it.each([
    ['a number', (id: number) => id],
    ['text', (id: number) => String(id)],
  ])('with the claim as %s may name that user and no other', async (_, write) => {
    const { id } = await clientOf('back-end').createUser();
    claims.set('app', { [userClaim]: write(id) });
    expect(await clientOf('app').userStatus(id)).toBeDefined();
    expect(await failure(clientOf('app').userStatus(id + 1))).toMatchObject({ status: 403, reason: 'not-this-user' });
  });

  it('with a claim that names no user is refused', async () => {
    claims.set('broken', { [userClaim]: 'ada' });
    expect(await failure(clientOf('broken').createUser())).toMatchObject({ status: 401, reason: 'invalid-token' });
  });
});

it('a wrong secret is reported in the words of the provider', async () => {
  const token = clientCredentials({ tokenUrl: `${issuer}/token`, clientId: 'app', clientSecret: 'wrong' });
  const error = await failure(createClient({ baseUrl: service.url, token }).userStatus(1));
  expect(error).toBeInstanceOf(LedgerlineError);
  expect(error).toMatchObject({ kind: 'unauthorized', status: 401 });
});
