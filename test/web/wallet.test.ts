import { readFile } from 'node:fs/promises';
import type { Download, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsvRecords } from '../../src/formats/csv.ts';
import { clientCredentials, createClient, parseExact, type Client, type Transaction } from '../../client/index.ts';
import { expectAccessible, expectNarrow, expectRenderedText, openPage, type OpenOptions } from '../harness/page.ts';
import { startService, type Service } from '../harness/service.ts';

let service: Service;
let client: Client;
/** Somebody with 10,000 transactions, over many days and in two currencies. */
let busy: number;
beforeAll(async () => {
  service = await startService();
  const { url: baseUrl } = service;
  client = createClient({
    baseUrl,
    token: clientCredentials({ baseUrl, clientId: 'sandbox', clientSecret: 'sandbox' }),
  });
  busy = (await client.createUser()).id;
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    individualId: busy,
    transactionId: `b-${String(index).padStart(5, '0')}`,
    amount: `${(index % 500) + 1}.${String(index % 100).padStart(2, '0')}`,
    currency: index % 10 === 0 ? 'USD' : 'EUR',
    // Unevenly: some days have one row, some hundreds.
    timeStamp: new Date(Date.UTC(2026, 0, 1) + Math.floor(index ** 1.3) * 240_000).toISOString(),
    transactionType: ['CARD', 'P2P', 'SEPA'][index % 3]!,
    transactionCategory: index % 4 === 0 ? 'Credit' : 'Debit',
    transactionStatus: index % 7 === 0 ? 'Pending' : 'Accepted',
    senderName: `Sender ${index % 50}`,
    receiverName: `Shop ${index % 50}`,
    paymentNotes: index % 20 === 0 ? 'Holiday 100%' : '',
    paymentSystem: 'CARD',
  }));
  for (let from = 0; from < rows.length; from += 2500) await client.recordTransactions(rows.slice(from, from + 2500));
});
afterAll(() => service.stop());

async function openWallet(query: string, options?: OpenOptions): Promise<Page | undefined> {
  const page = await openPage(`${service.url}/wallet${query}`, options);
  await page?.locator('button.row').first().waitFor();
  // The totals, too.
  await page?.locator('.screen[aria-busy="false"]').waitFor();
  return page;
}

const count = (page: Page) => page.locator('.title > div').first().locator('p').innerText();
/** The ids of the rows in the document, in order. */
const shownIds = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelector('ledgerline-activity').shadowRoot.querySelectorAll('button.row')]
      .sort((a, b) => a.dataset.row - b.dataset.row).map(({ dataset }) => dataset.id)`,
  );
const scroller = (page: Page) => page.locator('ledgerline-activity');

/** Answers of one path wait until they are released. */
async function hold(page: Page, pathname: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(pathname, async (route) => {
    await held;
    await route.continue();
  });
  return () => release();
}

async function all(request: Omit<Parameters<Client['listTransactions']>[0], 'dataBatch'>): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const row of client.transactions({ dataBatchCount: 1000, ...request })) rows.push(row);
  return rows;
}

describe('the list', () => {
  it('shows the demo individual’s days with their totals, without being told anything', async () => {
    const page = await openWallet('');
    if (!page) return;
    await expectRenderedText(page, 'Activity');
    const { periods } = await client.summarizeTransactions({ individualId: 1, timeZone: 'Europe/Berlin' });
    expect(await count(page)).toBe(`${periods.reduce((sum, period) => sum + period.count, 0)} transactions`);
    const day = page.locator('.list section').first();
    const [newest] = periods;
    expect(await day.getAttribute('data-day')).toBe(newest!.from);
    const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' });
    if (newest!.moneyOut > 0) expect(await day.innerText()).toContain(`−${money.format(newest!.moneyOut)}`);
    const { transactions } = await client.listTransactions({ individualId: 1, dataBatch: 1, dataBatchCount: 5 });
    expect((await shownIds(page)).slice(0, 5)).toEqual(transactions.map(({ transactionId }) => transactionId));
  });

  it('sums up each day in each currency, exactly as the API does', async () => {
    const page = await openWallet(`?individual=${busy}`, { viewport: { width: 900, height: 2000 } });
    if (!page) return;
    const { periods } = await client.summarizeTransactions({ individualId: busy, timeZone: 'Europe/Berlin' });
    const money = (text: string, currency: string) =>
      new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(text as `${number}`);
    const shown = await page.locator('.list section').evaluateAll((days) =>
      days.map((day) => ({
        day: day.getAttribute('data-day')!,
        sums: [...day.querySelectorAll('.day p > span')].map((sum) => sum.textContent!),
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
  });

  it('tells debit from credit and marks what is pending, in words as well as by colour', async () => {
    const page = await openWallet(`?individual=${busy}`);
    if (!page) return;
    const rows = await all({ individualId: busy });
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
    'scrolls through 10,000 rows, each seen once, with few of them in the document',
    { timeout: 180_000 },
    async () => {
      const page = await openWallet(`?individual=${busy}`, { viewport: { width: 360, height: 2400 } });
      if (!page) return;
      expect(await count(page)).toBe('10,000 transactions');
      const walked = await page.evaluate<{
        byRow: [number, string][];
        mostRows: number;
        mostNodes: number;
      }>(`(async () => {
      const box = document.querySelector('ledgerline-activity');
      const root = box.shadowRoot;
      const byRow = new Map();
      let mostRows = 0, mostNodes = 0;
      const frame = () => new Promise(requestAnimationFrame);
      for (;;) {
        await frame();
        await frame();
        for (let tries = 0; root.querySelector('.list .waiting') && tries < 500; tries += 1) await frame();
        const rows = [...root.querySelectorAll('button.row')];
        mostRows = Math.max(mostRows, rows.length);
        mostNodes = Math.max(mostNodes, root.querySelectorAll('*').length);
        for (const { dataset } of rows) {
          const before = byRow.get(dataset.row);
          if (before !== undefined && before !== dataset.id) throw new Error('Row ' + dataset.row + ' changed');
          byRow.set(dataset.row, dataset.id);
        }
        if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) break;
        box.scrollTop += box.clientHeight + 600;
      }
      return { byRow: [...byRow].map(([row, id]) => [Number(row), id]), mostRows, mostNodes };
    })()`);
      const seen = walked.byRow.sort(([a], [b]) => a - b).map(([, id]) => id);
      expect(seen).toHaveLength(10_000);
      expect(seen).toEqual((await all({ individualId: busy })).map(({ transactionId }) => transactionId));
      expect(walked.mostRows).toBeLessThan(80);
      expect(walked.mostNodes).toBeLessThan(2000);
    },
  );

  it('holds still while rows arrive, and shows them when asked to', async () => {
    const { id } = await client.createUser();
    const row = (index: number) => ({
      individualId: id,
      transactionId: `n-${index}`,
      amount: '1',
      currency: 'EUR',
      timeStamp: `2026-03-01T00:${String(10 + index).padStart(2, '0')}:00Z`,
    });
    await client.recordTransactions(Array.from({ length: 30 }, (_, index) => row(index)));
    const page = await openWallet(`?individual=${id}`);
    if (!page) return;
    await client.recordTransactions([row(40)]);
    await scroller(page).evaluate((box) => box.scrollTo({ top: 1e6 }));
    await page.locator('[data-id="n-0"]').waitFor();
    expect(await page.locator('[data-id="n-40"]').count()).toBe(0);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => count(page)).toBe('31 transactions');
  });

  it('jumps to a date, and to a month of the chart', async () => {
    const page = await openWallet(`?individual=${busy}`);
    if (!page) return;
    const topDay = () =>
      page.evaluate<string>(`(() => {
        const root = document.querySelector('ledgerline-activity').shadowRoot;
        const edge = root.querySelector('.bar').getBoundingClientRect().bottom + 60;
        return [...root.querySelectorAll('.list section')].find((day) => day.getBoundingClientRect().bottom > edge)?.dataset.day;
      })()`);
    const target = (await all({ individualId: busy, timestampTo: '2026-02-15T22:59:59Z' }))[0]!;
    await page.getByLabel('Jump to date').fill('2026-02-15');
    await expect.poll(topDay).toBe(new Date(Date.parse(target.timeStamp) + 3_600_000).toISOString().slice(0, 10));
    await page.locator(`[data-id="${target.transactionId}"]`).waitFor();
    await page.getByRole('button', { name: 'Jump to May 2026' }).click();
    await expect.poll(async () => (await topDay()).slice(0, 7)).toBe('2026-05');
  });

  it('the chart’s table holds the months’ exact sums', async () => {
    const page = await openWallet(`?individual=${busy}&currency=EUR`);
    if (!page) return;
    const { periods } = await client.summarizeTransactions({
      individualId: busy,
      by: 'month',
      currency: 'EUR',
      timeZone: 'Europe/Berlin',
    });
    const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' });
    const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const expected = periods
      .slice(0, 12)
      .reverse()
      .map(({ from, moneyInText, moneyOutText }) =>
        [
          month.format(new Date(from)),
          ...[moneyInText, moneyOutText].map((text) => money.format(text as `${number}`)),
        ].join('|'),
      );
    const rows = await page
      .locator('table tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join('|')));
    expect(rows).toEqual(expected);
  });
});

describe('filters', () => {
  it('find what the API finds, stand in the address, and survive it being shared', async () => {
    const page = await openWallet(`?individual=${busy}`);
    if (!page) return;
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
    const expected = await all({
      individualId: busy,
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
      individual: String(busy),
      from: '2026-01-10',
      to: '2026-04-20',
      amountFrom: '20',
      amountTo: '300.50',
      type: 'CARD',
      status: 'Pending',
      category: 'Debit',
      search: 'shop 1',
    });
    await page.reload();
    await page.locator('button.row').first().waitFor();
    expect(await shownIds(page)).toEqual(
      expected.slice(0, (await shownIds(page)).length).map(({ transactionId }) => transactionId),
    );
    await page.getByRole('button', { name: /^Remove filter: ≥|^Remove filter: 20 – 300\.50/ }).click();
    expect(new URL(page.url()).searchParams.has('amountFrom')).toBe(false);
  });

  it('say what is wrong with a range instead of asking for it', async () => {
    const page = await openWallet(`?individual=${busy}`);
    if (!page) return;
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('At least').fill('1e3');
    await page.getByRole('button', { name: 'Show results' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('10.50');
    await page.getByLabel('At least').fill('30');
    await page.getByLabel('At most').fill('20');
    await page.getByRole('button', { name: 'Show results' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('must not be after');
  });

  it('what fits nothing says so, and nonsense in the address filters nothing', async () => {
    const page = await openPage(`${service.url}/wallet?individual=${busy}&search=nobody-at-all`);
    if (!page) return;
    await page.getByRole('heading', { name: 'No matches' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => count(page)).toBe('10,000 transactions');
    await page.goto(`${service.url}/wallet?individual=${busy}&from=yesterday&amountFrom=1e9`);
    await expect.poll(() => count(page)).toBe('10,000 transactions');
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
    const { id } = await client.createUser();
    const row = (index: number) => ({
      individualId: id,
      transactionId: `x-${index}`,
      amount: `${index}.50`,
      currency: 'USD',
      timeStamp: `2026-04-${10 + (index % 9)}T12:00:00Z`,
      paymentNotes: index % 2 === 0 ? '=Holiday 100%' : 'Holiday 1000',
    });
    await client.recordTransactions(Array.from({ length: 300 }, (_, index) => row(index)));
    const page = await openWallet(`?individual=${id}&search=holiday+100%25&amountFrom=20`, { acceptDownloads: true });
    if (!page) return;
    const expected = await all({ individualId: id, search: 'holiday 100%', amountFrom: '20' });
    expect(await count(page)).toBe(`${expected.length} transactions`);
    // What arrives after the list was made is not in what is exported from it.
    await client.recordTransactions([row(400)]);
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

describe('one transaction', () => {
  it('opens in a sheet, stands in the address, and gives the focus back', async () => {
    const page = await openWallet('');
    if (!page) return;
    const row = page.locator('button.row').nth(1);
    const id = (await row.getAttribute('data-id'))!;
    await row.click();
    const sheet = page.getByRole('dialog', { name: 'Transaction' });
    const { senderName, receiverName } = await client.getTransaction({ transactionId: id, individualId: 1 });
    const told = await sheet.innerText();
    for (const fact of [id, senderName, receiverName]) expect(told).toContain(fact);
    expect(new URL(page.url()).searchParams.get('transaction')).toBe(id);
    await expectAccessible(page);
    await expectNarrow(page);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('transaction')).toBe(false);
    await page.goto(`${service.url}/wallet?transaction=${id}`);
    await page.getByRole('dialog', { name: 'Transaction' }).getByText(receiverName).first().waitFor();
  });
});

describe('what stands in the way', () => {
  it('no transactions at all', async () => {
    const { id } = await client.createUser();
    const page = await openPage(`${service.url}/wallet?individual=${id}`, { expected: /status of 404/ });
    if (!page) return;
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
  });

  it('nobody of that id', async () => {
    const page = await openPage(`${service.url}/wallet?individual=2000000000`, { expected: /status of 400/ });
    if (!page) return;
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    expect(await page.locator('.state').innerText()).toMatch(/Unknown individual\.[^]*Reference 00-/);
    await expectAccessible(page);
  });

  it('no connection: what is there stays, and it goes on by itself', async () => {
    const page = await openWallet('', { expected: /ERR_INTERNET_DISCONNECTED/ });
    if (!page) return;
    await page.context().setOffline(true);
    await page.getByRole('alert').getByText('You are offline').waitFor();
    expect(await page.locator('button.row').count()).toBeGreaterThan(3);
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it.each([
    ['no connection from the first', 'You are offline', (route: Route) => route.abort()],
    ['a service that fails', 'Something went wrong', (route: Route) => route.fulfill({ status: 500, body: '' })],
  ])('%s: it says so, and trying again helps', async (_, title, answer) => {
    const page = await openPage(`${service.url}/`);
    if (!page) return;
    page.removeAllListeners('console');
    await page.route('**/app/**', answer);
    await page.goto(`${service.url}/wallet`);
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.locator('button.row, .skeleton, .chart').count()).toBe(0);
    await expectAccessible(page);
    await expectNarrow(page);
    await page.unroute('**/app/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('button.row').first().waitFor();
  });

  it('totals that fail leave the rows, and a way to ask again', async () => {
    const page = await openPage(`${service.url}/`);
    if (!page) return;
    page.removeAllListeners('console');
    await page.route('**/app/summarize-transactions', (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto(`${service.url}/wallet`);
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    expect(await page.locator('button.row').count()).toBeGreaterThan(3);
    await page.unroute('**/app/summarize-transactions');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Money in and out by month' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a session that ended, and one begun again', async () => {
    const page = await openPage(`${service.url}/`);
    if (!page) return;
    let closed = true;
    await page.route('**/connect/token', (route) =>
      closed ? route.fulfill({ json: { access_token: 'expired', expires_in: 60 } }) : route.continue(),
    );
    page.removeAllListeners('console');
    await page.goto(`${service.url}/wallet`);
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await expectAccessible(page);
    closed = false;
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.locator('button.row').first().waitFor();
  });

  it('where there is no sandbox, a person brings a token', async () => {
    const page = await openPage(`${service.url}/`);
    if (!page) return;
    page.removeAllListeners('console');
    await page.route('**/wallet', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('data-mode="sandbox"', 'data-mode="production"');
      await route.fulfill({ response, body });
    });
    await page.goto(`${service.url}/wallet`);
    const field = page.getByLabel('Access token');
    await field.fill('not a token');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('That token was refused').waitFor();
    await field.fill(await service.token('transactions:read', 1));
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.locator('button.row').first().waitFor();
  });

  it('a slow service: the shape of what is to come, the rows before the totals, and nothing moves', async () => {
    const page = await openPage(`${service.url}/`, { viewport: { width: 390, height: 1400 } });
    if (!page) return;
    const releaseRows = await hold(page, '**/app/get-all-transactions');
    const releaseTotals = await hold(page, '**/app/summarize-transactions');
    await page.goto(`${service.url}/wallet?individual=${busy}`);
    await page.locator('.skeleton').waitFor();
    expect(await count(page)).toBe('Loading transactions');
    await expectAccessible(page);
    const places = async () =>
      Promise.all(['.bar', '.chart'].map(async (part) => (await page.locator(part).boundingBox())!));
    const waiting = await places();

    releaseRows();
    const row = page.locator('button.row[data-row="3"]');
    await row.waitFor();
    expect(await count(page)).toBe('10,000 transactions');
    expect(await places()).toEqual(waiting);
    expect(await page.locator('.screen').getAttribute('aria-busy')).toBe('true');
    expect(await page.getByLabel('Jump to date').isDisabled()).toBe(true);
    await expectAccessible(page);
    const place = await row.boundingBox();

    releaseTotals();
    await page.locator('.screen[aria-busy="false"]').waitFor();
    await page.getByRole('region', { name: 'Money in and out by month' }).waitFor();
    expect(await row.boundingBox()).toEqual(place);
    const [bar, chart] = await places();
    expect([bar, chart!.height]).toEqual([waiting[0], waiting[1]!.height]);
  });

  it('a refresh far down in the list leaves the viewer there', async () => {
    const page = await openWallet(`?individual=${busy}`);
    if (!page) return;
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

describe('for every viewer', () => {
  it('axe finds nothing, light and dark, and 320 pixels are enough', async () => {
    const page = await openWallet('');
    if (!page) return;
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Filters' }).click();
    await expectAccessible(page);
    await expectNarrow(page);
    await page.keyboard.press('Escape');
    await expectNarrow(page);
    await expectAccessible(page);
  });

  it('the keyboard alone reaches a row far away, its details, the filters and the export', async () => {
    const page = await openWallet(`?individual=${busy}`, { acceptDownloads: true });
    if (!page) return;
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
    const expected = await all({ individualId: busy, amountFrom: '499' });
    await expect.poll(() => count(page)).toBe(`${expected.length} transactions`);
    await back('Export');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Data (NDJSON)');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.map(parseExact)).toEqual(expected);
    await expect.poll(focused).toBe('Export');
  });

  it('amounts and dates are the locale’s, and a script from the right turns the page around', async () => {
    const german = await openWallet('', { locale: 'de-DE' });
    if (!german) return;
    expect(await german.locator('.sums dd').first().innerText()).toMatch(/^[\d.]+,\d\d\s€$/);
    const arabic = await openWallet('?locale=ar-EG');
    if (!arabic) return;
    expect(await arabic.evaluate('document.documentElement.dir')).toBe('rtl');
    const row = arabic.locator('button.row').first();
    const [badge, amount] = [await row.locator('.badge').boundingBox(), await row.locator('.amount').boundingBox()];
    expect(badge!.x).toBeGreaterThan(amount!.x);
    await expectAccessible(arabic);
    await expectNarrow(arabic);
  });
});
