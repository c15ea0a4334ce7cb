/** The documentation: the guides and every operation, rendered at build time and served by the service alone. */
import { readdir, readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, openPage } from '../harness/browser/page.ts';
import { serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const built = new URL('../../dist/web/docs/', import.meta.url);

/** Pages for those who change the service: they speak of its source, and stay in the repository. */
const onlyInTheRepository = /^(README|http-layer|how-to-.*)$/;

async function readSite(): Promise<Map<string, string>> {
  const names = (await readdir(built, { recursive: true })).filter((name) => name.endsWith('.html'));
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const address = `/docs/${name.slice(0, -'.html'.length)}`.replace(/\/index$/, '');
        return [address, await readFile(new URL(name, built), 'utf8')] as const;
      }),
    ),
  );
}

/** The page fails the test if it asks another host for anything or breaks its own policy. */
const openDocs = ({ url }: Service, address: string, width = 1280): Promise<Page> =>
  openPage(`${url}${address}`, { viewport: { width, height: 844 } });

describe('the site', () => {
  it('has every guide for callers and operators', async () => {
    const files = await readdir(new URL('../../docs/', import.meta.url));
    const names = files.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
    const guides = [...(await readSite()).keys()].flatMap((address) => /^\/docs\/([\w-]+)$/.exec(address)?.[1] ?? []);
    expect(names.filter((name) => !onlyInTheRepository.test(name)).sort()).toEqual(guides.sort());
  });

  it('has no link to a page or a section that does not exist', async () => {
    const site = await readSite();
    const ids = new Map(
      [...site].map(([address, text]) => [address, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const broken = [...site].flatMap(([from, text]) =>
      [...text.matchAll(/<a [^>]*href="((?:\/docs|#)[^"]*)"/g)]
        .map(([, href]) => href!)
        .filter((href) => {
          const [address, fragment] = href.split('#') as [string, string?];
          const target = ids.get(address === '' ? from : address);
          return !target || (fragment !== undefined && !target.has(fragment));
        })
        .map((href) => `${from}: ${href}`),
    );
    expect(broken).toEqual([]);
    const hrefs = [...site.values()].flatMap((text) => [...text.matchAll(/<a [^>]*href="(http[^"]*)"/g)]);
    expect(hrefs.map(([, href]) => href!).filter((href) => !URL.canParse(href))).toEqual([]);
    const search = JSON.parse(await readFile(new URL('search.json', built), 'utf8')) as { address: string }[];
    expect(search.filter(({ address }) => !ids.has(address.split('#')[0]!))).toEqual([]);
  });

  it('shows no comments', async () => {
    expect([...(await readSite())].filter(([, text]) => text.includes('&lt;!--')).map(([address]) => address)).toEqual(
      [],
    );
  });

  it('lists the operations of the API, and none of the pages', async () => {
    const site = await readSite();
    expect(site.has('/docs/api/send-code')).toBe(true);
    expect([...site.keys()].filter((address) => /page-|openapi/.test(address))).toEqual([]);
  });
});

describe('a page', () => {
  it('has the strict policy of all pages, and is served in production too, where no other page is', async () => {
    const own = await serviceForTest({ LEDGERLINE_PAGES: '' });
    const { status, headers } = await own.call('/docs/api/send-code', undefined, { method: 'GET', token: null });
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("trusted-types 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
  });

  it('fits screens of 320 and 390 pixels, and its contents open and lead to another page', async () => {
    const page = await openDocs(service, '/docs/errors', 320);
    const expectFitting = async (width: number) => {
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      const status = await page.locator('#phone-taken td').nth(1).boundingBox();
      expect(status!.height).toBeLessThan(300);
    };
    const follow = async (name: string) => {
      await page.getByRole('button', { name: 'Contents' }).click();
      await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name, exact: true }).click();
    };
    await expectFitting(320);
    await follow('Tokens');
    await page.waitForURL('**/docs/tokens');
    await page.setViewportSize({ width: 390, height: 844 });
    await follow('Errors');
    await page.waitForURL('**/docs/errors');
    await expectFitting(390);
  });

  it('shows an operation in four languages with the real origin and a fresh number, without faults for axe', async () => {
    const page = await openDocs(service, '/docs/api/send-code');
    await expectAccessible(page, { alsoDark: true });
    const sample = page.getByRole('tabpanel');
    await expect.poll(() => sample.innerText()).toContain(`${service.url}/User/phone-number/send-code`);
    const numberIn = async () => /\+4474009\d{5}/.exec(await sample.innerText())![0];
    const first = await numberIn();
    for (const [name, words] of [
      ['JavaScript', 'await fetch'],
      ['Python', 'requests.post'],
      ['C#', 'HttpMethod.Post'],
    ] as const) {
      await page.keyboard.press('Tab');
      await page.getByRole('tab', { name }).click();
      expect(await sample.innerText()).toContain(words);
    }
    await page.getByRole('tab', { name: 'C#' }).press('ArrowRight');
    await expect.poll(() => sample.innerText()).toContain('curl');
    await page.reload();
    await expect.poll(() => sample.innerText()).toContain('+4474009');
    expect(await numberIn()).not.toBe(first);
  });

  it('tries an operation in the sandbox without a token of one’s own, keeps the digits of an amount, and asks before it removes anything', async () => {
    const id = await service.createUser();
    await service.record([
      { individualId: id, transactionId: 'a', amount: '12.50', currency: 'EUR', timeStamp: '2026-03-01T09:30:00Z' },
    ]);
    const page = await openDocs(service, '/docs/api/get-all-transactions');
    await page.getByLabel('Body').fill(JSON.stringify({ individualId: id, dataBatch: 1 }));
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.locator('.try .answer');
    await expect.poll(() => answer.innerText()).toContain('200 OK');
    expect(await answer.innerText()).toContain('      "amount": 12.50,');
    await page.goto(`${service.url}/docs/api/get-transaction`);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => answer.innerText()).toContain('200 OK');

    await page.goto(`${service.url}/docs/api/erase-user`);
    await page.getByLabel('Address').fill(`/User/${id}`);
    const questions: string[] = [];
    page.once('dialog', (dialog) => (questions.push(dialog.message()), void dialog.dismiss()));
    await page.getByRole('button', { name: 'Send' }).click();
    expect(questions).toEqual([`Erase a user? This cannot be undone.\n\nDELETE ${service.url}/User/${id}`]);
    await page.getByLabel('Address').fill(`/User/${await service.createUser()}`);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => answer.innerText()).toContain('204');
    // The one whose question was not confirmed is still there.
    expect((await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).status).toBe(200);
  });

  it('has no client of the sandbox in its samples outside the sandbox', async () => {
    const page = await openDocs(service, '/docs');
    await expect.poll(() => page.locator('#content').innerText()).toContain('client_id=sandbox');
    await page.route('**/docs', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('data-mode="sandbox"', 'data-mode="production"');
      await route.fulfill({ response, body });
    });
    await page.reload();
    await expect.poll(() => page.locator('#content').innerText()).toContain('client_id=your-client-id');
    expect(await page.locator('#content').innerText()).not.toContain('=sandbox');
  });
});

it('the search begins with the guides, and finds an error, an operation and a setting', async () => {
  const page = await openDocs(service, '/docs');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('option', { name: /^The client guide$/ }).click();
  await page.waitForURL('**/docs/client');
  for (const [words, name, address] of [
    ['phone-taken', /^phone-taken .*error$/, '**/docs/errors#phone-taken'],
    // Not the one that sends it again.
    ['send-code', /^Send a verification code .*operation$/, '**/docs/api/send-code'],
    ['LEDGERLINE_PAGES', /^LEDGERLINE_PAGES .*setting$/, '**/docs/config#LEDGERLINE_PAGES'],
  ] as const) {
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  }
});
