/** The wallet page for every viewer: screen readers, keyboards, narrow screens, languages. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExact } from '../../client/index.ts';
import { activityTexts } from '../../web/intl/languages/activity-texts.ts';
import { expectAccessible, expectNarrow } from '../harness/browser/page.ts';
import { startService } from '../harness/service.ts';
import { count, walletOf, type Wallet } from '../harness/browser/wallet.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService());
});
afterAll(() => wallet.service.stop());

describe('for every viewer', () => {
  it('axe finds nothing, light and dark, and 320 pixels are enough', async () => {
    const page = await wallet.open('');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Filters' }).click();
    await expectAccessible(page);
    await expectNarrow(page);
    await page.keyboard.press('Escape');
    await expectNarrow(page);
    await expectAccessible(page);
  });

  it('the keyboard alone reaches a row far away, its details, the filters and the export', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`, { acceptDownloads: true });
    const focused = () =>
      page.evaluate<string | undefined>(
        '(() => { const at = document.activeElement.shadowRoot?.activeElement; return at?.dataset?.row ?? at?.ariaLabel ?? at?.innerText; })()',
      );
    for (let presses = 0; (await focused()) !== '0' && presses < 60; presses += 1) await page.keyboard.press('Tab');
    expect(await focused()).toBe('0');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('1');
    await page.keyboard.press('End');
    await expect.poll(focused).toBe('9999');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Transaction' });
    await sheet.getByText('b-00000').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('9999');
    await page.keyboard.press('Home');
    await expect.poll(focused).toBe('0');

    const back = async (name: string) => {
      for (let presses = 0; (await focused()) !== name && presses < 60; presses += 1) {
        await page.keyboard.press('Shift+Tab');
      }
      expect(await focused()).toBe(name);
    };
    await back('Filters');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Filters' }).waitFor();
    for (let presses = 0; presses < 20; presses += 1) {
      if (await page.getByLabel('At least').evaluate((field) => field.matches(':focus'))) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('499');
    await page.keyboard.press('Enter');
    const expected = await wallet.all({ individualId: wallet.busy, amountFrom: '499' });
    await expect.poll(() => count(page)).toBe(`${expected.length} transactions`);
    await back('Export');
    await page.keyboard.press('Enter');
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Tab');
    expect(await focused()).toBe('Data (NDJSON)');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.map(parseExact)).toEqual(expected);
    await expect.poll(focused).toBe('Export');
  });

  it('amounts and dates follow the locale, and a right-to-left language mirrors the page', async () => {
    const german = await wallet.open('', { locale: 'de-DE' });
    expect(await german.locator('.sums dd').first().innerText()).toMatch(/^[\d.]+,\d\d\s€$/);
    const arabic = await wallet.open('?locale=ar-EG');
    expect(await arabic.evaluate('document.documentElement.dir')).toBe('rtl');
    const row = arabic.locator('button.row').first();
    const [badge, amount] = [await row.locator('.badge').boundingBox(), await row.locator('.amount').boundingBox()];
    expect(badge!.x).toBeGreaterThan(amount!.x);
    await expectAccessible(arabic);
    await expectNarrow(arabic);
  });
});

describe('languages', () => {
  it.each(['ja-JP', 'ko-KR', 'fa-IR', 'th-TH'])(
    'the months of the chart have their own short names in %s',
    async (locale) => {
      const page = await wallet.open(`?locale=${locale}`, { viewport: { width: 390, height: 844 } });
      const shown = await page.locator('.column').evaluateAll((columns) =>
        columns.map((column) => ({
          label: column.querySelector('span')!.textContent!,
          isCut: column.querySelector('span')!.scrollWidth > column.clientWidth,
          name: column.ariaLabel!,
        })),
      );
      expect(shown).toHaveLength(12);
      expect(shown.filter(({ isCut }) => isCut)).toEqual([]);
      for (const { label } of shown) expect(label).toMatch(/^(\p{L}{1,2}|\p{Nd}{1,2})$/u);
      // Each month is a Gregorian one, as in the list: twelve in a row, by the names that Gregorian months have.
      const month = new Intl.DateTimeFormat(locale, {
        month: 'long',
        year: 'numeric',
        timeZone: 'UTC',
        ...(locale === 'fa-IR' && { calendar: 'gregory' }),
      });
      await activityTexts.load(locale);
      const now = new Date();
      const names = Array.from({ length: 12 }, (_, index) =>
        month.format(new Date(Date.UTC(now.getFullYear(), now.getMonth() - 11 + index, 1))),
      );
      expect(shown.map(({ name }) => name)).toEqual(names.map((name) => activityTexts.of(locale).jumpTo(name)));
    },
  );

  it.each(['locale=nonsense!', 'locale=xx_YY', 'locale='])(
    'an unknown locale in the address (%s) is left aside',
    async (query) => {
      const page = await wallet.open(`?${query}`);
      await expect.poll(() => count(page)).toMatch(/^\d+ transactions$/);
    },
  );
});
