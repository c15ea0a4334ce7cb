/** `<ledgerline-activity>` on somebody else's page: another origin, a strict policy of its own, a token from its back end. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/free-port.ts';
import { expectAccessible, openPage } from '../harness/page.ts';
import { serviceForTest } from '../harness/service.ts';

const script = await readFile(new URL('../../dist/activity/ledgerline-activity.js', import.meta.url), 'utf8');

const hostPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bank</title>
<script type="module" src="/host.js"></script></head>
<body><main><h1>My bank</h1><ledgerline-activity></ledgerline-activity></main></body></html>`;

it('shows a wallet inside a page of another origin', async () => {
  const port = await freePort('127.0.0.1');
  const origin = `http://127.0.0.1:${port}`;
  const service = await serviceForTest({ LEDGERLINE_CORS_ORIGINS: origin });
  const id = await service.createUser();
  await service.record([
    {
      individualId: id,
      transactionId: 'e-1',
      amount: '9007199254740993.17',
      currency: 'EUR',
      timeStamp: '2026-05-01T10:00:00Z',
      transactionCategory: 'Credit',
      senderName: 'Ada <b>Park</b>',
    },
  ]);
  let token = 'expired';
  const hostScript = `
    import './ledgerline-activity.js';
    const element = document.querySelector('ledgerline-activity');
    element.addEventListener('ledgerline-session-expired', () => document.title = 'Session expired');
    element.getToken = async (refused) => (await fetch('/token?refused=' + refused)).text();
    element.texts = { title: 'Umsätze' };
    element.setAttribute('base-url', '${service.url}');
    element.setAttribute('individual', '${id}');
    element.setAttribute('locale', 'de-AT');`;
  const files: Record<string, [type: string, text: () => string]> = {
    '/': ['text/html', () => hostPage],
    '/host.js': ['text/javascript', () => hostScript],
    '/ledgerline-activity.js': ['text/javascript', () => script],
    '/token': ['text/plain', () => token],
    '/favicon.ico': ['text/plain', () => ''],
  };
  const host = createServer((request, response) => {
    const [type, text] = files[request.url!.split('?')[0]!]!;
    response.setHeader('content-type', `${type}; charset=utf-8`);
    // What docs/web.md says a host page needs.
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src 'self'; connect-src 'self' ${service.url}`,
    );
    response.end(text());
  });
  await new Promise<void>((resolve) => host.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void host.close());
  expect((host.address() as AddressInfo).port).toBe(port);

  const page = await openPage(origin, { expected: /status of 401/, allowed: service.url });
  if (!page) return;
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await expect.poll(() => page.title()).toBe('Session expired');
  token = await service.token('transactions:read', id);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByRole('heading', { name: 'Umsätze' }).waitFor();
  const row = page.locator('button.row');
  expect(await row.locator('.name').innerText()).toBe('Ada <b>Park</b>');
  // Every digit, in the manner of Austria.
  expect((await row.locator('.amount').innerText()).replaceAll(/\s/g, ' ')).toBe('+€ 9.007.199.254.740.993,17');
  // Without address-bar the page's address is left alone.
  await row.click();
  await page.getByRole('dialog').waitFor();
  expect(page.url()).toBe(`${origin}/`);
  await expectAccessible(page);
});
