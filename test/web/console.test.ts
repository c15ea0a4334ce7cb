/** The console's journeys. Each waits for the operations it stands on, and for the page to be served. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageNames } from '../../src/config.ts';
import { completeDocument } from '../../src/http/routes/index.ts';
import { expectAccessible, expectNarrow, expectRenderedText, openPage } from '../harness/page.ts';
import { newPhone, startService, wrongCode, type Service } from '../harness/service.ts';

const served = (pageNames as readonly string[]).includes('console');
const has = (path: string) => served && completeDocument().includes(`"${path}"`);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Somebody who typed a wrong code until they were blocked. */
async function failedCustomer(): Promise<{ id: number; phoneNumber: string }> {
  const phoneNumber = newPhone();
  const id = await service.createUser();
  await service.sendCode(id, phoneNumber);
  const wrong = wrongCode(await service.lastCode(phoneNumber));
  for (let attempt = 0; attempt < 11; attempt += 1) await service.verify(id, wrong);
  return { id, phoneNumber };
}

describe.skipIf(!has('/operator/users/{id}/trail'))('a failed customer', () => {
  it('is found by number, with the reason, and the number stays masked until it is revealed', async () => {
    const { id, phoneNumber } = await failedCustomer();
    // The trail is written after the answer.
    await expect
      .poll(async () => (await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' })).text)
      .toContain('"blocked"');
    const page = await openPage(`${service.url}/console`);
    if (!page) return;
    await page.getByRole('link', { name: 'Customer' }).click();
    await page.getByLabel('User id or phone number').fill(phoneNumber);
    await page.keyboard.press('Enter');
    await page.getByText('Not verified: they were blocked after too many failures.').waitFor();
    expect(await page.getByRole('main').innerText()).toContain('the code was wrong');
    expect(await page.getByRole('main').innerText()).not.toContain(phoneNumber);
    await expectAccessible(page);
    await expectNarrow(page);
    await page.getByRole('button', { name: 'Reveal number' }).click();
    await page.getByText(`Last code to: ${phoneNumber}`).waitFor();
    const acts = await service.sql`select from operator_actions where action = 'reveal-phone' and user_id = ${id}`;
    expect(acts.length).toBe(1);
    expect(service.logLines.join('')).toContain(`"action":"reveal-phone","target":"user ${id}"`);
  });

  it('who succeeded is told from who waits', async () => {
    const id = await service.verifiedUser();
    const page = await openPage(`${service.url}/console#customer/${id}`);
    if (!page) return;
    await page.locator('.sentence').getByText('Verified.').waitFor();
  });
});

describe.skipIf(!has('/operator/overview'))('the overview', () => {
  it('counts what the service counted, in a plot and in a table', async () => {
    await service.verifiedUser();
    const page = await openPage(`${service.url}/console`);
    if (!page) return;
    await expectRenderedText(page, 'Overview');
    const { json } = await service.call('/operator/overview?days=7', undefined, { method: 'GET' });
    const sent = json.days.reduce((sum: number, day: { sent: number }) => sum + day.sent, 0);
    expect(await page.locator('.figure').first().innerText()).toBe(String(sent));
    expect(await page.locator('.plot table tbody tr').count()).toBe(7);
    expect(await page.locator('.health').innerText()).toContain('inbox');
    await expectAccessible(page);
    await expectNarrow(page);
  });
});

describe.skipIf(!has('/operator/guard/blocks'))('the guard', () => {
  it('shows who is blocked, and lifts it on record', async () => {
    const { id, phoneNumber } = await failedCustomer();
    const page = await openPage(`${service.url}/console#guard`);
    if (!page) return;
    await page.getByRole('button', { name: `Lift the block of ${id}` }).click();
    await page.getByRole('button', { name: `Lift the block of ${id}` }).waitFor({ state: 'detached' });
    await service.sendCode(id, phoneNumber);
    expect((await service.verify(id, await service.lastCode(phoneNumber))).status).toBe(200);
    await page.getByLabel('Mode of prefix').selectOption('shadow');
    await expectAccessible(page);
    await expectNarrow(page);
    await page.getByRole('link', { name: 'Audit' }).click();
    const row = page.getByRole('row').filter({ hasText: `user ${id}` });
    await row.getByText('lift').waitFor();
    await page.getByRole('row').filter({ hasText: 'prefix' }).getByText('shadow').waitFor();
    await expectAccessible(page);
  });
});
