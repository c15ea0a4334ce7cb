/** The API reference: Scalar, served by the service alone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openPage } from '../harness/page.ts';
import { serviceForTest, startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The page fails the test if it asks another host for anything or breaks its own policy. */
async function openReference({ url }: Service, width: number, address = ''): Promise<Page> {
  const page = await openPage(`${url}/docs${address}`, { viewport: { width, height: 844 } });
  await page.getByRole('heading', { name: 'Authentication' }).first().waitFor();
  return page;
}

async function search(page: Page, words: string, name: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(words);
  await page.getByRole('option', { name }).first().click();
}

describe('the page', () => {
  it('has a policy of its own, and needs no inline script', async () => {
    const { headers, text } = await service.call('/docs', undefined, { method: 'GET', token: null });
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/);
    expect(text).toContain(/'nonce-([^']+)'/.exec(policy)![1]);
    const again = await service.call('/docs', undefined, { method: 'GET', token: null });
    expect(again.headers.get('content-security-policy')).not.toBe(policy);
  });

  it('opens on content on a phone, without sideways scroll; in production too, where no other page is', async () => {
    const own = await serviceForTest({ LEDGERLINE_PAGES: '' });
    const page = await openReference(own, 390);
    const heading = await page.getByRole('heading', { name: 'Ledgerline', level: 1 }).boundingBox();
    expect(heading!.y).toBeLessThan(500);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  // One page for all of it: the loading takes longer than everything else.
  it('has nothing serious for axe, finds an operation by search, shows it in four languages, and leads back', async () => {
    const page = await openReference(service, 1280);
    // Of a page this large it takes ten seconds.
    if (isFull) await expectAccessible(page);
    expect(await page.getByRole('link', { name: 'API', exact: true }).getAttribute('aria-current')).toBe('page');
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^\/assets\/icon-/);

    await search(page, 'send a verification code', /Send a verification code/);
    await expect.poll(() => page.url()).toContain('#tag/phone-verification/POST/User/phone-number/send-code');
    await page.getByRole('heading', { name: 'Send a verification code' }).waitFor();
    const sample = page.locator('pre').filter({ hasText: '/User/phone-number/send-code' }).first();
    await expect.poll(() => sample.innerText()).toContain('curl');
    await page.getByRole('button', { name: 'Shell Curl' }).first().click();
    // The header has native options.
    const clients = page.locator('[role=option]');
    await expect.poll(() => clients.count()).toBe(4);
    const names = (await clients.allInnerTexts()).join();
    for (const name of ['Curl', 'Fetch', 'Requests', 'HttpClient']) expect(names).toContain(name);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Wallet', exact: true }).click();
    await page.waitForURL('**/wallet');
  });

  it('tries an operation in the sandbox without a token of one’s own', async () => {
    const page = await openReference(service, 1280, '#tag/users/POST/User');
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    const answer = page.waitForResponse((response) => new URL(response.url()).pathname === '/User');
    await page.getByRole('button', { name: /^Send/ }).first().click();
    expect((await answer).status()).toBe(201);
  });
});
