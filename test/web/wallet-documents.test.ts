/** The wallet as a bank shows it: history, documents, totals of a filter, and paper. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../harness/pdf.ts';
import { maxStatementRows as allowedRows } from '../../src/transactions/export/make-statement.ts';
import { maxStatementRows } from '../../web/elements/activity/statement-limit.ts';
import { expectAccessible, expectFits, openPage } from '../harness/browser/page.ts';
import { row, startService, type Service } from '../harness/service.ts';
import { openWallet } from '../harness/browser/wallet.ts';

let service: Service;
let individual: number;
beforeAll(async () => {
  service = await startService();
  individual = await service.createUser();
  // Three months, one row a day: at noon in Berlin, where the viewer is.
  const rows = Array.from({ length: 90 }, (_, index) =>
    row(individual, {
      transactionId: `d-${String(index).padStart(2, '0')}`,
      amount: `${index + 1}.25`,
      currency: index % 5 === 0 ? 'USD' : 'EUR',
      timeStamp: new Date(Date.UTC(2026, 0, 1 + index, 11)).toISOString(),
      transactionCategory: index % 3 === 0 ? 'Credit' : 'Debit',
      transactionStatus: 'Accepted',
      senderName: `Sender ${index}`,
      receiverName: `Shop ${index}`,
      paymentNotes: index % 2 === 0 ? 'even' : 'odd',
    }),
  );
  expect((await service.record(rows)).status).toBe(200);
});
afterAll(() => service.stop());

const open = (query = '') => openWallet(service, `?individual=${individual}${query}`);

/** The file that a control saves. */
async function savedBy(page: Page, press: () => Promise<void>): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const { pages } = await readPdf(await readFile(await download.path()));
  return { name: download.suggestedFilename(), lines: pages.flat() };
}

const idsIn = (lines: string[]) => lines.flatMap((line) => line.match(/d-\d\d/g) ?? []);

async function listedIds(filter: Record<string, unknown>): Promise<string[]> {
  const { json } = await service.list({ individualId: individual, dataBatchCount: 100, ...filter });
  return (json.transactions as { transactionId: string }[]).map(({ transactionId }) => transactionId);
}

describe('one transaction', () => {
  it('shows what became of it, step by step', async () => {
    const id = await service.createUser();
    const first = row(id, {
      transactionId: 'changing',
      amount: '10',
      transactionCategory: 'Debit',
      transactionStatus: 'Pending',
      paymentNotes: '',
    });
    await service.record([first]);
    await service.record([{ ...first, amount: '9.21' }]);
    await service.record([{ ...first, amount: '9.21', transactionStatus: 'Accepted', paymentNotes: 'Tip left out' }]);
    const page = await openWallet(service, `?individual=${id}&activity-transaction=changing`);
    const steps = page.getByRole('region', { name: 'History' }).getByRole('listitem');
    await expect.poll(() => steps.count()).toBe(3);
    const lines = await steps.evaluateAll((items) =>
      items.map((item) => [...item.querySelectorAll('p')].map((line) => line.textContent)),
    );
    expect(lines).toEqual([
      ['Recorded'],
      ['Amount: −€10.00 → −€9.21'],
      ['Status: Pending → Completed', 'Note: – → Tip left out'],
    ]);
    expect(await steps.locator('time').count()).toBe(3);
    await expectAccessible(page);
    await expectFits(page);
  });

  it('can be kept as a document, by keyboard', async () => {
    const page = await open('&activity-transaction=d-42');
    const button = page.getByRole('button', { name: 'Confirmation (PDF)' });
    await button.focus();
    const { name, lines } = await savedBy(page, () => page.keyboard.press('Enter'));
    expect(name).toBe('confirmation-d-42.pdf');
    expect(lines[1]).toBe('Transaction confirmation');
    expect(lines.join('\n')).toContain('43.25 EUR');
    expect(new Set(idsIn(lines))).toEqual(new Set(['d-42']));
    await page.getByRole('dialog').getByText('The file is ready.').waitFor();
  });
});

describe('a statement', () => {
  it('has exactly the rows that are filtered', async () => {
    const page = await open('&activity-search=even&activity-from=2026-01-10&activity-to=2026-02-20');
    await page.getByText('Export', { exact: true }).click();
    const { name, lines } = await savedBy(page, () =>
      page.getByRole('button', { name: 'Statement (PDF)', exact: true }).first().click(),
    );
    expect(name).toBe(`statement-${individual}.pdf`);
    const expected = await listedIds({
      search: 'even',
      timestampFrom: '2026-01-09T23:00:00Z',
      timestampTo: '2026-02-20T22:59:59Z',
    });
    expect(expected.length).toBeGreaterThan(10);
    expect(idsIn(lines)).toEqual(expected.toReversed());
    expect(lines.join('\n')).toContain('10 Jan 2026 – 20 Feb 2026');
  });

  it('is in the language of the page, also from right to left', async () => {
    const page = await open('&activity-search=shop+77&locale=ar');
    await page.locator('.export summary').click();
    const { lines } = await savedBy(page, () => page.locator('.export button').first().click());
    // The words from left to right.
    expect(lines[1]).toBe('الحساب كشف');
  });
});

const controls = /Search|Filters|Jump to date|Export|Sandbox|Refresh|Statement|Spending by type/;

it('the totals of a filter are those of the API, for each currency, and the button prints every row of it, and no controls', async () => {
  const page = await open('&activity-search=even');
  const { json } = await service.call('/app/summarize-transactions', {
    individualId: individual,
    search: 'even',
    by: 'month',
  });
  const sum = (currency: string, name: 'moneyIn' | 'moneyOut') => {
    const cents = json.periods
      .filter((period: { currency: string }) => period.currency === currency)
      .reduce((total: number, period: Record<string, number>) => total + Math.round(period[name]! * 100), 0);
    return (cents / 100).toLocaleString('en-GB', { style: 'currency', currency });
  };
  const totals = page.getByRole('region', { name: 'Total' });
  expect(await totals.locator('dd').allInnerTexts()).toEqual(
    ['EUR', 'USD'].flatMap((currency) => [sum(currency, 'moneyIn'), sum(currency, 'moneyOut')]),
  );
  await expectAccessible(page);
  await expectFits(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.evaluate('window.print = () => (window.isPrinted = true)');
  await page.getByText('Export', { exact: true }).click();
  await page.getByRole('button', { name: 'Print' }).click();
  await expect.poll(() => page.evaluate('window.isPrinted')).toBe(true);
  const lines = (await readPdf(await page.pdf({ format: 'A4' }))).pages.flat();
  expect(idsIn(lines)).toEqual(await listedIds({ search: 'even' }));
  expect(lines.join('\n')).not.toMatch(controls);
  // Afterwards the screen is as it was.
  await expect.poll(() => page.locator('.printed').count()).toBe(0);
});

it('without a filter there are no totals, the browser’s own command prints the rows on screen, and no controls, and the statement of a month is one press away, in the chart', async () => {
  const page = await open();
  expect(await page.getByRole('region', { name: 'Total' }).count()).toBe(0);
  const text = (await readPdf(await page.pdf({ format: 'A4' }))).pages.flat().join('\n');
  expect(text).toContain('Shop 88');
  expect(text).toContain('March');
  expect(text).not.toMatch(controls);

  await page.getByLabel('Jump to date').fill('2026-02-28');
  const button = page.getByRole('button', { name: 'Statement for February 2026 (PDF)' });
  await button.waitFor();
  const { name, lines } = await savedBy(page, () => button.click());
  expect(name).toBe(`statement-${individual}-2026-02.pdf`);
  const expected = await listedIds({ timestampFrom: '2026-01-31T23:00:00Z', timestampTo: '2026-02-28T22:59:59Z' });
  expect(expected).toHaveLength(28);
  expect(idsIn(lines)).toEqual(expected.toReversed());
});

it('a statement that would be too long is not offered, and a month that is too long is refused in the viewer’s language', async () => {
  expect(maxStatementRows).toBe(allowedRows);
  const id = await service.createUser();
  const lines = Array.from({ length: maxStatementRows + 1 }, (_, index) => {
    const timeStamp = new Date(Date.UTC(2026, 3, 1) + index * 100_000).toISOString();
    return `{"individualId":${id},"transactionId":"long-${index}","amount":1,"currency":"EUR","timeStamp":"${timeStamp}"}`;
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  await service.call('/app/record-transactions', undefined, { raw: lines.join('\n'), headers });
  const page = await openPage(`${service.url}/wallet?individual=${id}&locale=de`, { expected: /status of 400/ });
  await page.locator('.screen[aria-busy="false"]').waitFor();
  await page.locator('summary').filter({ hasText: 'Export' }).click();
  const menu = page.locator('.menu');
  await menu.getByText('Ein Kontoauszug hat höchstens 10.000 Zeilen.').waitFor();
  expect(await menu.getByRole('button', { name: /Kontoauszug/ }).count()).toBe(0);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Kontoauszug für April 2026/ }).click();
  await page.getByRole('status').getByText('Ein Kontoauszug hat höchstens 10.000 Zeilen.').waitFor();
});
