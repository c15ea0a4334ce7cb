/** The list of the wallet page, its chart, and one transaction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, expectRenderedText, openPage } from '../harness/browser/page.ts';
import { addDecimals } from '../../web/intl/money.ts';
import { startService } from '../harness/service.ts';
import { count, hold, scroller, shownIds, topDay, walletOf, type Wallet } from '../harness/browser/wallet.ts';
import { isFull, sized } from '../harness/size.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService());
});
afterAll(() => wallet.service.stop());

describe('the list', () => {
  it('shows the demo individual’s days with their totals, without any settings', async () => {
    const page = await wallet.open('');
    await expectRenderedText(page, 'Activity');
    const { periods } = await wallet.client.summarizeTransactions({ individualId: 1, timeZone: 'Europe/Berlin' });
    expect(await count(page)).toBe(`${periods.reduce((sum, period) => sum + period.count, 0)} transactions`);
    const day = page.locator('.list section').first();
    const [newest] = periods;
    expect(await day.getAttribute('data-day')).toBe(newest!.from);
    const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' });
    if (newest!.moneyOut > 0) expect(await day.innerText()).toContain(`−${money.format(newest!.moneyOut)}`);
    const { transactions } = await wallet.client.listTransactions({ individualId: 1, dataBatch: 1, dataBatchCount: 5 });
    expect((await shownIds(page)).slice(0, 5)).toEqual(transactions.map(({ transactionId }) => transactionId));
  });

  it('sums up each day in each currency, exactly as the API does, and tells debit from credit and what is pending in words as well as by colour', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`, { viewport: { width: 900, height: 2000 } });
    const { periods } = await wallet.client.summarizeTransactions({
      individualId: wallet.busy,
      timeZone: 'Europe/Berlin',
    });
    const money = (text: string, currency: string) =>
      new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(text as `${number}`);
    const shown = await page.locator('.list section').evaluateAll((days) =>
      days.map((day) => ({
        day: day.getAttribute('data-day')!,
        sums: [...day.querySelectorAll('.day p > span:not(.where-narrow)')].map((sum) => sum.textContent!),
      })),
    );
    expect(shown.length).toBeGreaterThan(2);
    expect(new Set(shown.flatMap(({ sums }) => sums).map((text) => /€|US\$/.exec(text)![0])).size).toBe(2);
    for (const { day, sums } of shown) {
      const expected = periods
        .filter(({ from }) => from === day)
        .flatMap(({ currency, moneyIn, moneyOut, moneyInText, moneyOutText }) => [
          ...(moneyIn > 0 ? [`Money in +${money(moneyInText, currency)}`] : []),
          ...(moneyOut > 0 ? [`Money out −${money(moneyOutText, currency)}`] : []),
        ]);
      expect([day, sums]).toEqual([day, expected]);
    }

    const { transactions: rows } = await wallet.client.listTransactions({
      individualId: wallet.busy,
      dataBatch: 1,
      dataBatchCount: 12,
    });
    const of = (id: string) => page.locator(`[data-id="${id}"]`);
    const credit = rows.find(({ transactionCategory }) => transactionCategory === 'Credit')!;
    const debit = rows.find(({ transactionCategory }) => transactionCategory === 'Debit')!;
    const pending = rows.find(({ transactionStatus }) => transactionStatus === 'Pending')!;
    expect(await of(credit.transactionId).locator('.amount').innerText()).toMatch(/^\+/);
    expect(await of(credit.transactionId).locator('.unseen').innerText()).toMatch(/^Received .+ from Sender/);
    expect(await of(debit.transactionId).locator('.amount').innerText()).toMatch(/^−/);
    expect(await of(debit.transactionId).locator('.unseen').innerText()).toMatch(/^Paid .+ to Shop/);
    expect(await of(pending.transactionId).innerText()).toContain('Pending');
  });

  it(
    'scrolls through both ends of 10,000 rows, each in its place, with few of them in the document',
    { timeout: 180_000 },
    async () => {
      const page = await wallet.open(`?individual=${wallet.busy}`, { viewport: { width: 360, height: 2400 } });
      expect(await count(page)).toBe('10,000 transactions');
      /** The part of the rows at each end. */
      const end = sized(0.05, 0.2);
      const walked = await page.evaluate<{
        byRow: [number, string][];
        maxRows: number;
        maxNodes: number;
      }>(`(async () => {
      const box = document.querySelector('ledgerline-activity');
      const root = box.shadowRoot;
      const byRow = new Map();
      let maxRows = 0, maxNodes = 0;
      const height = box.scrollHeight;
      const frame = () => new Promise(requestAnimationFrame);
      for (;;) {
        await frame();
        await frame();
        for (let tries = 0; root.querySelector('.list .waiting') && tries < 500; tries += 1) await frame();
        const rows = [...root.querySelectorAll('button.row')];
        maxRows = Math.max(maxRows, rows.length);
        maxNodes = Math.max(maxNodes, root.querySelectorAll('*').length);
        for (const { dataset } of rows) {
          const before = byRow.get(dataset.row);
          if (before !== undefined && before !== dataset.id) throw new Error('Row ' + dataset.row + ' changed');
          byRow.set(dataset.row, dataset.id);
        }
        if (box.scrollHeight !== height) throw new Error('The list moved');
        if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) break;
        const part = box.scrollTop / box.scrollHeight;
        if (part > ${end} && part < 0.99 - ${end}) box.scrollTop = box.scrollHeight * (1 - ${end});
        else box.scrollTop += box.clientHeight + 600;
      }
      return { byRow: [...byRow].map(([row, id]) => [Number(row), id]), maxRows, maxNodes };
    })()`);
      const seen = new Map(walked.byRow);
      const expected: string[] = [];
      for (const batch of new Set([...seen.keys()].map((row) => Math.floor(row / 1000)))) {
        const request = { individualId: wallet.busy, dataBatch: batch + 1, dataBatchCount: 1000 };
        const { transactions } = await wallet.client.listTransactions(request);
        transactions.forEach(({ transactionId }, row) => (expected[batch * 1000 + row] = transactionId));
      }
      for (const [row, id] of seen) expect([row, id]).toEqual([row, expected[row]]);
      const ends = Array.from({ length: 10_000 }, (_, row) => row).filter(
        (row) => row < 9500 * end || row >= 10_000 - 9500 * end,
      );
      expect(ends.filter((row) => !seen.has(row))).toEqual([]);
      expect(walked.maxRows).toBeLessThan(80);
      expect(walked.maxNodes).toBeLessThan(2000);
    },
  );

  it('holds still while rows arrive, and shows them when asked to', async () => {
    const { id } = await wallet.client.createUser();
    const row = (index: number) => ({
      individualId: id,
      transactionId: `n-${index}`,
      amount: '1',
      currency: 'EUR',
      timeStamp: `2026-03-01T00:${String(10 + index).padStart(2, '0')}:00Z`,
    });
    await wallet.client.recordTransactions(Array.from({ length: 30 }, (_, index) => row(index)));
    const page = await wallet.open(`?individual=${id}`);
    await wallet.client.recordTransactions([row(40)]);
    await scroller(page).evaluate((box) => box.scrollTo({ top: 1e6 }));
    await page.locator('[data-id="n-0"]').waitFor();
    expect(await page.locator('[data-id="n-40"]').count()).toBe(0);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => count(page)).toBe('31 transactions');
  });

  it('is complete also where the service and the browser disagree about the day of a row', async () => {
    const { id } = await wallet.client.createUser();
    // Three pages, noon by noon, so that each page has rows of several days.
    const rows = Array.from({ length: 300 }, (_, index) => ({
      individualId: id,
      transactionId: `z-${index}`,
      amount: '1',
      currency: 'EUR',
      timeStamp: new Date(Date.UTC(2026, 2, 1 + Math.floor(index / 30), 12, index % 30)).toISOString(),
    }));
    await wallet.client.recordTransactions(rows);
    let summaries = 0;
    const page = await openPage(`${wallet.service.url}/wallet?individual=${id}`, {
      prepare: (before) =>
        before.route('**/app/summarize-transactions', async (route) => {
          summaries += 1;
          const response = await route.fetch();
          const totals = (await response.json()) as { periods: { count: number }[] };
          // One row of the newest day counts for the day before.
          totals.periods[0]!.count -= 1;
          totals.periods[1]!.count += 1;
          await route.fulfill({ response, json: totals });
        }),
    });
    await page.locator('.screen[aria-busy="false"]').waitFor();
    expect(summaries).toBe(2);
    await scroller(page).evaluate((box) => box.scrollTo({ top: 1e6 }));
    await page.locator('[data-id="z-0"]').waitFor();
    expect(await page.locator('.screen').getAttribute('aria-busy')).toBe('false');
    expect(summaries).toBe(2);
  });

  it('jumps to a date, and to a month of the chart', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`);
    const before = { individualId: wallet.busy, timestampTo: '2026-02-15T22:59:59Z', dataBatch: 1, dataBatchCount: 1 };
    const target = (await wallet.client.listTransactions(before)).transactions[0]!;
    await page.getByLabel('Jump to date').fill('2026-02-15');
    await expect
      .poll(() => topDay(page))
      .toBe(new Date(Date.parse(target.timeStamp) + 3_600_000).toISOString().slice(0, 10));
    await page.locator(`[data-id="${target.transactionId}"]`).waitFor();
    await page.getByRole('button', { name: 'Jump to May 2026' }).click();
    await expect.poll(async () => (await topDay(page)).slice(0, 7)).toBe('2026-05');

    // By keyboard: the date can be read, a year of which one digit is typed leads nowhere, and Enter jumps again.
    const field = page.getByLabel('Jump to date');
    await field.focus();
    expect(await page.evaluate('getComputedStyle(document.activeElement.shadowRoot.activeElement).opacity')).toBe('1');
    await field.fill('0002-02-15');
    expect((await topDay(page)).slice(0, 7)).toBe('2026-05');
    await field.press('Enter');
    await expect.poll(() => topDay(page)).toBe('2026-01-01');
    await field.click();
    expect(await field.inputValue()).toBe('');
  });

  it('the chart has a scale that no column exceeds, and its table holds the months’ exact sums', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}&activity-currency=EUR`);
    const { periods } = await wallet.client.summarizeTransactions({
      individualId: wallet.busy,
      by: 'month',
      currency: 'EUR',
      timeZone: 'Europe/Berlin',
    });
    const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' });
    const net = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR', signDisplay: 'exceptZero' });
    const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const expected = periods
      .slice(0, 12)
      .reverse()
      .map(({ from, moneyInText, moneyOutText }) =>
        [
          month.format(new Date(from)),
          ...[moneyInText, moneyOutText].map((text) => money.format(text as `${number}`)),
          net.format(addDecimals(moneyInText, `-${moneyOutText}`) as `${number}`).replace('-', '−'),
        ].join('|'),
      );
    const rows = await page
      .locator('table tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join('|')));
    expect(rows).toEqual(expected);

    const [above, zero, below] = await page.locator('.scale bdi').allInnerTexts();
    expect([above, zero]).toEqual([below, '0']);
    expect(above).toMatch(/^€[\d.]+k?$/i);
    const largest = Number(above!.replace(/[€k]/gi, '')) * (/k/i.test(above!) ? 1000 : 1);
    const sums = periods.slice(0, 12).flatMap(({ moneyIn, moneyOut }) => [moneyIn, moneyOut]);
    expect(largest).toBeGreaterThanOrEqual(Math.max(...sums));
    expect(largest).toBeLessThanOrEqual(Math.max(...sums) * 2);
  });
});

it('the number of results is beside the filters, and the arrow keys open the menu of exports and go round it', async () => {
  const page = await wallet.open(`?individual=${wallet.busy}&activity-type=CARD`);
  expect(await page.locator('.chips .results').innerText()).toBe(await count(page));
  // Until the answer is there, the number and the sums of the filter before are not shown.
  const release = await hold(page, '**/app/get-all-transactions');
  await page.getByRole('button', { name: 'Money in', exact: true }).click();
  await expect.poll(() => page.locator('.results').innerText()).toBe('Loading transactions');
  expect(await page.locator('.totals').count()).toBe(0);
  release();
  await page.locator('.totals').waitFor();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByRole('button', { name: 'Remove filter: Card' }).click();
  await page.locator('.results').waitFor({ state: 'detached' });

  const focusedText = () => page.evaluate<string>('document.activeElement.shadowRoot.activeElement.textContent.trim()');
  await page.getByLabel('Export').focus();
  const seen: string[] = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home']) {
    await page.keyboard.press(key);
    seen.push(await focusedText());
  }
  const [first, second, last] = ['Statement (PDF)', 'Spreadsheet (CSV)', 'Print'];
  expect(seen).toEqual([first, second, last, first, last, first]);
});

describe('one transaction', () => {
  it('leads to the ones above and below it, and the last one gets the focus', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`);
    const ids = (await shownIds(page)).slice(0, 4);
    await page.locator('button.row').first().click();
    const sheet = page.getByRole('dialog', { name: 'Transaction' });
    const [newer, older] = ['Newer transaction', 'Older transaction'].map((name) =>
      sheet.getByRole('button', { name }),
    );
    expect(await newer!.getAttribute('aria-disabled')).toBe('true');
    for (const id of ids.slice(1)) {
      await older!.click();
      await sheet.getByText(id, { exact: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('activity-transaction')).toBe(id);
    }
    await newer!.click();
    await sheet.getByText(ids[2]!, { exact: true }).waitFor();
    if (isFull) await expectAccessible(page);
    // One step back closes the sheet.
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).searchParams.has('activity-transaction')).toBe(false);
    await expect.poll(() => page.evaluate('document.activeElement.shadowRoot.activeElement?.dataset.id')).toBe(ids[2]);
  });

  it('reads the next page of the list when it comes to its end', async () => {
    const { transactions: rows } = await wallet.client.listTransactions({
      individualId: wallet.busy,
      dataBatch: 1,
      dataBatchCount: 101,
    });
    const page = await wallet.open(`?individual=${wallet.busy}&activity-transaction=${rows[99]!.transactionId}`);
    const sheet = page.getByRole('dialog', { name: 'Transaction' });
    await expect
      .poll(() => sheet.getByRole('button', { name: 'Older transaction' }).getAttribute('aria-disabled'))
      .toBe('false');
    await sheet.getByRole('button', { name: 'Older transaction' }).click();
    await sheet.getByText(rows[100]!.transactionId, { exact: true }).waitFor();
  });

  it('leads to all payments with its name', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}&activity-category=Debit&activity-search=Shop+7`);
    await page.locator('button.row').first().click();
    await page.getByRole('button', { name: 'All payments with this name' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Search transactions').inputValue()).toMatch(/^Shop 7$/);
    await page.locator('button.row').first().waitFor();
    expect(new URL(page.url()).searchParams.get('activity-category')).toBe(null);
  });
});

it('a transaction opens in a sheet and is in the address; Back closes it and the filters, stays on the page, returns the focus, and takes back what the filters did', async () => {
  const page = await wallet.open('');
  const row = page.locator('button.row').nth(1);
  const id = (await row.getAttribute('data-id'))!;
  const address = () => new URL(page.url()).pathname + new URL(page.url()).search;
  const focusedId = () => page.evaluate('document.activeElement.shadowRoot.activeElement?.dataset.id');
  const sheet = page.getByRole('dialog', { name: 'Transaction' });
  await row.click();
  await sheet.waitFor();
  await page.goBack();
  await sheet.waitFor({ state: 'detached' });
  expect([address(), await focusedId()]).toEqual(['/wallet', id]);
  await page.goForward();
  await sheet.waitFor();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Filters' }).click();
  const filters = page.getByRole('dialog', { name: 'Filters' });
  await filters.waitFor();
  await page.goBack();
  await filters.waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toBe('/wallet');
  const all = await count(page);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Type').selectOption('Card');
  await page.getByRole('button', { name: 'Show results' }).click();
  await expect.poll(() => count(page)).not.toBe(all);
  await page.goBack();
  await expect.poll(() => count(page)).toBe(all);

  await row.click();
  const { senderName, receiverName } = await wallet.client.getTransaction({ transactionId: id, individualId: 1 });
  const shown = await sheet.innerText();
  for (const fact of [id, senderName, receiverName]) expect(shown).toContain(fact);
  expect(new URL(page.url()).searchParams.get('activity-transaction')).toBe(id);
  await expectNarrow(page);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).searchParams.has('activity-transaction')).toBe(false);
  await page.goto(`${wallet.service.url}/wallet?activity-transaction=${id}`);
  await sheet.getByText(receiverName).first().waitFor();
});
