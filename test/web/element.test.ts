/** `<ledgerline-activity>` in a page of another origin. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reserveOrigin, serveHostPage } from '../harness/browser/host-page.ts';
import { expectAccessible, expectNarrow, openPage, type OpenOptions } from '../harness/browser/page.ts';
import { startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

const element = 'activity/ledgerline-activity.js';

let service: Service;
/** Origins that the service allows. */
const places: { port: number; origin: string }[] = [];
beforeAll(async () => {
  for (let index = 0; index < 30; index += 1) places.push(await reserveOrigin());
  service = await startService({ LEDGERLINE_CORS_ORIGINS: places.map(({ origin }) => origin).join(',') });
});
afterAll(() => service.stop());

it('shows a wallet inside a page of another origin', async () => {
  const { port, origin } = places.shift()!;
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
  await serveHostPage({
    element,
    port,
    serviceUrl: service.url,
    body: '<h1>My bank</h1><ledgerline-activity></ledgerline-activity>',
    script: `
      const element = document.querySelector('ledgerline-activity');
      element.addEventListener('ledgerline-session-expired', () => document.title = 'Session expired');
      element.getToken = async (refused) => (await fetch('/token?refused=' + refused)).text();
      element.texts = { title: 'Kontobewegungen' };
      element.setAttribute('base-url', '${service.url}');
      element.setAttribute('individual', '${id}');
      element.setAttribute('locale', 'de-AT');`,
    answers: { '/token': () => token },
  });

  const page = await openPage(origin, { expected: /status of 401/, allowed: service.url });
  await page.getByRole('heading', { name: 'Ihre Sitzung ist beendet' }).waitFor();
  await expect.poll(() => page.title()).toBe('Session expired');
  token = await service.token('transactions:read', id);
  await page.getByRole('button', { name: 'Erneut anmelden' }).click();
  await page.getByRole('heading', { name: 'Kontobewegungen' }).waitFor();
  const row = page.locator('button.row');
  expect(await row.locator('.name').innerText()).toBe('Ada <b>Park</b>');
  // Every digit, written as in Austria.
  expect((await row.locator('.amount').innerText()).replaceAll(/\s/g, ' ')).toBe('+€ 9.007.199.254.740.993,17');
  // Without address-bar the page's address stays as it is.
  await row.click();
  await page.getByRole('dialog').waitFor();
  expect(page.url()).toBe(`${origin}/`);
  await expectAccessible(page, { alsoDark: true });
});

it('a service that does not allow the origin of the page is named as the reason, and asked again until it does', async () => {
  const { port, origin } = await reserveOrigin();
  const token = await service.token('transactions:read', 1);
  await serveHostPage({
    element,
    port,
    serviceUrl: service.url,
    body: `<h1>My bank</h1><ledgerline-activity individual="1" base-url="${service.url}"></ledgerline-activity>`,
    script: `document.querySelector('ledgerline-activity').getToken = () => '${token}';`,
  });
  const page = await openPage(origin, { expected: /CORS|ERR_FAILED|status of 404/, allowed: service.url });
  await page.getByRole('heading', { name: 'This page may not use the service' }).waitFor();
  expect(await page.locator('.state').innerText()).toContain(`does not accept requests from ${origin}`);
  if (isFull) await expectAccessible(page);
  const headers = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'error-reason',
    'error-reason': 'no-transactions',
  };
  await page.route(`${service.url}/**`, (route) => route.fulfill({ status: 404, headers, json: {} }));
  await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
});

describe('the host page', () => {
  let token: string;
  let busy: number;
  beforeAll(async () => {
    busy = await service.createUser();
    const rows = Array.from({ length: 3000 }, (_, index) => ({
      individualId: busy,
      transactionId: `h-${index}`,
      amount: '5',
      currency: 'EUR',
      timeStamp: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString(),
      transactionCategory: 'Debit',
      receiverName: 'Shop',
    }));
    await service.record(rows);
    token = await service.token('transactions:read', busy);
  });

  interface Host {
    css?: string;
    attributes?: string;
    script?: string;
    query?: string;
    page?: OpenOptions;
  }

  async function open({ css = '', attributes = '', script = '', query = '', page: options = {} }: Host): Promise<Page> {
    const { port, origin } = places.shift()!;
    await serveHostPage({
      element,
      port,
      serviceUrl: service.url,
      css,
      body: `<h1>My bank</h1><ledgerline-activity individual="${busy}" base-url="${service.url}" ${attributes}></ledgerline-activity>`,
      script: `const element = document.querySelector('ledgerline-activity');
        element.getToken = () => '${token}';
        ${script}`,
    });
    const page = await openPage(origin + query, { allowed: service.url, ...options });
    await page.locator('button.row').first().waitFor();
    return page;
  }

  const style = (page: Page, selector: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('ledgerline-activity').shadowRoot.querySelector('${selector}')).${property}`,
    );
  const rowsInDocument = (page: Page) => page.locator('button.row').count();

  it('decides the colours under a dark system: light only, as the system, or dark only', async () => {
    const page = await open({});
    await page.emulateMedia({ colorScheme: 'dark' });
    const [light, dark] = ['rgb(17, 22, 29)', 'rgb(236, 239, 244)'];
    for (const [scheme, colour] of [
      ['', light],
      ['light dark', dark],
      ['dark', dark],
    ]) {
      await page.evaluate(`document.documentElement.style.colorScheme = '${scheme}'`);
      expect([scheme, await style(page, '.row .name', 'color')]).toEqual([scheme, colour]);
    }
  });

  it('passes on none of its text styles, its root size changes nothing, and only prefixed properties and parts style it', async () => {
    const page = await open({
      css: `html { font-size: 62.5%; }
        body { font: italic 700 30px/3 serif; letter-spacing: 0.3em; word-spacing: 1em; text-transform: uppercase;
          text-align: right; text-indent: 3em; white-space: pre; color: red; font-variant: small-caps; }
        :root { --ledgerline-font: monospace; --ledgerline-accent: rgb(1, 2, 3); }
        ledgerline-activity { --accent: red; --ink: red; }
        ledgerline-activity::part(row) { border-left: 3px solid rgb(4, 5, 6); }
        ledgerline-activity::part(heading) { text-transform: uppercase; }
        ledgerline-activity::part(chart) { border-radius: 7px; }`,
    });
    const expected = {
      letterSpacing: 'normal',
      wordSpacing: '0px',
      textTransform: 'none',
      fontStyle: 'normal',
      fontSize: '16px',
      fontVariantCaps: 'normal',
      textIndent: '0px',
      fontFamily: 'monospace',
      color: 'rgb(17, 22, 29)',
    };
    for (const [property, value] of Object.entries(expected)) {
      expect([property, await style(page, '.row .name', property)]).toEqual([property, value]);
    }
    expect((await page.locator('button.row').first().boundingBox())!.height).toBe(72);
    await page.locator('.chart:not(.waiting)').waitFor();
    expect(await style(page, '.month-statement', 'color')).toBe('rgb(1, 2, 3)');
    expect(await style(page, '.row', 'borderLeftColor')).toBe('rgb(4, 5, 6)');
    expect(await style(page, '.day', 'textTransform')).toBe('uppercase');
    expect(await style(page, '.chart', 'borderRadius')).toBe('7px');
  });

  it('need not give it a height: then it is as tall as the window, and draws few rows', async () => {
    const page = await open({ css: 'ledgerline-activity { height: auto; }' });
    await page.locator('.screen[aria-busy="false"]').waitFor();
    expect(await rowsInDocument(page)).toBeLessThan(60);
    expect((await page.locator('ledgerline-activity').boundingBox())!.height).toBeLessThanOrEqual(800);
  });

  it('may make it as tall as its content: then the window scrolls, and few rows are drawn', async () => {
    const page = await open({ css: 'ledgerline-activity { height: auto; max-height: none; }' });
    await page.locator('.screen[aria-busy="false"]').waitFor();
    expect(await rowsInDocument(page)).toBeLessThan(60);
    await page.evaluate('scrollTo(0, 200000)');
    await expect
      .poll(async () => Number(await page.locator('button.row').first().getAttribute('data-row')))
      .toBeGreaterThan(2000);
    expect(await rowsInDocument(page)).toBeLessThan(60);
    await page.getByLabel('Jump to date').fill('2026-01-02');
    await page.locator('[data-day="2026-01-02"]').waitFor();
  });

  it('reads that the service does not answer while a proxy answers for it, and the list recovers by itself', async () => {
    const page = await open({ page: { expected: /CORS|ERR_FAILED|status of 502/ } });
    await page.locator('.screen[aria-busy="false"]').waitFor();
    const everything = `${service.url}/**`;
    // Playwright adds the header that allows the page, unless there is one.
    const headers = { 'access-control-allow-origin': 'https://proxy.example.com' };
    await page.route(everything, (route) => route.fulfill({ status: 502, headers, body: '' }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('The service does not answer');
    await page.unroute(everything);
    await page.getByRole('alert').waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('may set its callback and texts again, and nothing is loaded; may take the individual or the callback away, and the rows go', async () => {
    const page = await open({});
    await page.locator('.screen[aria-busy="false"]').waitFor();
    const lists: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/app/get-all-transactions')) lists.push(request.url());
    });
    const change = (text: string) =>
      page.evaluate(`{ const element = document.querySelector('ledgerline-activity'); ${text}; undefined; }`);
    await change(`element.getToken = element.getToken; element.texts = { title: 'My money' }`);
    await page.getByRole('heading', { name: 'My money' }).waitFor();
    expect(await page.locator('.screen').getAttribute('aria-busy')).toBe('false');
    expect(lists).toEqual([]);
    await change('element.removeAttribute("individual")');
    await expect.poll(() => rowsInDocument(page)).toBe(0);
    await change(`element.setAttribute("individual", ${busy})`);
    await page.locator('button.row').first().waitFor();
    await change('element.getToken = undefined');
    await expect.poll(() => rowsInDocument(page)).toBe(0);
  });

  it('may bring another token when the session has ended', async () => {
    const page = await open({ page: { expected: /status of 401/ } });
    await page.evaluate(`document.querySelector('ledgerline-activity').getToken = () => 'expired'`);
    await page.getByLabel('Search transactions').fill('shop');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await page.evaluate(`document.querySelector('ledgerline-activity').getToken = () => '${token}'`);
    await page.locator('button.row').first().waitFor();
  });

  it('gets English if the file of its language is missing beside the script', async () => {
    const page = await open({ attributes: 'locale="de"', page: { expected: /ERR_|status of 404|MIME/ } });
    await page.getByRole('heading', { name: 'Umsätze', level: 1 }).waitFor();
    await page.route('**/ledgerline-activity.*.js', (route) => route.fulfill({ status: 404 }));
    await page.evaluate(`document.querySelector('ledgerline-activity').setAttribute('locale', 'fr')`);
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    expect(await page.locator('.screen').getAttribute('lang')).toBe('en');
  });

  it('may choose the layout full, list or compact, and hide the title', async () => {
    const page = await open({});
    await page.locator('.screen[aria-busy="false"]').waitFor();
    for (const [layout, shown, rowHeight, titles] of [
      ['full', { '.chart': 1, '.bar': 1 }, 72, ['My bank', 'Activity']],
      ['list', { '.chart': 0, '.bar': 1 }, 72, ['My bank']],
      ['compact', { '.chart': 0, '.bar': 0 }, 52, ['My bank', 'Activity']],
    ] as const) {
      await page.evaluate(`{
        const element = document.querySelector('ledgerline-activity');
        element.setAttribute('layout', '${layout}');
        element.toggleAttribute('hide-title', ${titles.length === 1});
      }`);
      const state = async () => ({
        layout,
        shown: Object.fromEntries(
          await Promise.all(
            Object.keys(shown).map(async (selector) => [selector, await page.locator(selector).count()]),
          ),
        ),
        rowHeight: (await page.locator('button.row').first().boundingBox())!.height,
        titles: await page.getByRole('heading', { level: 1 }).allInnerTexts(),
      });
      await expect.poll(state).toEqual({ layout, shown, rowHeight, titles });
      // The first test has looked at the full layout.
      if (isFull || layout !== 'full') await expectAccessible(page);
      await expectNarrow(page);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  it('hears that the list is loaded and what was chosen, and may show that itself', async () => {
    const page = await open({
      script: `window.heard = [];
        for (const name of ['loaded', 'transaction-open']) element.addEventListener('ledgerline-' + name, (event) => {
          window.heard.push([name, event.detail.transactionCount ?? event.detail.transaction.transactionId]);
          event.preventDefault();
        });`,
    });
    await page.locator('.screen[aria-busy="false"]').waitFor();
    const first = page.locator('button.row').first();
    await first.click();
    const expected = [
      ['loaded', 3000],
      ['transaction-open', await first.getAttribute('data-id')],
    ];
    await expect.poll(() => page.evaluate('window.heard')).toEqual(expected);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('may set properties instead of attributes, and merges its texts into groups of texts', async () => {
    const page = await open({
      script: `element.layout = 'list'; element.hideTitle = true;
        element.texts = { moneyOut: 'Spent', types: { CARD: 'Plastic' } };`,
    });
    await page.getByRole('button', { name: 'Spent', exact: true }).waitFor();
    expect(await page.locator('ledgerline-activity').getAttribute('layout')).toBe('list');
    expect(
      await page.evaluate(
        '{ const element = document.querySelector("ledgerline-activity"); [element.individual, element.hideTitle, element.timeZone, element.texts.types.CARD, element.texts.types.FEE]; }',
      ),
    ).toEqual([busy, true, '', 'Plastic', 'Fee']);
    await page.evaluate(`document.querySelector('ledgerline-activity').individual = null`);
    await expect.poll(() => rowsInDocument(page)).toBe(0);
  });

  it.each([
    ['', 'activity-'],
    ['="mine"', 'mine-'],
  ])('keeps its own parameters beside those of address-bar%s', async (value, prefix) => {
    const page = await open({ attributes: `address-bar${value}`, query: '/?search=host&from=mars' });
    expect(await page.locator('.count').innerText()).toBe('3,000 transactions');
    await page.getByLabel('Search transactions').fill('shop');
    await expect.poll(() => new URL(page.url()).searchParams.get(`${prefix}search`)).toBe('shop');
    expect(new URL(page.url()).searchParams.get('search')).toBe('host');
  });

  it('is told by the element itself if something cannot be drawn, and everything else stays', async () => {
    const page = await open({
      page: { expected: /broken text/ },
      script: 'window.onerror = (text) => window.reported = text;',
    });
    await page.evaluate(
      `document.querySelector('ledgerline-activity').texts = { count() { throw new Error('broken text'); } }`,
    );
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    expect(await page.evaluate('window.reported')).toContain('broken text');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('My bank');
    await page.evaluate(`document.querySelector('ledgerline-activity').texts = {}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('button.row').first().waitFor();
  });
});

describe('before the script of an element is there', () => {
  async function openLate(tag: string, properties: string): Promise<{ page: Page; warnings: string[] }> {
    const { port, origin } = places.shift()!;
    const token = await service.token('phone transactions:read', 1);
    await serveHostPage({
      element: `${tag.replace('ledgerline-', '')}/${tag}.js`,
      port,
      serviceUrl: service.url,
      body: `<h1>My bank</h1><${tag}></${tag}>`,
      script: '',
      before: `const element = document.querySelector('${tag}');
        const [serviceUrl, token] = ['${service.url}', '${token}'];
        ${properties}`,
    });
    const warnings: string[] = [];
    const page = await openPage(`${origin}/nothing`, { allowed: service.url });
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
    await page.goto(origin);
    return { page, warnings };
  }

  it('properties can be set, also those that replace something of the browser', async () => {
    const { page } = await openLate(
      'ledgerline-verify',
      `Object.assign(element, { user: 1, baseUrl: serviceUrl, locale: 'de', getToken: () => token,
        now: () => 0, fetch: (...call) => ((window.called = true), fetch(...call)) });`,
    );
    await page.getByRole('heading', { name: 'Wie lautet Ihre Nummer?' }).waitFor();
    expect(await page.locator('ledgerline-verify').getAttribute('user')).toBe('1');
    await page.evaluate(`document.querySelector('ledgerline-verify').focus()`);
    await page.keyboard.type('+447400123456');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('window.called')).toBe(true);
  });

  it('the log says what is missing', async () => {
    const { warnings } = await openLate('ledgerline-activity', '');
    await expect.poll(() => warnings.join()).toMatch(/<ledgerline-activity> shows nothing .*getToken, individual/);
  });
});
