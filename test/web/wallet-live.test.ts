/** New transactions while the wallet is open. */
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, openPage } from '../harness/browser/page.ts';
import { row, startService } from '../harness/service.ts';
import { count, scroller, shownIds, walletOf, type Wallet } from '../harness/browser/wallet.ts';

let wallet: Wallet;
beforeAll(async () => {
  wallet = await walletOf(await startService(), 500);
});
afterAll(() => wallet.service.stop());

/** Later than all rows that are there. */
const timeStamp = '2030-01-01T00:00:00Z';

/** Counts the states that the page is told of. */
const countStates = `
  window.states = 0;
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const response = await send(input, init);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    const count = (text) => (window.states += text.split('\\ndata:').length - 1);
    const counter = new TransformStream({
      transform(chunk, stream) {
        stream.enqueue(chunk);
        count('\\n' + new TextDecoder().decode(chunk));
      },
    });
    return new Response(response.body.pipeThrough(counter), response);
  };`;

describe('a pill', () => {
  it('says how many rows are new, moves nothing, and shows them when it is pressed', async () => {
    const page = await wallet.open(`?individual=${wallet.busy}`);
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 3000);
    await expect.poll(() => scroller(page).evaluate((box) => box.scrollTop)).toBeGreaterThan(2000);
    await page.locator('button.row').first().waitFor();
    const before = { top: await scroller(page).evaluate((box) => box.scrollTop), ids: await shownIds(page) };
    await wallet.service.record([row(wallet.busy, { transactionId: 'new-1', timeStamp })]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await wallet.service.record(
      ['new-2', 'new-3'].map((transactionId) => row(wallet.busy, { transactionId, timeStamp })),
    );
    const pill = page.getByRole('button', { name: '3 new' });
    await pill.waitFor();
    expect({ top: await scroller(page).evaluate((box) => box.scrollTop), ids: await shownIds(page) }).toEqual(before);
    expect(await count(page)).toBe('500 transactions');
    await expectAccessible(page, { alsoDark: true });

    await pill.click();
    await page.getByText('503 transactions').waitFor();
    await pill.waitFor({ state: 'detached' });
    expect((await shownIds(page)).slice(0, 3).sort()).toEqual(['new-1', 'new-2', 'new-3']);
    expect(await scroller(page).evaluate((box) => box.scrollTop)).toBe(0);
  });

  it('does not count what a filter may hide', async () => {
    const id = await wallet.service.createUser();
    await wallet.service.record([row(id, { senderName: 'Ada' })]);
    const page = await wallet.open(`?individual=${id}&activity-search=Ada`);
    await wallet.service.record([row(id, { senderName: 'Bob' })]);
    await page.getByRole('button', { name: 'New activity' }).click();
    await page.getByRole('button', { name: 'New activity' }).waitFor({ state: 'detached' });
    expect(await count(page)).toBe('1 transaction');
    await expectNarrow(page);
  });
});

it('a row that changes far down leaves the keyboard where it is, and the rows around it', async () => {
  const id = await wallet.service.createUser();
  const rows = Array.from({ length: 252 }, (_, index) =>
    row(id, {
      transactionId: `k-${index}`,
      timeStamp: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString(),
      transactionStatus: index === 0 ? 'Pending' : 'Accepted',
    }),
  );
  await wallet.service.record(rows);
  const page = await wallet.open(`?individual=${id}`);
  const focusedRow = () =>
    page.evaluate<string | undefined>('document.activeElement.shadowRoot?.activeElement?.dataset.row');
  const oldest = page.locator('[data-id="k-0"]');
  await page.locator('button.row').first().focus();
  await page.keyboard.press('End');
  await expect.poll(focusedRow).toBe('251');
  await page.keyboard.press('ArrowUp');
  await expect.poll(focusedRow).toBe('250');
  expect(await oldest.locator('.status').count()).toBe(1);

  // The list is read again, and the page with these rows does not come yet.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const isPageInView = (body: string | null) => JSON.parse(body!).dataBatch === 3;
  await page.route('**/app/get-all-transactions', async (route) => {
    if (isPageInView(route.request().postData())) await released;
    await route.continue();
  });
  const pagesRead: number[] = [];
  page.on('request', (request) => {
    if (/get-all/.test(request.url())) pagesRead.push(JSON.parse(request.postData()!).dataBatch);
  });
  const asked = page.waitForRequest((request) => /get-all/.test(request.url()) && isPageInView(request.postData()));
  await wallet.service.record([{ ...rows[0], transactionStatus: 'Accepted' }]);
  await asked;
  expect([await focusedRow(), await page.locator('.list .waiting').count()]).toEqual(['250', 0]);
  release();
  await oldest.locator('.status').waitFor({ state: 'detached' });
  expect([await focusedRow(), await page.locator('.list .waiting').count()]).toEqual(['250', 0]);
  // Only what is in view was read again.
  expect(new Set(pagesRead)).toEqual(new Set([3]));
  await page.keyboard.press('ArrowDown');
  await expect.poll(focusedRow).toBe('251');
});

it('a row that changes between the reading of the list and its arrival is drawn again', async () => {
  const id = await wallet.service.createUser();
  const pending = row(id, { transactionStatus: 'Pending', receiverName: 'Coffee Corner' });
  await wallet.service.record([pending]);
  const page = await openPage(`${wallet.service.url}/wallet?individual=${id}`, {
    prepare: (before) => before.addInitScript(countStates),
  });
  await page.locator('button.row .status').waitFor();
  await page.locator('.screen[aria-busy="false"]').waitFor();
  await expect.poll(() => page.evaluate('window.states')).toBe(1);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let hold = () => {};
  const isHeld = new Promise<void>((resolve) => (hold = resolve));
  const holdOne = async (route: Route) => {
    const response = await route.fetch();
    hold();
    await released;
    await route.fulfill({ response });
  };
  await page.route('**/app/get-all-transactions', holdOne, { times: 1 });
  await wallet.service.record([{ ...pending, receiverName: 'Tea Corner' }]);
  await isHeld;
  await wallet.service.record([{ ...pending, receiverName: 'Tea Corner', transactionStatus: 'Accepted' }]);
  await expect.poll(() => page.evaluate('window.states')).toBe(3);
  release();
  await page.locator('button.row .status').waitFor({ state: 'detached' });
});

it('a row that changes while the service refuses the list is read again when the service asked for it', async () => {
  const id = await wallet.service.createUser();
  const pending = row(id, { transactionStatus: 'Pending', receiverName: 'Coffee Corner' });
  await wallet.service.record([pending]);
  const page = await openPage(`${wallet.service.url}/wallet?individual=${id}`, {
    expected: /status of 429/,
    prepare: (before) => before.clock.install(),
  });
  await page.locator('button.row .status').waitFor();
  await page.locator('.screen[aria-busy="false"]').waitFor();
  let lists = 0;
  await page.route('**/app/get-all-transactions', async (route) => {
    lists += 1;
    await route.fulfill({ status: 429, headers: { 'retry-after': '600' }, json: { title: 'Too many requests' } });
  });
  await wallet.service.record([{ ...pending, transactionStatus: 'Accepted' }]);
  await page.getByRole('alert').getByText('The service cannot answer right now').waitFor();
  // Time for many more requests, and then the moment before the service wants the next one.
  for (let calls = 0; calls < 20; calls += 1) await page.evaluate(`fetch('/health/live')`);
  expect(lists).toBe(1);
  await page.clock.fastForward(300_000);
  for (let calls = 0; calls < 20; calls += 1) await page.evaluate(`fetch('/health/live')`);
  expect(lists).toBe(1);
  await page.unroute('**/app/get-all-transactions');
  await page.clock.fastForward(300_000);
  await page.locator('button.row .status').waitFor({ state: 'detached' });
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

it('the first transaction appears by itself, is drawn again where it is when it changes, and an open sheet and its history follow', async () => {
  const id = await wallet.service.createUser();
  const page = await openPage(`${wallet.service.url}/wallet?individual=${id}`, { expected: /404/ });
  await page.getByText('Nothing here yet').waitFor();
  const pending = row(id, { transactionStatus: 'Pending', amount: '7.00', currency: 'EUR' });
  await wallet.service.record([pending]);
  await page.getByText('1 transaction', { exact: true }).waitFor();
  await wallet.service.record([{ ...pending, amount: '8.50' }]);
  await page.locator('button.row .amount').getByText('8.50').waitFor();
  expect(await page.locator('.fresh').count()).toBe(0);

  await page.locator('button.row').click();
  const sheet = page.getByRole('dialog', { name: 'Transaction' });
  await sheet.locator('.history').waitFor();
  await wallet.service.record([{ ...pending, amount: '9.99', transactionStatus: 'Rejected' }]);
  await expect.poll(() => sheet.locator('.detail > .amount').innerText()).toContain('9.99');
  await sheet.locator('.history').getByText('Status: Pending → Rejected').waitFor();
});
