/** What a person types, selects and presses in the wallet, also what makes no sense. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noFilter, readAddress, usableFilter } from '../../web/elements/activity/filter.ts';
import { formatMoney } from '../../web/intl/money.ts';
import { openPage } from '../harness/browser/page.ts';
import { startService } from '../harness/service.ts';
import { count, walletOf, type Wallet } from '../harness/browser/wallet.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService(), 500);
});
afterAll(() => wallet.service.stop());

describe('filters and addresses', () => {
  it.each(['2026-13-01', '2026-02-30', '12026-01-01', '0', 'today'])(
    'a day that does not exist (%s) filters nothing',
    (from) => {
      expect(readAddress(new URL(`http://host/wallet?activity-from=${from}&activity-to=${from}`), 'activity-')).toEqual(
        noFilter,
      );
      expect(usableFilter({ from, search: 'a' })).toEqual({ ...noFilter, search: 'a' });
    },
  );

  it('an amount beside a text that is no currency is shown as it is', () => {
    expect(formatMoney('en', '12.50', 'dollars')).toBe('12.50 dollars');
  });

  it('a day in the address that does not exist breaks nothing, values are typed with their spaces, and a currency may be none', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}&activity-from=2026-13-01`);
    expect(await count(page)).toBe('500 transactions');
    await page.getByRole('button', { name: 'Filters' }).click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByLabel('From').pressSequentially('01012026');
    await sheet.getByLabel('At least').pressSequentially('1 000');
    await sheet.getByLabel('Currency').selectOption({ label: 'Other …' });
    const typed = sheet.getByRole('textbox', { name: /currency/i });
    await typed.pressSequentially('US dollars');
    expect(await typed.inputValue()).toBe('US dollars');
    await sheet.getByRole('button', { name: 'Show results' }).click();
    await page
      .getByRole('button', { name: /US dollars/ })
      .first()
      .waitFor();
    await page.reload();
    await page
      .getByRole('button', { name: /US dollars/ })
      .first()
      .waitFor();
  });
});

it('text can be selected from inside a sheet to outside without closing it, and the menu of exports works where a button takes no focus when it is clicked', async () => {
  const page = await wallet.open(`?individual=${wallet.busy}`);
  await page.locator('button.row').first().click();
  const sheet = page.getByRole('dialog');
  const box = (await sheet.getByRole('heading').first().boundingBox())!;
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(5, 5, { steps: 3 });
  await page.mouse.up();
  expect(await sheet.isVisible()).toBe(true);
  await page.mouse.click(5, 5);
  await sheet.waitFor({ state: 'detached' });

  // As in Safari.
  await page.evaluate(`document.addEventListener('mousedown', (event) => {
    if (!event.composedPath().some(({ localName }) => localName === 'button')) return;
    event.preventDefault();
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    active?.blur();
  }, true)`);
  await page.getByLabel('Export').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
});

it('an export is not started twice, another one is, and one that stalls is given up', async () => {
  const page = await wallet.open(`?individual=${wallet.busy}`);
  await page.clock.install();
  let requests = 0;
  // An answer that begins and does not end.
  await page.exposeFunction('noteRequest', () => (requests += 1));
  await page.evaluate(`{
    const send = window.fetch;
    window.fetch = async (input, init) => {
      if (!String(input).includes('/app/statement')) return send(input, init);
      await window.noteRequest();
      return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) }));
    };
  }`);
  const start = async (name: string) => {
    await page.getByLabel('Export').click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  const statement = 'Statement (PDF)';
  await start(statement);
  await expect.poll(() => requests).toBe(1);
  await start(statement);
  await Promise.all([page.waitForEvent('download'), start('Spreadsheet (CSV)')]);
  expect(requests).toBe(1);
  await page.clock.fastForward(10_000);
  await page.getByText('The file is ready.').waitFor({ state: 'detached' });
  await page.clock.fastForward(60_000);
  await page.getByText('The service does not answer').waitFor();
  await start(statement);
  await expect.poll(() => requests).toBe(2);
});

it('a large export is written to a file while it arrives', async () => {
  const { service } = wallet;
  const id = await service.createUser();
  const rows = Array.from(
    { length: 10_001 },
    (_, index) =>
      `{"individualId":${id},"transactionId":"x-${index}","amount":1,"currency":"EUR","timeStamp":"2026-03-04T05:06:07Z"}`,
  );
  await service.call('/app/record-transactions', undefined, {
    raw: rows.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const page = await wallet.open(`?individual=${id}`);
  // A dialog of the browser cannot be used by a test; the file is a real one, of the origin's own file system.
  await page.evaluate(`{
    window.blobs = 0;
    Response.prototype.blob = () => { window.blobs += 1; };
    window.showSaveFilePicker = async ({ suggestedName }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  }`);
  await page.getByLabel('Export').click();
  await page.getByRole('button', { name: 'CSV' }).click();
  await page.getByText('The file is ready.').waitFor();
  const written = await page.evaluate<string>(`navigator.storage.getDirectory()
    .then((folder) => folder.getFileHandle('transactions-${id}.csv'))
    .then((handle) => handle.getFile())
    .then((file) => file.text())`);
  expect(written.trim().split('\n')).toHaveLength(10_002);
  expect(await page.evaluate('window.blobs')).toBe(0);
  // A person who closes the dialog reads no complaint.
  await page.evaluate(`window.showSaveFilePicker = async () => { throw new DOMException('', 'AbortError'); }`);
  await page.getByLabel('Export').click();
  await page.getByRole('button', { name: 'CSV' }).click();
  await page.locator('.toast').waitFor({ state: 'detached' });
});

describe('the focus of the keyboard stays near what disappears', () => {
  const inElement = (page: Page, what: string) =>
    page.evaluate<string | undefined>(`document.activeElement.shadowRoot?.activeElement?.${what}`);

  async function press(page: Page, name: string | RegExp): Promise<void> {
    await page.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name }).waitFor({ state: 'detached' });
  }

  it('when a filter is removed by its chip, when all are cleared, and when trying again succeeds', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}&activity-type=CARD&activity-status=Pending`, {
      expected: /status of 400/,
    });
    await press(page, 'Remove filter: Card');
    await expect.poll(() => inElement(page, 'ariaLabel')).toBe('Remove filter: Pending');
    await press(page, 'Remove filter: Pending');
    await expect.poll(() => inElement(page, 'textContent')).toBe('Money out');

    await page.getByLabel('Search transactions').fill('nobody-at-all');
    await page.getByRole('heading', { name: 'No matches' }).waitFor();
    await press(page, 'Clear all');
    await expect.poll(() => inElement(page, 'dataset.row')).toBe('0');

    const answer = { status: 400, contentType: 'application/problem+json', body: '{"status":400}' };
    await page.route('**/app/get-all-transactions', (route) => route.fulfill(answer));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await press(page, 'Try again');
    await expect.poll(() => inElement(page, 'dataset.row')).toBe('0');
  });

  it('when new rows are shown, and when the chart is at its last page', async () => {
    const id = (await wallet.client.createUser()).id;
    const row = (month: number) => ({
      individualId: id,
      transactionId: `month-${month}`,
      amount: '1',
      currency: 'EUR',
      timeStamp: new Date(Date.UTC(2024, month, 3)).toISOString(),
    });
    await wallet.client.recordTransactions(Array.from({ length: 24 }, (_, month) => row(month)));
    const page = await wallet.open(`?individual=${id}`);
    await wallet.client.recordTransactions([row(24)]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await press(page, '1 new');
    await expect.poll(() => inElement(page, 'dataset.row')).toBe('0');

    const turn = page.getByRole('button', { name: 'Earlier months' });
    await turn.focus();
    expect(await turn.getAttribute('aria-disabled')).toBe('false');
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Enter');
    expect(await turn.getAttribute('aria-disabled')).toBe('true');
    expect(await inElement(page, 'ariaLabel')).toBe('Earlier months');
  });
});

it('a transaction that cannot be read says why, not that it does not exist', async () => {
  const page = await openPage(`${wallet.service.url}/wallet?individual=${wallet.busy}&activity-transaction=b-00001`, {
    expected: /status of 400/,
    prepare: (before) =>
      before.route('**/app/get-transaction', (route) =>
        route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: '{"title":"Bad Request","status":400}',
        }),
      ),
  });
  const complaint = page.getByRole('dialog').locator('.complaint');
  await complaint.waitFor();
  expect(await complaint.innerText()).not.toContain('does not exist');
});

it('the heading of a day names the totals of every currency', async () => {
  const id = (await wallet.client.createUser()).id;
  const currencies = ['EUR', 'USD', 'GBP', 'CHF', 'JPY'];
  await wallet.client.recordTransactions(
    [...currencies, 'USD'].map((currency, index) => ({
      individualId: id,
      transactionId: `${currency}-${index}`,
      amount: `${index + 1}00`,
      currency,
      timeStamp: index < currencies.length ? '2026-02-03T04:05:06Z' : '2026-02-01T04:05:06Z',
      transactionCategory: 'Debit',
    })),
  );
  const page = await wallet.open(`?individual=${id}`);
  const heading = page.locator('.day').first();
  // The currency with the most days is the main one.
  expect(await heading.locator('p > span').first().innerText()).toContain('US$');
  for (const width of [1280, 640, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const names = await heading.innerText();
    for (const sum of ['€', '$', '£', 'CHF', '¥'])
      expect([width, names]).toEqual([width, expect.stringContaining(sum)]);
    // The date is whole, and so is every amount that is shown.
    const cut = await heading.evaluate((element) =>
      [...element.querySelectorAll('h3, p')]
        .filter((part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1)
        .map((part) => part.textContent),
    );
    expect([width, cut]).toEqual([width, []]);
    expect(await heading.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
  }
});

it('a type and a status that are called like a built-in member are shown in words, as every other', async () => {
  const id = (await wallet.client.createUser()).id;
  await wallet.client.recordTransactions([
    {
      individualId: id,
      transactionId: 'c1',
      amount: '1.00',
      currency: 'EUR',
      timeStamp: '2026-02-03T04:05:06Z',
      transactionType: 'constructor',
      transactionStatus: 'toString',
      receiverName: 'A shop',
      paymentNotes: 'שכר דירה',
    },
  ]);
  const page = await wallet.open(`?individual=${id}`);
  // A note from right to left changes nothing of what is beside it.
  const [note, type] = await page.locator('.what .more > *').all();
  expect((await note!.boundingBox())!.x).toBeLessThan((await type!.boundingBox())!.x);
  await page.locator('button.row').first().click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('Constructor', { exact: true }).waitFor();
  await sheet.getByText('To string', { exact: true }).waitFor();
});

it.each(['America/New_York', 'Asia/Tokyo'])(
  'rows of the first and the last day of the calendar are shown, in %s',
  async (timezoneId) => {
    const id = (await wallet.client.createUser()).id;
    const row = { individualId: id, amount: '1.00', currency: 'EUR' };
    await wallet.client.recordTransactions([
      { ...row, transactionId: 'first', timeStamp: '0001-01-01T00:00:00Z' },
      { ...row, transactionId: 'last', timeStamp: '9999-12-31T23:59:59.999999Z' },
    ]);
    const page = await wallet.open(`?individual=${id}`, { timezoneId });
    await page.locator('.screen[aria-busy="false"]').waitFor();
    expect(await page.locator('.day').allInnerTexts()).toEqual([
      expect.stringContaining('31 December 9999'),
      expect.stringContaining('1 January 1'),
    ]);
    await page.getByRole('region', { name: 'Money in and out by month' }).waitFor();
    await page.locator('[data-id="first"]').click();
    await page.getByRole('dialog').waitFor();
  },
);
