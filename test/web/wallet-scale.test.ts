/** A list that is taller than its box may be: 12,000,000 pixels, 166,000 rows. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { boxLimit } from '../../web/elements/activity/scroll-range.ts';
import { openPage } from '../harness/browser/page.ts';
import { serviceForTest, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';
import { scroller, topDay } from '../harness/browser/wallet.ts';
import { until } from '../harness/until.ts';

const rows = 170_000;
const batch = 34_000;
/** 100 seconds from one row to the next, so that a day has 864 rows. */
const stepSeconds = 100;
const start = Date.UTC(2025, 0, 1);

async function recordRows(service: Service, individualId: number): Promise<void> {
  for (let first = 0; first < rows; first += batch) {
    const lines = Array.from({ length: batch }, (_, index) => {
      const timeStamp = new Date(start + (first + index) * stepSeconds * 1000).toISOString();
      return `{"individualId":${individualId},"transactionId":"s-${first + index}","amount":1,"currency":"EUR","timeStamp":"${timeStamp}"}`;
    });
    const answer = await service.call('/app/record-transactions', undefined, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(answer.text).toContain(`"created":${batch}`);
  }
}

const focusedRow = (page: Page) =>
  page.evaluate<string | undefined>('document.activeElement.shadowRoot?.activeElement?.dataset.row');

/** A value that has been the same for half a second. */
async function settled(read: () => Promise<number>): Promise<number> {
  let values: number[] = [];
  await until(async () => {
    values = [...values, await read()].slice(-5);
    return values.length === 5 && new Set(values).size === 1;
  });
  return values[0]!;
}

it.runIf(isFull)('every row is in reach, and a jump to a date lands there', { timeout: 300_000 }, async () => {
  const service = await serviceForTest();
  const id = await service.createUser();
  await recordRows(service, id);
  const page = await openPage(`${service.url}/wallet?individual=${id}`);
  await page.locator('button.row').first().waitFor();
  await page.locator('.screen[aria-busy="false"]').waitFor({ timeout: 60_000 });

  const boxHeight = await scroller(page).evaluate((box) => box.scrollHeight);
  expect(boxHeight).toBeGreaterThanOrEqual(boxLimit);
  expect(boxHeight).toBeLessThan(boxLimit + 1000);

  // The keyboard, to the last row and back.
  await page.locator('button.row').first().focus();
  await page.keyboard.press('End');
  await expect.poll(() => focusedRow(page)).toBe(String(rows - 1));
  await page.locator('[data-id="s-0"]').waitFor();
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => focusedRow(page)).toBe(String(rows - 2));
  await page.keyboard.press('Home');
  await expect.poll(() => focusedRow(page)).toBe('0');

  // A date far down.
  await page.getByLabel('Jump to date').fill('2025-01-03');
  await expect.poll(() => topDay(page)).toBe('2025-01-03');
  await page.locator('[data-day="2025-01-03"] button.row').first().waitFor();

  // The scroll bar, to its end and to its middle.
  await scroller(page).evaluate((box) => (box.scrollTop = box.scrollHeight));
  await page.locator(`[data-id="s-0"]`).waitFor();
  await scroller(page).evaluate((box) => (box.scrollTop = box.scrollHeight / 2));
  const middle = async () => Number(await page.locator('button.row').first().getAttribute('data-row'));
  await expect.poll(async () => Math.abs((await middle()) - rows / 2)).toBeLessThan(rows / 100);

  // The wheel moves the rows by as much as it turns.
  const row = page.locator('button.row').nth(12);
  const transactionId = await row.getAttribute('data-id');
  const top = async () => (await page.locator(`[data-id="${transactionId}"]`).boundingBox())!.y;
  const before = await settled(top);
  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, 150);
  await expect.poll(top).not.toBe(before);
  // Positions are rounded to pixels of the box.
  expect(Math.abs(before - (await settled(top)) - 150)).toBeLessThan(2);
});
