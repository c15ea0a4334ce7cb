/** Amounts, numbers and codes keep their own order in a page that runs from right to left. Positions on screen are read. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPage } from '../harness/browser/page.ts';
import { startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The visible characters of an element as they are on screen, from left to right. */
function shownText(element: Locator): Promise<string> {
  // As text: the types of the browser are not those of the tests.
  const read = `
    const found = [];
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (node.parentElement.closest('.unseen')) continue;
      for (let index = 0; index < node.length; index += 1) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const { left, width } = range.getBoundingClientRect();
        if (width > 0) found.push({ left, text: node.data[index] });
      }
    }
    const shown = found.sort((a, b) => a.left - b.left).map(({ text }) => text).join('');
    return shown.replaceAll(/\\s/g, ' ').trim();`;
  // oxlint-disable-next-line typescript/no-implied-eval -- it runs in the browser
  return element.evaluate(new Function('box', read) as (box: unknown) => string);
}

it('amounts in every currency keep their order, in rows, day totals, chart and details', async () => {
  const id = await service.createUser();
  const amounts = [
    ['JPY', '75677', 'Credit'],
    ['GBP', '12.50', 'Debit'],
    ['EUR', '1234.56', 'Credit'],
    ['AED', '9.99', 'Debit'],
  ] as const;
  await service.record(
    amounts.map(([currency, amount, transactionCategory], index) => ({
      individualId: id,
      transactionId: `rtl-${currency}`,
      amount,
      currency,
      transactionCategory,
      timeStamp: `2026-05-01T1${9 - index}:00:00Z`,
      transactionStatus: 'Accepted',
    })),
  );
  const page = await openPage(`${service.url}/wallet?individual=${id}`, { locale: 'ar' });
  const rows = page.locator('button.row .amount');
  await expect.poll(() => rows.count()).toBe(4);
  const shown = await Promise.all((await rows.all()).map(shownText));
  expect(shown).toEqual(['JP¥ +75,677', 'UK£ −12.50', '€ +1,234.56', '.إ.د −9.99']);
  const totals = page.locator('.day p > span:not(.where-narrow)');
  await totals.nth(3).waitFor();
  const day = await Promise.all((await totals.all()).map(shownText));
  expect(day).toEqual(['.إ.د −9.99', '€ +1,234.56', 'UK£ −12.50', 'JP¥ +75,677']);
  await page.locator('.chart select').selectOption('JPY');
  expect(await shownText(page.locator('.chart .sums dd').first())).toBe('JP¥ 75,677');
  await page.locator('[data-id="rtl-JPY"]').click();
  await page.locator('.detail').waitFor();
  expect(await shownText(page.locator('.detail > .amount'))).toBe('JP¥ +75,677');
});

it('calling codes, phone numbers and names of languages keep their order on the sandbox page', async () => {
  const page = await openPage(`${service.url}/`, { locale: 'ar' });
  await page.locator('ledgerline-verify').waitFor({ state: 'attached' });
  await page.evaluate(`document.querySelector('ledgerline-verify').setAttribute('country', 'GB')`);
  const picker = page.locator('ledgerline-verify .country .pill');
  await picker.waitFor();
  await expect.poll(async () => shownText(picker)).toMatch(/\+\d+/);
  await picker.click();
  await page.getByRole('combobox').fill('44');
  expect(await shownText(page.locator('.calling-code').first())).toBe('+44');
  await page.keyboard.press('Enter');
  expect(await shownText(picker)).toContain('+44');
  expect(await shownText(page.locator('.segment-group button').last())).toBe('C#');
  await page.locator('ledgerline-verify input[type=tel]').fill('07400 123456');
  await page.locator('ledgerline-verify button[type=submit]').click();
  await page.locator('ledgerline-verify .boxes').waitFor();
  // Each line of the sentence is read by itself.
  await page.setViewportSize({ width: 900, height: 800 });
  await page.evaluate(`document.querySelector('ledgerline-verify').style.maxWidth = 'none'`);
  expect(await shownText(page.locator('ledgerline-verify .soft'))).toContain('+44 7400 123456');
});
