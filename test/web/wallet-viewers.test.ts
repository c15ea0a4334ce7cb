/** The wallet page for every viewer: screen readers, keyboards, narrow screens, languages. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExact } from '../../client/index.ts';
import { usableLocale } from '../../web/intl/locale.ts';
import { activityTexts } from '../../web/intl/languages/activity-texts.ts';
import { expectAccessible, expectFits, expectNarrow } from '../harness/browser/page.ts';
import { startService } from '../harness/service.ts';
import { count, topDay, walletOf, type Wallet } from '../harness/browser/wallet.ts';
import { isFull, sized } from '../harness/size.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService(), 3000);
});
afterAll(() => wallet.service.stop());

describe('for every viewer', () => {
  it('the chart is one tab stop whose months the arrow keys go through, axe finds nothing, light and dark, and 320 pixels are enough', async () => {
    const page = await wallet.open('');
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement.shadowRoot?.activeElement?.ariaLabel ?? document.activeElement.innerText',
      );
    const stops: string[] = [];
    for (let presses = 0; presses < 20 && stops.at(-1) !== 'Search transactions'; presses += 1) {
      await page.keyboard.press('Tab');
      stops.push(await focused());
    }
    expect(stops.filter((name) => name.startsWith('Jump to'))).toHaveLength(1);
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toMatch(/^Statement for /);
    // Over the spending by type.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    const last = await focused();
    await page.keyboard.press('ArrowLeft');
    const before = await focused();
    expect(before).toMatch(/^Jump to /);
    expect(before).not.toBe(last);
    await page.keyboard.press('End');
    expect(await focused()).toBe(last);

    await expectAccessible(page, { alsoDark: true });
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
    await expect.poll(focused).toBe('2999');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Transaction' });
    await sheet.getByText('b-00000').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('2999');
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

it('no amount is cut off or leaves its box, however long it is and however narrow the screen', async () => {
  const { id } = await wallet.client.createUser();
  const amounts = [
    ['1250000000', 'VND', 'Credit'],
    ['985000000', 'VND', 'Debit'],
    ['12500000.50', 'USD', 'Debit'],
    ['99999999999999999999.99', 'EUR', 'Debit'],
  ] as const;
  await wallet.client.recordTransactions(
    amounts.map(([amount, currency, transactionCategory], index) => ({
      individualId: id,
      transactionId: `large-${index}`,
      amount,
      currency,
      transactionCategory,
      transactionType: 'P2P',
      timeStamp: '2026-02-03T04:05:06Z',
      receiverName: 'A shop with a long name',
    })),
  );
  const page = await wallet.open(`?individual=${id}&activity-type=P2P`);
  await page.getByText('Spending by type').click();
  for (const currency of ['EUR', 'USD', 'VND']) {
    await page.locator('.chart select').selectOption(currency);
    await page.locator('.spending .amount').waitFor();
    for (const width of sized([320, 640], [320, 360, 640, 1280])) {
      await page.setViewportSize({ width, height: 2000 });
      const cut = await page.evaluate<string[]>(`(() => {
        const root = document.querySelector('ledgerline-activity').shadowRoot;
        const shown = root.querySelectorAll('.row .amount, .sums dd, .totals dd, .day p > :not([title]), .day bdi, .spending .amount');
        return [...shown].filter((part) => {
          const box = part.closest('.row, .chart, .totals, .day').getBoundingClientRect();
          const text = document.createRange();
          text.selectNodeContents(part);
          return [...text.getClientRects()].some(({ left, right, top, bottom, width }) => width > 1 &&
            (left < box.left || right > box.right || top < box.top || bottom > box.bottom));
        }).map(({ textContent }) => textContent);
      })()`);
      expect([width, currency, cut]).toEqual([width, currency, []]);
    }
  }
  await page.locator('[data-id="large-3"]').click();
  await expectFits(page);
});

describe('languages', () => {
  it('an unknown locale in the address is left aside, and the months of the chart have their own short names in Japanese, Korean, Persian and Thai', async () => {
    for (const unknown of ['nonsense!', 'xx_YY', '', null]) expect(usableLocale(unknown, 'en-GB')).toBe('en-GB');
    const page = await wallet.open('?locale=nonsense!', { viewport: { width: 390, height: 844 } });
    await expect.poll(() => count(page)).toMatch(/^\d+ transactions$/);
    for (const locale of ['ja-JP', 'ko-KR', 'fa-IR', 'th-TH']) {
      await page.evaluate(`document.querySelector('ledgerline-activity').setAttribute('locale', '${locale}')`);
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
      await expect
        .poll(() => page.locator('.column').evaluateAll((columns) => columns.map(({ ariaLabel }) => ariaLabel)))
        .toEqual(names.map((name) => activityTexts.of(locale).jumpTo(name)));
      const labels = await page.locator('.column').evaluateAll((columns) =>
        columns.map((column) => {
          const label = column.querySelector('span')!;
          return { text: label.textContent!, isCut: label.scrollWidth > column.clientWidth };
        }),
      );
      for (const label of labels) {
        expect([locale, label]).toEqual([
          locale,
          { text: expect.stringMatching(/^(\p{L}{1,2}|\p{Nd}{1,2})$/u), isCut: false },
        ]);
      }
    }
  });
});

describe('the chart', () => {
  it('says what the money of the month was spent on, with the share of each type', async () => {
    const id = (await wallet.client.createUser()).id;
    const spent = (transactionId: string, transactionType: string, amount: string, transactionCategory = 'Debit') => ({
      individualId: id,
      transactionId,
      transactionType,
      transactionCategory,
      amount,
      currency: 'EUR',
      timeStamp: '2026-02-03T04:05:06Z',
    });
    await wallet.client.recordTransactions([
      spent('1', 'CARD', '60'),
      spent('2', 'card', '15'),
      spent('3', 'crypto_exchange', '20'),
      spent('4', 'FEE', '5'),
      spent('5', 'P2P', '1000', 'Credit'),
    ]);
    const page = await wallet.open(`?individual=${id}`);
    await page.getByText('Spending by type').click();
    await page.locator('.spending dl > div').first().waitFor();
    expect((await page.locator('.spending dl > div').allInnerTexts()).map((text) => text.split(/\s*\n\s*/))).toEqual([
      ['Card', '€75.00', '75%'],
      ['Crypto exchange', '€20.00', '20%'],
      ['Fee', '€5.00', '5%'],
    ]);
    await expectAccessible(page);
    await expectNarrow(page);
  });

  it('shows the months of the list, also beyond a year', async () => {
    const { id } = await wallet.client.createUser();
    const months = Array.from({ length: 30 }, (_, index) => new Date(Date.UTC(2024, index, 15)).toISOString());
    await wallet.client.recordTransactions(
      months.flatMap((timeStamp, month) =>
        Array.from({ length: 20 }, (_, index) => ({
          individualId: id,
          transactionId: `m-${month}-${index}`,
          amount: `${month + 1}`,
          currency: 'EUR',
          timeStamp,
          transactionCategory: 'Debit',
        })),
      ),
    );
    const page = await wallet.open(`?individual=${id}`);
    const chart = page.getByRole('region', { name: 'Money in and out by month' });
    await page.getByLabel('Jump to date').fill('2024-03-15');
    await expect.poll(() => topDay(page)).toBe('2024-03-15');
    await expect.poll(() => chart.getByRole('heading').innerText()).toBe('March 2024');
    expect(await chart.locator('.out dd').innerText()).toBe('€60.00');
    await chart.getByRole('button', { name: 'Jump to January 2024' }).waitFor();
    await chart.getByRole('button', { name: 'Later months' }).click();
    await chart.getByRole('button', { name: 'Jump to December 2024' }).click();
    await expect.poll(async () => (await topDay(page)).slice(0, 7)).toBe('2024-12');
    if (isFull) await expectAccessible(page);
  });
});
