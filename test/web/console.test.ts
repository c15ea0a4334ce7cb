/** The console's journeys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, expectRenderedText, openPage } from '../harness/page.ts';
import { stepsOf } from '../../web/console/explain.ts';
import { newPhone, serviceForTest, startService, wrongCode, type Service } from '../harness/service.ts';

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

describe('a failed customer', () => {
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

  it('is told newest first, also what came in one moment', () => {
    const [asked, answered] = ['2026-01-05T10:00:00.000Z', '2026-01-05T10:00:04.100Z'];
    const message = {
      number: 1,
      phoneNumber: '+44…56',
      country: 'GB',
      correlationType: 0,
      locale: 'en',
      segments: 1,
      gateway: 'vonage',
      gatewayMessageId: 'm',
      outcome: 'accepted',
      state: 'accepted',
      reason: null,
      requestedAt: asked,
      answeredAt: answered,
      stateAt: answered,
      expiresAt: '2026-01-05T10:10:00.000Z',
      verifiedAt: null,
      tries: [
        { gateway: 'twilio', outcome: 'unavailable', reason: 'HTTP 503', milliseconds: 100 },
        { gateway: 'vonage', outcome: 'accepted', milliseconds: 100 },
      ],
    };
    expect(stepsOf({ id: 1, messages: [message], events: [] }).map(({ text }) => text)).toEqual([
      'vonage accepted code 1',
      'twilio did not take code 1: HTTP 503',
      'Code 1 was asked for, to +44…56 (GB)',
    ]);
  });

  it('who succeeded is told from who waits', async () => {
    const id = await service.verifiedUser();
    const page = await openPage(`${service.url}/console#customer/${id}`);
    if (!page) return;
    await page.locator('.sentence').getByText('Verified.').waitFor();
  });
});

describe('the overview', () => {
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

  it('goes by the days of the service, also where a sandbox’s clock is ahead', async () => {
    const own = await serviceForTest();
    await own.call('/sandbox/clock', { advanceSeconds: 3 * 86_400 });
    own.forgetTokens();
    await own.verifiedUser();
    const page = await openPage(`${own.url}/console`);
    if (!page) return;
    await page.locator('.figure').first().waitFor();
    expect(await page.locator('.figure').first().innerText()).toBe('1');
    expect(await page.locator('.plot table tbody tr').last().locator('td').allInnerTexts()).toEqual(['1', '0', '1']);
  });
});

describe('the guard', () => {
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
