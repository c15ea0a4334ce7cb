/** The number of the wallet's person: verified, and changed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible, expectFits, openPage } from '../harness/browser/page.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';
import { codeField } from '../harness/verify.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const numberOf = async (userId: number): Promise<string> =>
  (await service.call(`/User/${userId}/status`, undefined, { method: 'GET' })).json.phoneNumber;

it('is verified, then changed with a code to the old number and one to the new', async () => {
  const userId = await service.createUser();
  const [first, second] = [newPhone(), newPhone()];
  const page = await openPage(`${service.url}/wallet?individual=${userId}`, { expected: /status of 404/ });
  const open = () => page.getByRole('button', { name: 'Phone number' }).click();
  const dialog = page.getByRole('dialog', { name: 'Phone number' });
  const typeCode = async (phoneNumber: string) => {
    await codeField(page).waitFor();
    await codeField(page).pressSequentially(await service.lastCode(phoneNumber));
  };
  await open();
  await dialog.getByLabel('Phone number').pressSequentially(first);
  await expectAccessible(page, { alsoDark: true });
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await typeCode(first);
  await dialog.getByRole('heading', { name: 'Verified' }).waitFor();
  expect(await numberOf(userId)).toBe(first);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await open();
  await dialog.getByText(first).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Change number' }).click();
  await dialog.getByText('First a code to your current number').waitFor();
  await typeCode(first);
  await dialog.getByRole('heading', { name: 'What is your new number?' }).waitFor();
  await dialog.getByLabel('Phone number').pressSequentially(second);
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await dialog.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await expectFits(page);
  await typeCode(second);
  await dialog.getByRole('heading', { name: 'Number changed' }).waitFor();
  expect(await numberOf(userId)).toBe(second);
  if (isFull) await expectAccessible(page);
  await expectFits(page);
});
