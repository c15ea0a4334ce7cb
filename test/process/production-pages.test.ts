/** The pages in production: tokens of somebody else's issuer, and a person in the audit. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { makeDigestKey } from '../../src/auth/keys.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { confirm } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, expectRenderedText, openPage, tableCells } from '../harness/browser/page.ts';
import { newPhone, serviceForTest, wrongCode, type Service } from '../harness/service.ts';

async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const published: { keys: JWK[] } = {
    keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }],
  };
  let url = '';
  const server = createServer(({ url: pathname }, response) => {
    const discovery = { issuer: url, jwks_uri: `${url}/keys` };
    response.end(JSON.stringify(pathname === '/keys' ? published : discovery));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = () => Math.floor(Date.now() / 1000);
  return {
    url,
    published,
    mint: (sub: string, scope: string, expiresIn = 600) =>
      new SignJWT({ scope, client_id: 'bank-desk' })
        .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience('ledgerline')
        .setSubject(sub)
        .setIssuedAt()
        .setExpirationTime(now() + expiresIn)
        .sign(privateKey),
  };
}

async function startProduction(settings: Record<string, string>) {
  const issuer = await startIssuer();
  const gateway = await gatewayServer(({ form }) => ({ status: 201, body: { sid: `SM${form.To}`, status: 'queued' } }));
  const service = await serviceForTest({
    MODE: 'production',
    HOST: '127.0.0.1',
    LEDGERLINE_DRAIN_SECONDS: '0',
    LEDGERLINE_ISSUER: issuer.url,
    LEDGERLINE_JWKS_REFRESH_SECONDS: '1',
    LEDGERLINE_DIGEST_KEY: makeDigestKey(),
    // The tests' numbers are Guernsey's.
    LEDGERLINE_COUNTRIES: 'GB,GG',
    LEDGERLINE_GATEWAYS: 'twilio',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'hunter2',
    LEDGERLINE_GATEWAY_URLS: `twilio=${gateway.url}`,
    ...settings,
  });
  return { service, issuer, gateway };
}

const get = ({ url }: { url: string }, pathname: string, method = 'GET') =>
  fetch(url + pathname, { method, headers: { 'accept-encoding': 'br' } });

const ofTheSandbox = [
  ['GET', '/'],
  ['GET', '/sandbox/messages'],
  ['POST', '/sandbox/clock'],
  ['DELETE', '/sandbox/data'],
  ['POST', '/connect/token'],
] as const;

/** What a page's HTML asks for. */
const filesIn = (html: string) => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);

it('production serves no page unless LEDGERLINE_PAGES names it', async () => {
  const { service } = await startProduction({});
  const sandbox = await serviceForTest();
  // The reference is served in every mode, with what it loads.
  const ofReference = filesIn(await (await get(sandbox, '/docs')).text());
  const files = filesIn(await (await get(sandbox, '/console')).text()).filter((file) => !ofReference.includes(file));
  expect(files).not.toEqual([]);
  const paths = [...ofTheSandbox, ...['/wallet', '/console', ...files].map((pathname) => ['GET', pathname] as const)];
  for (const [method, pathname] of paths) {
    expect([pathname, (await get(service, pathname, method)).status]).toEqual([pathname, 404]);
  }
  expect((await get(service, '/health/ready')).status).toBe(200);
});

it('production serves the pages of LEDGERLINE_PAGES, under the sandbox’s policy, and nothing of the sandbox', async () => {
  const { service, issuer } = await startProduction({ LEDGERLINE_PAGES: 'console' });
  const sandbox = await serviceForTest();
  for (const [method, pathname] of [...ofTheSandbox, ['GET', '/wallet'] as const]) {
    expect([pathname, (await get(service, pathname, method)).status]).toEqual([pathname, 404]);
  }
  const [page, same] = await Promise.all([get(service, '/console'), get(sandbox, '/console')]);
  const html = await page.text();
  expect(html).toContain('data-mode="production"');
  const asSandbox = html.replace('data-mode="production"', 'data-mode="sandbox"').replaceAll(service.url, sandbox.url);
  expect(asSandbox).toBe(await same.text());
  const kept = (headers: Headers) =>
    Object.fromEntries(
      [...headers].filter(([name]) => !['date', 'etag', 'content-length', 'traceparent', 'request-id'].includes(name)),
    );
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect(kept(page.headers)).toEqual(kept(same.headers));
  for (const file of filesIn(html)) {
    const [one, other] = await Promise.all([get(service, file), get(sandbox, file)]);
    expect([file, one.status, await one.text()]).toEqual([file, 200, await other.text()]);
    expect(one.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(kept(one.headers)).toEqual(kept(other.headers));
  }
  for (const file of filesIn(await (await get(sandbox, '/')).text()).filter((name) => !html.includes(name))) {
    expect([file, (await get(service, file)).status]).toEqual([file, 404]);
  }
  // Nor is anybody there to be shown.
  const token = await issuer.mint('ada', 'users');
  expect((await service.call('/User/1/status', undefined, { method: 'GET', token })).status).toBe(404);
});

/** Somebody whose code failed until they were blocked. */
async function failedCustomer(service: Service, token: string, phoneNumber: string, codeOf: () => string) {
  const id: number = (await service.call('/User', {}, { token })).json.id;
  expect((await service.call('/User/phone-number/send-code', { id, phoneNumber }, { token })).status).toBe(204);
  const code = wrongCode(codeOf());
  for (let attempt = 0; attempt < 11; attempt += 1) {
    await service.call('/User/phone-number/verify', { id, code }, { token });
  }
  return id;
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
}

it('an operator signs in to production’s console by a token of their own issuer, and is named in the audit', async () => {
  const { service, issuer, gateway } = await startProduction({ LEDGERLINE_PAGES: 'console' });
  const backend = await issuer.mint('backend', 'users phone');
  const phoneNumber = newPhone();
  const codeIn = () => /\b\d{6}\b/.exec(gateway.received.at(-1)!.form.Body!)![0];
  const id = await failedCustomer(service, backend, phoneNumber, codeIn);

  const page = await openPage(`${service.url}/console`, { expected: /status of (401|403)/ });
  await expectRenderedText(page, 'Sign in');
  await expectAccessible(page, { alsoDark: true });
  // Neither noise nor what has expired nor a back end's token opens it.
  for (const bad of ['noise', await issuer.mint('ada@bank.example', 'operator:read', -600)]) {
    await signIn(page, bad);
    await page.getByRole('alert').getByText('That token was refused').waitFor();
  }
  await expectAccessible(page);
  await signIn(page, backend);
  await page.getByRole('alert').getByText('reading needs the scope operator:read').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();

  // Who may look may not change.
  await signIn(page, await issuer.mint('ben@bank.example', 'operator:read'));
  await page.getByText('ben@bank.example').waitFor();
  await page.locator('.tile-figure').first().waitFor();
  expect(await page.locator('.tile-figure').first().innerText()).toBe('1');
  await page.getByRole('link', { name: 'Safe list' }).click();
  expect(await page.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Sign out' }).click();

  await signIn(page, await issuer.mint('ada@bank.example', 'operator:read operator:write'));
  await page.getByRole('link', { name: 'Customer' }).click();
  await page.getByLabel('User id, phone number or e-mail').fill(phoneNumber);
  await page.keyboard.press('Enter');
  await page.getByText('Not verified: they were blocked after too many failures.').waitFor();
  await page.getByRole('button', { name: 'Reveal number' }).click();
  await page.getByText(`Last code to: ${phoneNumber}`).waitFor();
  await page.getByRole('button', { name: 'Lift the block' }).click();
  await confirm(page, 'The customer called.', 'Lift the block');
  await page.getByText('Blocked until').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Safe list' }).click();
  await page.getByRole('heading', { level: 1, name: 'Safe list' }).waitFor();
  await page.getByLabel('Phone number').fill(phoneNumber);
  await page.keyboard.press('Enter');
  const masked = `+44…${phoneNumber.slice(-2)}`;
  await page.getByRole('row').filter({ hasText: masked }).getByText('ada@bank.example').waitFor();
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('row').nth(4).waitFor();
  const rows = (await tableCells(page)).map((cells) => cells.slice(1, 4));
  expect(rows).toEqual([
    ['ada@bank.example bank-desk', 'Added to the safe list', masked],
    ['ada@bank.example bank-desk', 'Lifted a block', `user ${id}`],
    ['ada@bank.example bank-desk', 'Revealed the number', `user ${id}`],
    ['ada@bank.example bank-desk', 'Searched for a number or e-mail', masked],
  ]);
  await expectAccessible(page);
  const acts = await service.sql`select distinct subject, client from operator_actions`;
  expect([...acts]).toEqual([{ subject: 'ada@bank.example', client: 'bank-desk' }]);
  const log = service.logLines.join('');
  expect(log).toContain('"subject":"ada@bank.example","action":"reveal-phone"');
  expect(log).not.toContain(phoneNumber.slice(1));

  // The token is in the page's memory and nowhere else.
  const stored = '[Object.keys(localStorage).length, Object.keys(sessionStorage).length, document.cookie]';
  expect(await page.evaluate(stored)).toEqual([0, 0, '']);
  await expectNarrow(page);
  // A token that ends while it is in use leads back to the door.
  issuer.published.keys = [];
  const door = page.getByRole('alert').getByText('That token was refused');
  await expect
    .poll(
      async () => {
        for (const name of ['Guard', 'Audit']) {
          await page
            .getByRole('link', { name })
            .click({ timeout: 500 })
            .catch(() => {});
        }
        return door.count();
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  expect(await page.getByRole('table').count()).toBe(0);
});
