import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, expectRenderedText, openPage } from '../harness/page.ts';
import { newPhone, startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Refusals are what these journeys are about, and browsers log them. */
const refusals = { expected: /status of (400|401|429)/ };

async function enterNumber(page: Page, phoneNumber: string): Promise<void> {
  await page.getByLabel('Phone number').fill(phoneNumber);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
}

/** The newest code on the page's phone. */
async function readCode(page: Page, texts = 1): Promise<string> {
  const messages = page.getByRole('region', { name: 'Phone', exact: true }).getByRole('listitem');
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await expect.poll(() => messages.count()).toBe(texts);
  return /\d{6}/.exec(await messages.first().innerText())![0];
}

it('verifies a number, with the code read off the page’s phone', async () => {
  const page = await openPage(`${service.url}/`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await expectRenderedText(page, 'Verify a phone, the way your users will');
  const phoneNumber = newPhone();
  await page.getByLabel('Country').selectOption('GB');
  await enterNumber(page, `0${phoneNumber.slice(3)}`);
  const code = await readCode(page);
  expect(code).toBe(await service.lastCode(phoneNumber));
  await page.getByLabel('Code', { exact: true }).pressSequentially(code);
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  await page.getByText(`${phoneNumber} belongs to user`).waitFor();

  const calls = page.getByRole('region', { name: 'Calls' }).getByRole('heading', { level: 3 });
  await expect
    .poll(() => calls.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^GET \/User\/\d+\/status$/),
      'POST /User/phone-number/verify',
      'POST /User/phone-number/send-code',
      'POST /User',
      'POST /connect/token',
    ]);
  await page.getByRole('button', { name: 'Copy curl for POST /User/phone-number/verify' }).click();
  const curl = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(curl).toContain(`curl -i ${service.url}/User/phone-number/verify`);
  expect(curl).toContain(`"code":"${code}"`);
  expect(curl).toContain('"Authorization: Bearer $TOKEN"');
});

it('takes a pasted code, spaces and all, and one tapped on the phone', async () => {
  const page = await openPage(`${service.url}/`);
  const field = page.getByLabel('Code', { exact: true });
  await enterNumber(page, newPhone());
  expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
  const code = await readCode(page);
  await field.focus();
  await page.keyboard.insertText(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  await page.getByRole('button', { name: 'Start over' }).click();
  await enterNumber(page, newPhone());
  await readCode(page);
  await page.getByRole('button', { name: /^Use \d{6}$/ }).click();
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  // What was tapped for one number is not tried for the next.
  await page.getByRole('button', { name: 'Start over' }).click();
  await enterNumber(page, newPhone());
  await readCode(page);
  expect(await field.inputValue()).toBe('');
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('says in words that a code is wrong, expired, and at last that it is enough', async () => {
  const page = await openPage(`${service.url}/`, refusals);
  await enterNumber(page, newPhone());
  const code = await readCode(page);
  const field = page.getByLabel('Code', { exact: true });
  const alert = page.getByRole('alert');
  await field.fill(wrongCode(code));
  await expect.poll(() => alert.innerText()).toContain('That code is not right');
  await expectAccessible(page);

  const resend = page.getByRole('button', { name: /^Resend/ });
  expect(await resend.isDisabled()).toBe(true);
  await page.getByRole('button', { name: '+10 min' }).click();
  await page.getByText('10 minutes ahead').waitFor();
  await field.fill(code);
  await expect.poll(() => alert.innerText()).toContain('no longer good');

  // The cool-down went by with the clock.
  await resend.click();
  const newer = await readCode(page, 2);
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await expect.poll(() => field.isEditable()).toBe(true);
    await field.fill(wrongCode(newer));
    await expect.poll(() => field.inputValue()).toBe('');
  }
  await field.fill(newer);
  await expect.poll(() => alert.innerText()).toMatch(/Too many tries. Try again in (60|59) minutes/);
  await expectAccessible(page);
  await expectNarrow(page);
  await page.getByRole('button', { name: 'Put back' }).click();
  await page.locator('.ahead').waitFor({ state: 'detached' });
});

it('says what is wrong with a number before it asks the service', async () => {
  const page = await openPage(`${service.url}/`, refusals);
  await page.getByLabel('Phone number').fill('12');
  await page.getByRole('button', { name: 'Send code' }).click();
  expect(await page.getByRole('alert').innerText()).toContain('does not look like a phone number');
  expect(await page.getByRole('region', { name: 'Calls' }).getByRole('listitem').count()).toBe(0);
  const taken = newPhone();
  await service.verifiedUser(taken);
  await page.getByLabel('Phone number').fill(taken);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('belongs to another account');
});

it('works by keyboard alone', async () => {
  const page = await openPage(`${service.url}/`);
  const focused = () =>
    page.evaluate<string>('document.activeElement.closest("label")?.innerText ?? document.activeElement.innerText');
  while ((await focused()) !== 'Phone number') await page.keyboard.press('Tab');
  await page.keyboard.type(newPhone());
  await page.keyboard.press('Enter');
  const code = await readCode(page);
  await page.keyboard.type(code);
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Start over');
});

it('has nothing to object to in any step, light and dark, and fits 320 pixels', async () => {
  const page = await openPage(`${service.url}/`);
  await expectAccessible(page);
  await expectNarrow(page);
  await enterNumber(page, newPhone());
  await expectNarrow(page);
  await page.getByLabel('Code', { exact: true }).fill(await readCode(page));
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  await expectAccessible(page);
  await expectNarrow(page);
});
