/** Signing in to the console at an identity provider that others wrote: authorization code with PKCE. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import { asProduction } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, openPage } from '../harness/browser/page.ts';
import { startService, type Service } from '../harness/service.ts';

const audience = 'https://ledgerline.example.com';
const scopes = 'operator:read operator:write events:write';
const operator = 'ops@bank.example';

let server: Server;
let issuer: string;
let service: Service;
/** Requests to the provider's token endpoint. */
let exchanges = 0;

async function startProvider(consoleUrl: string): Promise<void> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [consoleUrl],
        post_logout_redirect_uris: [consoleUrl],
      },
    ],
    scopes: ['openid', ...scopes.split(' ')],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    pkce: { required: () => true },
    clientBasedCORS: () => true,
    cookies: { keys: ['test'] },
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope(`openid ${scopes}`);
      grant.addResourceScope(audience, scopes);
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      // The provider's own page would load a font from elsewhere.
      rpInitiatedLogout: { enabled: true, logoutSource: (context, form) => void (context.body = form) },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: scopes, audience, accessTokenFormat: 'jwt' as const }),
      },
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/token' && request.method === 'POST') exchanges += 1;
    // The person is known to the provider already.
    if (!request.url!.startsWith('/interaction/')) return answer(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: operator } });
  });
}

beforeAll(async () => {
  const port = await freePort('127.0.0.1');
  await startProvider(`http://127.0.0.1:${port}/console`);
  service = await startService({
    PORT: String(port),
    LEDGERLINE_ISSUER: issuer,
    LEDGERLINE_AUDIENCE: audience,
    LEDGERLINE_CONSOLE_CLIENT_ID: 'console',
  });
});

afterAll(async () => {
  await service.stop();
  server.closeAllConnections();
  server.close();
});

const openConsole = (view: string) =>
  openPage(`${service.url}/console${view}`, { allowed: issuer, expected: /status of 404/, prepare: asProduction });

const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with your account' });

it('comes back to the view, under the person’s name, and leaves no token behind', async () => {
  const page = await openConsole('#audit');
  await signInButton(page).waitFor();
  await expectAccessible(page, { alsoDark: true });
  await expectNarrow(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await signInButton(page).click();
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  await page.getByText(operator).waitFor();
  expect(page.url()).toBe(`${service.url}/console#audit`);
  expect(await page.getByText('Read only').count()).toBe(0);
  const kept = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
  expect(kept).toBe('[{},{}]');
  expect(exchanges).toBe(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${issuer}/session/end**`);
});

it('refuses an answer that it did not ask for, without using its code, and each ID token that is not for it; then takes its own', async () => {
  const before = exchanges;
  const page = await openConsole('?code=stolen&state=forged');
  const refusal = page.getByRole('alert').getByText('does not belong to this page');
  await refusal.waitFor();
  expect(page.url()).toBe(`${service.url}/console`);
  expect(exchanges).toBe(before);
  for (const other of [
    { nonce: 'another' },
    { iss: 'https://issuer.example.com' },
    { aud: 'wallet' },
    { exp: 1_700_000_000 },
    { sub: undefined },
  ]) {
    await page.route(`${issuer}/token`, (route) => answerWith(route, other), { times: 1 });
    await Promise.all([page.waitForResponse(`${issuer}/token`), signInButton(page).click()]);
    await expect.poll(() => refusal.count(), { message: JSON.stringify(other) }).toBe(1);
    await page.getByLabel('Access token').waitFor();
  }
  expect(exchanges).toBe(before + 5);
  await signInButton(page).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

/** The provider's answer, in whose ID token some claims are others. */
async function answerWith(route: Route, claims: Record<string, unknown>): Promise<void> {
  const response = await route.fetch();
  const body = (await response.json()) as { id_token: string };
  const [head, payload, signature] = body.id_token.split('.');
  const own = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, unknown>;
  const changed = Buffer.from(JSON.stringify({ ...own, ...claims })).toString('base64url');
  await route.fulfill({ response, json: { ...body, id_token: [head, changed, signature].join('.') } });
}

it('allows requests to the service and the provider alone', async () => {
  const { headers } = await fetch(`${service.url}/console`);
  expect(headers.get('content-security-policy')).toContain(`connect-src 'self' ${issuer};`);
  const wallet = await fetch(`${service.url}/wallet`);
  expect(wallet.headers.get('content-security-policy')).toContain("connect-src 'self';");
});
