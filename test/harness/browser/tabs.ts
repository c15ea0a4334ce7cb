/**
 * Tabs of the browser. A tab that a test has finished with is cleaned and given to a later test: opening a page in it
 * takes two thirds of the processor time that it takes in a new tab. The full run gives a new tab to every test.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { isFull } from '../size.ts';

const viewport = { width: 1280, height: 800 };
const media = { media: null, colorScheme: 'light', forcedColors: null, contrast: null } as const;
// What moves on a page costs processor time for as long as a test waits, and tells it nothing.
const reducedMotion = 'reduce';

interface Tab {
  page: Page;
  /** Its locale and time zone, which cannot be changed. */
  kind: string;
  /** Whether a test has changed something that cannot be undone. */
  isSpoilt: boolean;
}

const free: Tab[] = [];
const shareable = new Set(['viewport', 'locale', 'timezoneId']);

/** Returns a page, and a function that ends its use. */
export async function takeTab(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<{ page: Page; giveBack(origin: string, isTestPassed: boolean): Promise<void> }> {
  const mayShare = !isFull && Object.keys(options).every((name) => shareable.has(name));
  const kind = `${options.locale} ${options.timezoneId}`;
  const suitable = mayShare ? free.findIndex((tab) => tab.kind === kind) : -1;
  const [tab = await openTab(browser, options, kind)] = suitable < 0 ? [] : free.splice(suitable, 1);
  if (mayShare) await tab.page.setViewportSize(options.viewport ?? viewport);
  return {
    page: tab.page,
    async giveBack(origin, isTestPassed) {
      const { page, isSpoilt } = tab;
      if (!mayShare || isSpoilt || !isTestPassed || page.isClosed()) return page.context().close();
      // A test may have stopped the service that answers.
      await clean(page, origin).then(
        () => void free.push(tab),
        () => page.context().close(),
      );
    },
  };
}

async function openTab(browser: Browser, options: BrowserContextOptions, kind: string): Promise<Tab> {
  const context = await browser.newContext({
    viewport,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion,
    ...options,
  });
  const page = await context.newPage();
  const tab = { page, kind, isSpoilt: false };
  const spoil = (owner: object, ...methods: string[]) => {
    for (const method of methods) {
      const original = Reflect.get(owner, method) as (...values: unknown[]) => unknown;
      Reflect.set(owner, method, (...values: unknown[]) => {
        tab.isSpoilt = true;
        return original.apply(owner, values);
      });
    }
  };
  // These have an effect on every later page of the tab.
  spoil(page, 'addInitScript', 'exposeFunction', 'exposeBinding', 'addLocatorHandler', 'routeWebSocket');
  spoil(page.clock, 'install', 'setFixedTime', 'setSystemTime', 'pauseAt');
  spoil(context, 'addInitScript', 'route', 'grantPermissions', 'setExtraHTTPHeaders');
  return tab;
}

const pageEvents = [
  'console',
  'pageerror',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'dialog',
] as const;

async function clean(page: Page, origin: string): Promise<void> {
  for (const name of pageEvents) page.removeAllListeners(name);
  const context = page.context();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  // Any small answer of the same site: for another one, also about:blank, the browser would start a new process.
  await page.goto(`${origin}/health/live`);
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  await page.evaluate('sessionStorage.clear()');
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
  await page.emulateMedia({ ...media, reducedMotion });
  await page.mouse.move(0, 0);
}
