/** Filters, search and export of the wallet page. */
import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsvRecords } from '../../src/formats/csv.ts';
import { parseExact, type Transaction } from '../../client/index.ts';
import { activityTexts } from '../../web/intl/languages/activity-texts.ts';
import { expectAccessible, openPage } from '../harness/browser/page.ts';
import { startService } from '../harness/service.ts';
import { count, shownIds, walletOf, type Wallet } from '../harness/browser/wallet.ts';
import { isFull, sized } from '../harness/size.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService(), 4000);
});
afterAll(() => wallet.service.stop());

describe('filters', () => {
  it('find what the API finds, and are in the address, which can be shared', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`);
    await page.getByRole('button', { name: 'Filters' }).click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByLabel('From').fill('2026-01-10');
    await sheet.getByLabel('To', { exact: true }).fill('2026-04-20');
    await sheet.getByLabel('At least').fill('20');
    await sheet.getByLabel('At most').fill('300.50');
    await sheet.getByLabel('Type').selectOption('Card');
    await sheet.getByLabel('Status').selectOption('Pending');
    await sheet.getByRole('button', { name: 'Show results' }).click();
    await page.getByRole('button', { name: 'Money out' }).click();
    await page.getByLabel('Search transactions').fill('shop 1');

    // Midnight in Berlin, where this viewer is; summer time begins between the two.
    const expected = await wallet.all({
      individualId: wallet.busy,
      timestampFrom: '2026-01-09T23:00:00Z',
      timestampTo: '2026-04-20T21:59:59.999999Z',
      amountFrom: '20',
      amountTo: '300.50',
      transactionType: 'CARD',
      transactionStatus: 'Pending',
      transactionCategory: 'Debit',
      search: 'shop 1',
    });
    expect(expected.length).toBeGreaterThan(3);
    await expect.poll(() => count(page)).toBe(`${expected.length} transactions`);
    const parameters = new URL(page.url()).searchParams;
    expect(Object.fromEntries(parameters)).toEqual({
      individual: String(wallet.busy),
      'activity-from': '2026-01-10',
      'activity-to': '2026-04-20',
      'activity-amountFrom': '20',
      'activity-amountTo': '300.50',
      'activity-type': 'CARD',
      'activity-status': 'Pending',
      'activity-category': 'Debit',
      'activity-search': 'shop 1',
    });
    await page.reload();
    await page.locator('button.row').first().waitFor();
    expect(await shownIds(page)).toEqual(
      expected.slice(0, (await shownIds(page)).length).map(({ transactionId }) => transactionId),
    );
    await page.getByRole('button', { name: /^Remove filter: 20 – 300\.50/ }).click();
    expect(new URL(page.url()).searchParams.has('activity-amountFrom')).toBe(false);
  });

  it('a filter without matches says so, an invalid filter in the address is ignored, and the button counts the filters of its sheet alone', async () => {
    const page = await openPage(`${wallet.service.url}/wallet?individual=${wallet.busy}&activity-search=nobody-at-all`);
    await page.getByRole('heading', { name: 'No matches' }).waitFor();
    await expectAccessible(page, { alsoDark: true });
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => count(page)).toBe('4,000 transactions');
    await page.goto(
      `${wallet.service.url}/wallet?individual=${wallet.busy}&activity-from=yesterday&activity-amountFrom=1e9`,
    );
    await expect.poll(() => count(page)).toBe('4,000 transactions');
    await page.goto(`${wallet.service.url}/wallet?individual=${wallet.busy}&activity-search=shop&activity-type=CARD`);
    await page.getByRole('button', { name: 'Filters, 1 on', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter: Card' }).click();
    await page.getByRole('button', { name: 'Money out', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('activity-category')).toBe('Debit');
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
  });
});

describe('export', () => {
  async function* textOnce(whole: string): AsyncGenerator<string> {
    yield whole;
  }

  async function text(page: Page, name: string): Promise<{ download: Download; text: string }> {
    await page.getByText('Export', { exact: true }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return { download, text: await readFile(await download.path(), 'utf8') };
  }

  it('gives exactly what is filtered, row by row', async () => {
    const { id } = await wallet.client.createUser();
    const row = (index: number) => ({
      individualId: id,
      transactionId: `x-${index}`,
      amount: `${index}.50`,
      currency: 'USD',
      timeStamp: `2026-04-${10 + (index % 9)}T12:00:00Z`,
      paymentNotes: index % 2 === 0 ? '=Holiday 100%' : 'Holiday 1000',
    });
    await wallet.client.recordTransactions(Array.from({ length: 300 }, (_, index) => row(index)));
    const page = await wallet.open(`?individual=${id}&activity-search=holiday+100%25&activity-amountFrom=20`);
    const expected = await wallet.all({ individualId: id, search: 'holiday 100%', amountFrom: '20' });
    expect(await count(page)).toBe(`${expected.length} transactions`);
    // What arrives after the list was made is not in what is exported from it.
    await wallet.client.recordTransactions([row(400)]);
    const ndjson = await text(page, 'Data (NDJSON)');
    expect(ndjson.download.suggestedFilename()).toBe(`transactions-${id}.ndjson`);
    expect(ndjson.text.trim().split('\n').map(parseExact)).toEqual(expected);
    const csv = await text(page, 'Spreadsheet (CSV)');
    const records: string[][] = [];
    for await (const some of readCsvRecords(textOnce(csv.text), { delimiter: ',', quote: '"' })) {
      records.push(...some.map(({ cells }) => cells!));
    }
    const [columns, ...rows] = records as [(keyof Transaction)[], ...string[][]];
    // A cell that could start a formula is led by an apostrophe.
    const cell = (text: string) => (/^[=+\-@]/.test(text) ? `'${text}` : text);
    expect(rows).toEqual(
      expected.map((one) => columns.map((name) => cell(name === 'amount' ? one.amountText : one[name]))),
    );
  });
});

describe('what a person types', () => {
  it('a range that cannot be is named instead of asked for, and a direction chosen right after typing is kept', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('At least').fill('1e3');
    await page.getByRole('button', { name: 'Show results' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('1,000.50');
    await page.getByLabel('At least').fill('30');
    await page.getByLabel('At most').fill('20');
    await page.getByRole('button', { name: 'Show results' }).click();
    expect(await page.getByRole('alert').innerText()).toMatch(/^Amount: The first value must not be greater/);
    await page.getByLabel('From').fill('2026-02-02');
    await page.getByLabel('To', { exact: true }).fill('2026-01-01');
    await page.getByRole('button', { name: 'Show results' }).click();
    expect(await page.getByRole('alert').innerText()).toMatch(/^Dates:/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Filters' }).waitFor({ state: 'detached' });

    const expected = await wallet.all({
      individualId: wallet.busy,
      search: 'shop 1',
      transactionCategory: 'Credit',
    });
    await page.getByLabel('Search transactions').fill('shop 1');
    // Without a wait in between: the search has not begun yet.
    await page.getByRole('button', { name: 'Money in', exact: true }).click();
    await expect.poll(() => count(page)).toBe(`${expected.length} transactions`);
    const parameters = new URL(page.url()).searchParams;
    expect([parameters.get('activity-search'), parameters.get('activity-category')]).toEqual(['shop 1', 'Credit']);
  });

  it('amounts may have separators as in each language, one in the search field leads to the rows of that amount, types are those of the rows, and any other can be typed', async () => {
    const { id } = await wallet.client.createUser();
    await wallet.client.recordTransactions(
      ['12.50', '999.99', '1000.50', '2500', '1234567.80'].map((amount, index) => ({
        individualId: id,
        transactionId: `a-${index}`,
        amount,
        currency: 'EUR',
        timeStamp: `2026-05-0${index + 1}T10:00:00Z`,
        transactionType: index === 0 ? 'CASHBACK' : 'CARD',
      })),
    );
    const page = await wallet.open(`?individual=${id}`);
    for (const [locale, least, most] of [
      ['de-DE', '1.000,50', '1.234.567,80 €'],
      ...sized([], [['fr-FR', '1 000,50', '1 234 567,80'] as const]),
      ['ar-EG', '١٬٠٠٠٫٥٠', '١٬٢٣٤٬٥٦٧٫٨٠'],
      ['en-GB', '1,000.50', '€1,234,567.80'],
    ] as const) {
      await page.evaluate(`document.querySelector('ledgerline-activity').setAttribute('locale', '${locale}')`);
      await activityTexts.load(locale);
      const texts = activityTexts.of(locale);
      await page.getByRole('button', { name: texts.filters }).click();
      await page.getByLabel(texts.least).fill(least);
      await page.getByLabel(texts.most).fill(most);
      await page.getByRole('button', { name: texts.apply }).click();
      await expect.poll(async () => [locale, await shownIds(page)]).toEqual([locale, ['a-4', 'a-3', 'a-2']]);
      await page.goBack();
      await expect.poll(async () => (await shownIds(page)).length).toBe(5);
    }

    await page.getByLabel('Search transactions').fill('12.50');
    await page.getByRole('button', { name: 'Amounts of 12.50' }).click();
    await expect.poll(() => shownIds(page)).toEqual(['a-0']);
    expect(await page.getByLabel('Search transactions').inputValue()).toBe('');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove filter: 12.50' }).click();
    await expect.poll(async () => (await shownIds(page)).length).toBe(5);

    const typeField = page.getByRole('combobox', { name: 'Type' });
    await page.getByRole('button', { name: 'Filters' }).click();
    await typeField.selectOption('CASHBACK');
    await page.getByRole('button', { name: 'Show results' }).click();
    await expect.poll(() => shownIds(page)).toEqual(['a-0']);
    await page.getByRole('button', { name: 'Filters, 1 on' }).click();
    await typeField.selectOption('Other …');
    await page.getByLabel('Type: other value').fill('card');
    if (isFull) await expectAccessible(page);
    await page.getByRole('button', { name: 'Show results' }).click();
    await expect.poll(async () => (await shownIds(page)).length).toBe(4);
  });

  it('a search may leave accents out, or have them', async () => {
    const { id } = await wallet.client.createUser();
    await wallet.client.recordTransactions(
      ['Café Zürich', 'Cafe Zurich', 'Bäckerei Ångström', 'कैफ़े'].map((receiverName, index) => ({
        individualId: id,
        transactionId: `n-${index}`,
        amount: '1',
        currency: 'EUR',
        timeStamp: `2026-05-0${index + 1}T10:00:00Z`,
        receiverName,
      })),
    );
    const page = await wallet.open(`?individual=${id}`);
    for (const [typed, ids] of [
      ['cafe zurich', ['n-1', 'n-0']],
      ['CAFÉ', ['n-0']],
      ['angstrom', ['n-2']],
      ['कैफ़े', ['n-3']],
    ] as const) {
      await page.getByLabel('Search transactions').fill(typed);
      await expect.poll(() => shownIds(page)).toEqual(ids);
    }
  });
});
