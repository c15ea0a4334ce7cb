/** The wallet page without rows, without a connection, without a token, and with a slow service. */
import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, openPage } from '../harness/browser/page.ts';
import { row, serviceForTest, startService } from '../harness/service.ts';
import { count, hold, openWallet, scroller, walletOf, type Wallet } from '../harness/browser/wallet.ts';
import { isFull } from '../harness/size.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService(), 3000);
});
afterAll(() => wallet.service.stop());

/** The middle of the state is the middle of the screen. */
async function expectCentred(page: Page): Promise<void> {
  const [state, screen] = [await page.locator('.state').boundingBox(), await scroller(page).boundingBox()];
  expect(Math.abs(state!.x + state!.width / 2 - (screen!.x + screen!.width / 2))).toBeLessThan(12);
}

describe('the wallet', () => {
  it('says that there are no transactions', async () => {
    const { id } = await wallet.client.createUser();
    const page = await openPage(`${wallet.service.url}/wallet?individual=${id}`, { expected: /status of 404/ });
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await expectCentred(page);
    await expectAccessible(page, { alsoDark: true });
    await expectNarrow(page);
  });

  it('says that an individual is unknown, and offers no second try', async () => {
    const page = await openPage(`${wallet.service.url}/wallet?individual=2000000000`, { expected: /status of 400/ });
    const unknown = page.getByRole('heading', { name: 'This wallet does not exist' });
    await unknown.waitFor();
    // Trying again could not help.
    expect(await page.locator('.state').getByRole('button').count()).toBe(0);
    if (isFull) await expectAccessible(page);
    for (const individual of ['abc', '0', '-1', '99999999999']) {
      await page.goto(`${wallet.service.url}/wallet?individual=${individual}`);
      await unknown.waitFor();
    }
  });

  it('says that the service is away, or that it fails, and reads the list when asked to try again', async () => {
    // One route for all answers: between two of them the page's own next try could succeed.
    let answer = (route: Route) => route.abort();
    const page = await openPage(`${wallet.service.url}/wallet`, {
      expected: /ERR_FAILED|status of 500/,
      prepare: (before) => before.route('**/app/**', (route) => answer(route)),
    });
    const expectState = async (title: string, look = true) => {
      await page.getByRole('heading', { name: title }).waitFor();
      expect(await page.locator('button.row, .skeleton, .chart').count()).toBe(0);
      await expectCentred(page);
      if (!look) return;
      await expectAccessible(page);
      await expectNarrow(page);
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    await expectState('The service does not answer');
    answer = (route) => route.fulfill({ status: 500, body: '' });
    await page.getByRole('button', { name: 'Try again' }).click();
    // The same state in other words.
    await expectState('The service cannot answer right now', isFull);
    answer = (route) => route.continue();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('button.row').first().waitFor();
  });

  it('keeps its rows if the totals fail, and reads the totals when asked to try again', async () => {
    const page = await openPage(`${wallet.service.url}/wallet`, {
      expected: /status of 500/,
      prepare: (before) =>
        before.route('**/app/summarize-transactions', (route) => route.fulfill({ status: 500, body: '' })),
    });
    await page.getByRole('alert').getByText('The service cannot answer right now. We keep trying').waitFor();
    expect(await page.locator('button.row').count()).toBeGreaterThan(3);
    await page.unroute('**/app/summarize-transactions');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Money in and out by month' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says that a session has ended, and begins another', async () => {
    let closed = true;
    const page = await openPage(`${wallet.service.url}/wallet`, {
      expected: /status of 401/,
      prepare: (before) =>
        before.route('**/connect/token', (route) =>
          closed ? route.fulfill({ json: { access_token: 'expired', expires_in: 60 } }) : route.continue(),
        ),
    });
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    if (isFull) await expectAccessible(page);
    closed = false;
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.locator('button.row').first().waitFor();
  });

  it('asks for a token where there is no sandbox, and shows the wallet that the token is for', async () => {
    const page = await openPage(`${wallet.service.url}/wallet`, {
      expected: /status of 40[13]/,
      prepare: (before) =>
        before.route(/\/wallet(\?.*)?$/, async (route) => {
          const response = await route.fetch();
          const body = (await response.text()).replace('data-mode="sandbox"', 'data-mode="production"');
          await route.fulfill({ response, body });
        }),
    });
    const field = page.getByLabel('Access token');
    await field.fill('not a token');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('That token was refused').waitFor();
    await expectAccessible(page);
    await page.goto(`${wallet.service.url}/wallet?individual=${wallet.busy}`);
    await field.fill(await wallet.service.token('transactions:read', 1));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You have no access to this wallet' }).waitFor();
    expect(await page.getByRole('link', { name: 'Wallet' }).getAttribute('href')).toBe(
      `/wallet?individual=${wallet.busy}`,
    );
    await page.goto(`${wallet.service.url}/wallet`);
    await field.fill(await wallet.service.token('transactions:read', wallet.busy));
    await page.keyboard.press('Enter');
    await page.locator('button.row').first().waitFor();
    expect(await count(page)).toBe('3,000 transactions');
    // And may take it back.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    expect([await page.locator('button.row').count(), await page.getByRole('alert').count()]).toEqual([0, 0]);
  });

  it('shows an outline while the service is slow, then rows, then totals, and nothing moves', async () => {
    let [releaseRows, releaseTotals] = [() => {}, () => {}];
    const page = await openPage(`${wallet.service.url}/wallet?individual=${wallet.busy}`, {
      viewport: { width: 390, height: 1400 },
      prepare: async (before) => {
        releaseRows = await hold(before, '**/app/get-all-transactions');
        releaseTotals = await hold(before, '**/app/summarize-transactions');
      },
    });
    await page.locator('.skeleton').waitFor();
    expect(await count(page)).toBe('Loading transactions');
    await expectAccessible(page);
    const places = async () =>
      Promise.all(['.bar', '.chart'].map(async (part) => (await page.locator(part).boundingBox())!));
    const waiting = await places();

    releaseRows();
    const row = page.locator('button.row[data-row="3"]');
    await row.waitFor();
    expect(await count(page)).toBe('3,000 transactions');
    expect(await places()).toEqual(waiting);
    expect(await page.locator('.screen').getAttribute('aria-busy')).toBe('true');
    expect(await page.getByLabel('Jump to date').isDisabled()).toBe(true);
    if (isFull) await expectAccessible(page);
    const place = await row.boundingBox();

    releaseTotals();
    await page.locator('.screen[aria-busy="false"]').waitFor();
    await page.getByRole('region', { name: 'Money in and out by month' }).waitFor();
    expect(await row.boundingBox()).toEqual(place);
    const [bar, chart] = await places();
    expect([bar, chart!.height]).toEqual([waiting[0], waiting[1]!.height]);
  });

  it('stays where the viewer is when it is refreshed far down', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`);
    await scroller(page).evaluate((box) => box.scrollTo({ top: 100_000 }));
    const seen = page.locator('button.row').nth(8);
    await expect.poll(async () => Number(await seen.getAttribute('data-row'))).toBeGreaterThan(1000);
    const id = (await seen.getAttribute('data-id'))!;
    const place = () => scroller(page).evaluate((box) => box.scrollTop);
    const release = await hold(page, '**/app/summarize-transactions');
    const asked = page.waitForRequest('**/app/summarize-transactions');
    // A click would bring the button into view first.
    await page.getByRole('button', { name: 'Refresh' }).dispatchEvent('click');
    await asked;
    // Two frames, so that whatever is drawn is drawn.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await place()).toBe(100_000);
    release();
    await page.locator('.screen[aria-busy="false"]').waitFor();
    await page.locator(`[data-id="${id}"]`).waitFor();
    expect(await place()).toBe(100_000);
  });
});

it('rows stay without a connection, and while the service is away, those of another search do not, and each time the list recovers by itself', async () => {
  const page = await wallet.open(`?individual=${wallet.busy}`, { expected: /ERR_INTERNET_DISCONNECTED|ERR_FAILED/ });
  const alert = page.getByRole('alert');
  const recovered = () => alert.waitFor({ state: 'detached', timeout: 30_000 });
  await page.context().setOffline(true);
  await alert.getByText('You are offline').waitFor();
  expect(await page.locator('button.row').count()).toBeGreaterThan(3);
  await expectAccessible(page);
  await page.context().setOffline(false);
  await recovered();

  await page.route('**/app/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Refresh' }).click();
  await alert.getByText('The service does not answer').waitFor();
  expect(await page.locator('button.row').count()).toBeGreaterThan(3);
  await page.unroute('**/app/**');
  await recovered();

  await page.route('**/app/**', (route) => route.abort());
  await page.getByLabel('Search transactions').fill('shop 17');
  await page.getByRole('heading', { name: 'The service does not answer' }).waitFor();
  expect(await page.getByText('You are offline').count()).toBe(0);
  expect(await page.locator('button.row').count()).toBe(0);
  await expectCentred(page);
  await page.unroute('**/app/**');
  const expected = await wallet.all({ individualId: wallet.busy, search: 'shop 17' });
  await expect.poll(() => count(page), { timeout: 30_000 }).toBe(`${expected.length} transactions`);
  expect(await page.locator('.row .name').first().innerText()).toMatch(/ 17$/);
});

it('a list that is open for more than a day is read again when the viewer scrolls, for an export, the statement of a month, and paper', async () => {
  const rows = 300;
  const service = await serviceForTest();
  const id = await service.createUser();
  await service.record(
    Array.from({ length: rows }, (_, index) =>
      row(id, {
        transactionId: `l-${index}`,
        // The last month has few rows, so its statement is made in a moment.
        timeStamp: new Date(Date.UTC(2026, 0, 20) + index * 3_600_000).toISOString(),
      }),
    ),
  );
  const page = await openWallet(service, `?individual=${id}`, { expected: /status of 40[01]/ });
  await page.evaluate('window.print = () => (window.isPrinted = true)');
  const passDay = () => service.advance(25 * 3600);
  await passDay();
  await scroller(page).evaluate((box) => box.scrollTo({ top: 1e6 }));
  await page.locator('[data-id="l-0"]').waitFor();
  await page.locator('.screen[aria-busy="false"]').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);

  await passDay();
  await page.getByText('Export', { exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Data (NDJSON)' }).click(),
  ]);
  expect((await readFile(await file.path(), 'utf8')).trim().split('\n')).toHaveLength(rows);

  await passDay();
  await Promise.all([page.waitForEvent('download'), page.locator('.month-statement').click()]);

  await passDay();
  await page.getByText('Export', { exact: true }).click();
  await page.getByRole('button', { name: 'Print' }).click();
  await expect.poll(() => page.evaluate('window.isPrinted'), { timeout: 30_000 }).toBe(true);
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('a message about an export can be read, light and dark', async () => {
  const page = await wallet.open('');
  await page.getByText('Export', { exact: true }).click();
  await page.getByRole('button', { name: 'Spreadsheet (CSV)' }).click();
  await page.getByText('The file is ready.').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, (await contrast(page, '.toast')) > 4.5]).toEqual([colorScheme, true]);
  }
});

/** The contrast of an element's text with its background, by WCAG 2. */
function contrast(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const element = document.querySelector('ledgerline-activity').shadowRoot.querySelector('${selector}');
    const { color, backgroundColor } = getComputedStyle(element);
    const luminance = (text) => {
      const [red, green, blue] = text.match(/[\\d.]+/g).map((part) => {
        const share = Number(part) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [light, dark] = [luminance(color), luminance(backgroundColor)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  })()`);
}
