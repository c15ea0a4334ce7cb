/** The guard in the console: blocks, modes and decisions. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedCustomer, confirm, focused, tabTo } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, openPage, tableCells } from '../harness/browser/page.ts';
import { newPhone, serviceForTest, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('lifting a block', () => {
  const liftOf = (page: Page, id: number) =>
    page.getByRole('button', { name: `Lift the block of user ${id}`, exact: true });

  it('asks for a reason, waits a moment, and is on record; it is done at once when the page is left', async () => {
    const { id, phoneNumber } = await blockedCustomer(service);
    const other = await blockedCustomer(service);
    const page = await openPage(`${service.url}/console#guard`);
    const lift = liftOf(page, id);
    await lift.click();
    const dialog = page.getByRole('dialog', { name: `Lift the block of user ${id}` });
    await dialog.getByRole('button', { name: 'Lift the block' }).click();
    await dialog.getByRole('alert').getByText('Give a reason').waitFor();
    await expectAccessible(page, { alsoDark: true });
    await confirm(page, 'The customer called.', 'Lift the block');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await expectAccessible(page);
    await lift.waitFor({ state: 'detached' });
    await service.sendCode(id, phoneNumber);
    expect((await service.verify(id, await service.lastCode(phoneNumber))).status).toBe(200);
    await page.getByRole('link', { name: 'Audit' }).click();
    const row = page.getByRole('row').filter({ hasText: `user ${id}` });
    await row.getByText('Lifted a block').waitFor();
    expect(await row.innerText()).toContain('The customer called.');
    await expectAccessible(page);
    await expectNarrow(page);

    await page.goto(`${service.url}/console#guard`);
    await liftOf(page, other.id).click();
    await confirm(page, 'The customer called.', 'Lift the block');
    await page.goto(`${service.url}/health/live`);
    await expect.poll(async () => (await service.verify(other.id, '000000')).status).toBe(400);
  });

  it('can be taken back, and cancelled; it is possible on the customer’s page, by keyboard, and shows there', async () => {
    const { id } = await blockedCustomer(service);
    const page = await openPage(`${service.url}/console#guard`);
    const lift = liftOf(page, id);
    await lift.click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe(`Lift the block of user ${id}`);
    await lift.click();
    await confirm(page, 'By mistake.', 'Lift the block');
    // There are only some seconds for it, so the keyboard is already there.
    await expect.poll(() => focused(page)).toBe('Undo');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe(`Lift the block of user ${id}`);
    // Leaving the view does at once what still waits; here nothing does.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.figure-tile').first().waitFor();
    expect((await service.verify(id, '000000')).status).toBe(429);

    await page.goto(`${service.url}/console#customer/${id}`);
    await page.getByText('Not verified: they were blocked after too many failures.').waitFor();
    await page.getByText('Blocked until').waitFor();
    await page.getByRole('button', { name: `Lift the block of user ${id}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Reason');
    await page.keyboard.type('The customer called.');
    await tabTo(page, 'Lift the block');
    await page.keyboard.press('Enter');
    await page.getByText('Blocked until').waitFor({ state: 'detached' });
    // The button is gone; the focus is not lost.
    expect(await focused(page)).toBe(`User ${id}`);
    await page.getByText('Not verified: the block was lifted by sandbox. They can try again.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'sandbox lifted the block' }).waitFor();
  });
});

describe('the mode of a rule', () => {
  const mode = (page: Page) => page.getByRole('button', { name: 'mode of prefix' });
  const modeOf = async (own: Service) => {
    const { json } = await own.call('/operator/guard/rules', undefined, { method: 'GET' });
    return json.rules.find(({ rule }: { rule: string }) => rule === 'prefix').mode;
  };

  it('changes after a confirmation with a reason, and back by Undo; both are on record', async () => {
    const own = await serviceForTest({ LEDGERLINE_RULES: 'prefix=enforce' });
    const page = await openPage(`${own.url}/console#guard`);
    await mode(page).focus();
    // Keys that change a menu at once.
    for (const key of ['ArrowDown', 'ArrowUp', 'o', 's']) await page.keyboard.press(key);
    expect([await modeOf(own), await mode(page).innerText()]).toEqual(['enforce', 'Enforce']);
    await mode(page).click();
    const dialog = page.getByRole('dialog', { name: 'Mode of prefix' });
    expect(await dialog.getByRole('button', { name: 'Change the mode' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Shadow').check();
    await expectAccessible(page);
    await expectNarrow(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await confirm(page, 'A campaign sends many codes today.', 'Change the mode');
    await expect.poll(() => modeOf(own)).toBe('shadow');
    await expect.poll(() => mode(page).innerText()).toBe('Shadow');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => modeOf(own)).toBe('enforce');
    await expect.poll(() => mode(page).innerText()).toBe('Enforce');
    await page.getByRole('link', { name: 'Audit' }).click();
    // The guard has rows too.
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByRole('row').nth(2).waitFor();
    expect((await tableCells(page)).map((cells) => cells.slice(2))).toEqual([
      ['Changed the mode', 'prefix', 'configured', 'Undone: A campaign sends many codes today.'],
      ['Changed the mode', 'prefix', 'shadow', 'A campaign sends many codes today.'],
    ]);
  });
});

describe('decisions', () => {
  it('shows what a rule in shadow would have refused, all of it and of that rule alone; blocks and decisions take little room on a phone', async () => {
    const own = await serviceForTest({
      LEDGERLINE_RULES: 'user-sends=shadow,user-failures=enforce',
      LEDGERLINE_LIMITS: 'user-sends=1/10m',
    });
    const id = await own.createUser();
    for (let call = 0; call < 61; call += 1) expect((await own.sendCode(id, newPhone())).status).toBe(204);
    for (let user = 0; user < 8; user += 1) {
      const blocked = await own.createUser();
      for (let attempt = 0; attempt < 11; attempt += 1) await own.verify(blocked, '000000');
    }
    const decided = async () =>
      (await own.call('/operator/guard/decisions?count=500', undefined, { method: 'GET' })).json.decisions.length;
    await expect.poll(decided).toBe(68);
    const page = await openPage(`${own.url}/console#guard`);
    const table = page.getByRole('region', { name: 'Decisions' }).getByRole('row');
    await expect.poll(() => table.count()).toBe(1 + 50);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => table.count()).toBe(1 + 68);
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
    await page.getByRole('button', { name: '60 would have been refused by user-sends: show them' }).click();
    expect(await focused(page)).toBe('Decisions');
    await expect.poll(() => page.getByLabel('Decisions of which rule').inputValue()).toBe('user-sends');
    await expect.poll(() => page.locator('.state-mark.is-bad').count()).toBe(0);
    expect(await page.locator('.state-mark.is-warn').count()).toBe(50);
    await page.getByLabel('Which decisions').selectOption('Refused');
    await page.getByText('There are no such decisions.').waitFor();
    await page.getByLabel('Decisions of which rule').selectOption('user-failures');
    await expect.poll(() => page.locator('.state-mark.is-bad').count()).toBe(8);
    expect(await page.locator('.state-mark.is-warn').count()).toBe(0);
    await expectAccessible(page);
    await expectNarrow(page);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${own.url}/console#guard`);
    await page.reload();
    await page.getByRole('button', { name: 'Show older' }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(4100);
    await page.getByRole('button', { name: 'Show all 8' }).click();
    await expect.poll(() => page.getByRole('button', { name: /^Lift the block/ }).count()).toBe(8);
  });
});
