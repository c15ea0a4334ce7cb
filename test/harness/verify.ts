/** Steps of somebody who verifies a number. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export const codeField = (page: Page) => page.getByLabel('Code', { exact: true });
export const alert = (page: Page) => page.getByRole('alert');
export const verifyButton = (page: Page) => page.getByRole('button', { name: 'Verify', exact: true });
export const resendButton = (page: Page) => page.getByRole('button', { name: /^(Send another code|Another code in)/ });

/** The text of the message on screen; a countdown is spoken once and shown as it runs. */
export const complaint = (page: Page) => page.locator('ledgerline-verify .complaint').innerText();

export async function enterNumber(page: Page, phoneNumber: string): Promise<void> {
  await page.getByLabel('Phone number').fill(phoneNumber);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
}

export async function enterCode(page: Page, code: string): Promise<void> {
  await expect.poll(() => codeField(page).isEditable()).toBe(true);
  await codeField(page).fill(code);
}

/** Waits until a wrong code has been refused: the field is empty again. */
export async function enterWrongCode(page: Page, code: string): Promise<void> {
  await enterCode(page, code);
  await expect.poll(() => codeField(page).inputValue()).toBe('');
}

export async function chooseCountry(page: Page, search: string): Promise<void> {
  await page.getByRole('button', { name: /^Country:/ }).click();
  await page.getByRole('combobox').fill(search);
  await page.keyboard.press('Enter');
}
