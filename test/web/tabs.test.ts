/** The tabs of the browser that tests share: a test finds nothing of the one before it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser/browser.ts';
import { takeTab } from '../harness/browser/tabs.ts';
import { startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it.skipIf(isFull)('a tab is given to a later test without anything of the one before', async ({ skip }) => {
  const browser = await openBrowser();
  if (typeof browser === 'string') return skip(browser);
  const address = `${service.url}/wallet`;
  // A locale that no other test uses, so that both get the same tab.
  const first = await takeTab(browser, { locale: 'en-NZ' });
  await first.page.addInitScript('window.isLeft = true');
  await first.page.route('**/app/**', (route) => route.abort());
  await first.page.goto(address);
  await first.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'no-preference' });
  await first.page.setViewportSize({ width: 320, height: 640 });
  await first.page.context().setOffline(true);
  await first.page.evaluate(`
    const leave = () => Object.assign(sessionStorage, { left: 1 }) && Object.assign(localStorage, { left: 1 });
    leave();
    addEventListener('pagehide', leave);
    document.cookie = 'left=1';`);
  await first.giveBack(service.url, true);

  const second = await takeTab(browser, { locale: 'en-NZ' });
  expect(second.page).toBe(first.page);
  await second.page.goto(address);
  await second.page.locator('button.row').first().waitFor();
  const left = await second.page.evaluate(`[
    window.isLeft, sessionStorage.left, localStorage.left, document.cookie, innerWidth,
    matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches]`);
  expect(left).toEqual([undefined, undefined, undefined, '', 1280, false, true]);
  await second.giveBack(service.url, false);
});
