/**
 * Tabs of the browser. A tab that a test has finished with is cleaned and given to a later test: opening a page in it
 * takes two thirds of the processor time that it takes in a new tab. The full run gives a new tab to every test.
 */
import type { Browser, BrowserContextOptions, CDPSession, Disposable, Page } from 'playwright-core';
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
  /** Whether a test has changed something that cleaning takes back. */
  isChanged: boolean;
  /** What a test runs before the scripts of each page. */
  scripts: Disposable[];
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
  if (mayShare) await resize(tab.page, options.viewport ?? viewport);
  return {
    page: tab.page,
    async giveBack(origin, isTestPassed) {
      const { page, isSpoilt } = tab;
      if (!mayShare || isSpoilt || !isTestPassed || page.isClosed()) return page.context().close();
      // A test may have stopped the service that answers.
      await clean(tab, origin).then(
        () => void free.push(tab),
        () => page.context().close(),
      );
    },
  };
}

async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  const now = page.viewportSize();
  if (now?.width !== size.width || now.height !== size.height) await page.setViewportSize(size);
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
  const tab = { page, kind, isSpoilt: false, isChanged: false, scripts: [] as Disposable[] };
  const mark = (name: 'isSpoilt' | 'isChanged', owner: object, methods: string[]) => {
    for (const method of methods) {
      const original = Reflect.get(owner, method) as (...values: unknown[]) => unknown;
      Reflect.set(owner, method, (...values: unknown[]) => {
        tab[name] = true;
        return original.apply(owner, values);
      });
    }
  };
  const spoil = (owner: object, ...methods: string[]) => mark('isSpoilt', owner, methods);
  const { scripts } = tab;
  const addInitScript = page.addInitScript.bind(page);
  page.addInitScript = async (...values) => {
    const script = await addInitScript(...values);
    scripts.push(script);
    return script;
  };
  // These have an effect on every later page of the tab.
  spoil(page, 'exposeFunction', 'exposeBinding', 'addLocatorHandler', 'routeWebSocket');
  spoil(page.clock, 'install', 'setFixedTime', 'setSystemTime', 'pauseAt');
  spoil(context, 'addInitScript', 'route', 'grantPermissions', 'setExtraHTTPHeaders');
  mark('isChanged', page, ['route', 'emulateMedia']);
  mark('isChanged', context, ['setOffline']);
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

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** What Playwright has no function for. One session for each tab: each would cost as much as what it is used for. */
export function devtoolsOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  return session;
}

async function clean(tab: Tab, origin: string): Promise<void> {
  const { page } = tab;
  for (const name of pageEvents) page.removeAllListeners(name);
  await Promise.all(tab.scripts.splice(0).map((script) => script.dispose()));
  if (tab.isChanged) await takeBack(page);
  // The page itself leaves: for an empty page that was not opened by one of the same site, the browser would start a new
  // process, and a page of the service costs twice as much.
  const left = page.waitForURL('about:blank', { waitUntil: 'commit' });
  await Promise.all([left, page.evaluate(`location.replace('about:blank')`).catch(() => {})]);
  const others = page
    .context()
    .pages()
    .filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  const devtools = await devtoolsOf(page);
  // The empty page has the origin of the one before it.
  await devtools.send('DOMStorage.clear', { storageId: { securityOrigin: origin, isLocalStorage: false } });
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await page.mouse.move(0, 0);
  tab.isChanged = false;
}

async function takeBack(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
  await page.emulateMedia({ ...media, reducedMotion });
}
