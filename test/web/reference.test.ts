import axe from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it.for(['light', 'dark'] as const)(
  'the reference page reads well in a browser, %s, and asks nobody else for anything',
  async (colorScheme, { skip }) => {
    const browser = await openBrowser();
    if (typeof browser === 'string') return skip(browser);
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(`${service.url}/docs`);
    expect(requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(complaints.filter((text) => /Content Security Policy/.test(text))).toEqual([]);

    const heading = page.getByRole('heading', { name: 'Ledgerline API' });
    expect((await heading.boundingBox())!.width).toBeGreaterThan(50);
    await page.getByRole('link', { name: 'Verify a code' }).click();
    const article = page.locator('#verify-phone');
    await article.waitFor();
    expect(await article.innerText()).toContain('/User/phone-number/verify');
    expect((await page.locator('nav').boundingBox())!.width).toBeGreaterThan(200);

    const findings = await page.evaluate(`${axe.source}; axe.run(document).then(({ violations }) => violations)`);
    expect(findings).toEqual([]);

    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  },
);
