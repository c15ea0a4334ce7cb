/** Steps that the tests of the console share. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newPhone, wrongCode, type Service } from '../service.ts';
import { openPage } from './page.ts';

/** A user who typed a wrong code until they were blocked, as the trail shows. */
export async function blockedCustomer(service: Service): Promise<{ id: number; phoneNumber: string }> {
  const phoneNumber = newPhone();
  const id = await service.createUser();
  await service.sendCode(id, phoneNumber);
  const wrong = wrongCode(await service.lastCode(phoneNumber));
  for (let attempt = 0; attempt < 11; attempt += 1) await service.verify(id, wrong);
  // The trail is written after the answer.
  await expect
    .poll(async () => (await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' })).text)
    .toContain('"blocked"');
  return { id, phoneNumber };
}

/** The name of the focused element: its text, or that of its label. */
export const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const at = document.activeElement;
    return at.ariaLabel ?? at.closest('label')?.firstChild.textContent ?? at.textContent;
  })()`);

export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80 && (await focused(page)) !== name; presses += 1) await page.keyboard.press('Tab');
  expect(await focused(page)).toBe(name);
}

/** Gives the reason in the open dialog and confirms. */
export async function confirm(page: Page, reason: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The console takes the service for production: nobody is signed in. */
export const asProduction = (page: Page) =>
  // The page's scripts run after the document is read.
  page.addInitScript(
    `document.addEventListener('readystatechange', () => document.documentElement.dataset.mode = 'production', { once: true })`,
  );

/** Views ask again by themselves from time to time; here they do not. */
export const withoutRefresh = (page: Page) => page.addInitScript('setInterval = () => 0');

/** A view that hears of news by its stream alone, and follows it already. */
export async function openLive(address: string): Promise<Page> {
  let followed: Promise<unknown> | undefined;
  const page = await openPage(address, {
    async prepare(opened) {
      await withoutRefresh(opened);
      followed = opened.waitForResponse('**/operator/messages/live');
    },
  });
  await followed;
  return page;
}

/** The console as production serves it: a person brings the token. */
export async function openAsProduction(url: string, token: string): Promise<Page> {
  const page = await openPage(`${url}/console`, { prepare: asProduction });
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return page;
}
