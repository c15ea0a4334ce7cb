/** With forced colours (Windows' contrast themes) what is chosen, and what has a meaning, can still be seen: in pixels. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNarrow, openPage } from '../harness/browser/page.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';
import { enterNumber } from '../harness/verify.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const open = (pathname: string) =>
  openPage(service.url + pathname, {
    viewport: { width: 1280, height: 900 },
    prepare: (page) => page.emulateMedia({ forcedColors: 'active' }),
  });

/** It, or a part of it, looks different from what it would be without the attribute that says it is chosen. */
async function expectMarked(chosen: Locator, attribute: string, part?: string): Promise<void> {
  const element = await chosen.elementHandle();
  const seen = part === undefined ? element : (await element.$(part))!;
  const before = await seen.screenshot();
  await element.evaluate((marked, name) => (marked as unknown as Marked).removeAttribute(name), attribute);
  expect((await seen.screenshot()).equals(before)).toBe(false);
}

interface Marked {
  removeAttribute(name: string): void;
}

/** A small square looks different from one that is known to be empty. */
async function expectDrawn(page: Page, at: { x: number; y: number }, empty: { x: number; y: number }): Promise<void> {
  const square = (place: { x: number; y: number }) => page.screenshot({ clip: { ...place, width: 6, height: 6 } });
  expect((await square(at)).equals(await square(empty))).toBe(false);
}

it('the sandbox page shows which page, step and language of the samples is chosen, and the frame of the phone', async () => {
  const page = await open('/');
  await page.getByLabel('Phone number').waitFor();
  const frame = (await page.locator('.phone').boundingBox())!;
  await expectDrawn(page, { x: frame.x - 2, y: frame.y + frame.height / 2 }, { x: frame.x - 20, y: frame.y + 300 });
  await expectMarked(page.locator('.page-header nav [aria-current]'), 'aria-current');
  await expectMarked(page.locator('.steps [aria-current]'), 'aria-current', 'span');
  await expectMarked(page.locator('.segment-group [aria-pressed="true"]'), 'aria-pressed');
  await enterNumber(page, newPhone());
  const boxes = page.locator('ledgerline-verify .boxes span');
  const [next, other] = [await boxes.first().screenshot(), await boxes.nth(2).screenshot()];
  expect(next.equals(other)).toBe(false);
});

it('the wallet shows which direction is chosen, and the colours of the chart’s legend', async () => {
  const page = await open('/wallet');
  await page.locator('.sums dt').first().waitFor();
  await expectMarked(page.locator('.segment-group [aria-pressed="true"]'), 'aria-pressed');
  for (const name of await page.locator('.sums dt').all()) {
    const { x, y, height } = (await name.boundingBox())!;
    await expectDrawn(page, { x: x + 2, y: y + height / 2 - 3 }, { x: x - 10, y: y + height / 2 - 3 });
  }
});

it('the console shows which view is chosen, and at 320 pixels its title does not meet the time beside it', async () => {
  const page = await open('/console');
  await page.locator('.updated-at').waitFor();
  await expectMarked(page.locator('.console-bar nav [aria-current]'), 'aria-current');
  await expectNarrow(page);
  const title = (await page.getByRole('heading', { level: 1 }).boundingBox())!;
  const updated = (await page.locator('.updated-at').boundingBox())!;
  const isApart = title.x + title.width <= updated.x || title.y + title.height <= updated.y;
  expect(isApart).toBe(true);
});
