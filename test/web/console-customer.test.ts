/** One customer in the console. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedCustomer } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, openPage } from '../harness/browser/page.ts';
import { stepsOf } from '../../web/console/views/explain.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('a failed customer', () => {
  it('is found by number, with the reason, and the number stays masked until it is revealed', async () => {
    const { id, phoneNumber } = await blockedCustomer(service);
    const page = await openPage(`${service.url}/console`);
    await page.getByRole('link', { name: 'Customer' }).click();
    await page.getByLabel('User id, phone number or e-mail').fill(phoneNumber);
    await page.keyboard.press('Enter');
    await page.getByText('Not verified: they were blocked after too many failures.').waitFor();
    expect(await page.getByRole('main').innerText()).toContain('the code was wrong');
    expect(await page.getByRole('main').innerText()).not.toContain(phoneNumber);
    await expectAccessible(page, { alsoDark: true });
    await expectNarrow(page);
    await page.getByRole('button', { name: 'Reveal number' }).click();
    await page.getByText(`Last code to: ${phoneNumber}`).waitFor();
    const acts = await service.sql`select from operator_actions where action = 'reveal-phone' and user_id = ${id}`;
    expect(acts.length).toBe(1);
    expect(service.logLines.join('')).toContain(`"action":"reveal-phone","target":"user ${id}"`);
  });

  it('who has a number that changed hands loses it after a reason and six seconds, in which it can be undone', async () => {
    const phoneNumber = newPhone();
    const id = await service.verifiedUser(phoneNumber);
    const isVerified = async () =>
      (await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).json.isPhoneNumberVerified as boolean;
    const page = await openPage(`${service.url}/console#customer`);
    await page.getByLabel('User id, phone number or e-mail').fill(phoneNumber);
    await page.keyboard.press('Enter');
    await page.getByText(`User ${id} has this number.`).waitFor();
    await page.getByText(/^Verified .+ ago, on .+; last used .+ ago, on .+/).waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    const free = async (look = isFull) => {
      await page.getByRole('button', { name: 'Free the number' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('A new owner called.');
      if (look) await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Free the number' }).click();
      await page.getByText('The number is freed in 6 seconds.').waitFor();
    };
    await free(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await isVerified()).toBe(true);
    await free();
    await page.getByText(`User ${id} has this number.`).waitFor({ state: 'detached' });
    expect(await isVerified()).toBe(false);
    const acts = await service.sql`select reason from operator_actions where action = 'free-phone' and user_id = ${id}`;
    expect([...acts]).toEqual([{ reason: 'A new owner called.' }]);
  });

  it('who changed the number is shown with both, masked; who was erased is shown as that, and nothing more', async () => {
    const [old, next] = [newPhone(), newPhone()];
    const id = await service.verifiedUser(old);
    await service.call(`/User/${id}/phone-number/change`, { phoneNumber: next });
    const code = await service.lastCode(next);
    expect((await service.call(`/User/${id}/phone-number/change/verify`, { code })).status).toBe(200);
    const page = await openPage(`${service.url}/console#customer/${id}`);
    const mask = (number: string) => `${number.slice(0, 3)}…${number.slice(-2)}`;
    await page.getByText(`Changed from ${mask(old)} to ${mask(next)}`).waitFor();
    await page.getByText('The number was changed').waitFor();
    await page.locator('.verdict-sentence').getByText('Verified.').waitFor();
    if (isFull) await expectAccessible(page);
    await expectNarrow(page);

    const erased = await blockedCustomer(service);
    await service.call(`/User/${erased.id}`, undefined, { method: 'DELETE' });
    await page.goto(`${service.url}/console#customer/${erased.id}`);
    const panel = page.getByRole('region', { name: 'Erased customer' });
    await panel.getByText(/^This customer was erased on .+\. Nothing else can be shown\.$/).waitFor();
    const shown = await page.getByRole('main').innerText();
    expect(shown).not.toContain(erased.phoneNumber.slice(-4));
    expect(await page.getByRole('button', { name: 'Reveal number' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('User id, phone number or e-mail').fill(erased.phoneNumber);
    await page.keyboard.press('Enter');
    await page.getByText('Nobody has verified this number').waitFor();
  });

  it('lists the steps newest first, also those of the same moment', () => {
    const [asked, answered] = ['2026-01-05T10:00:00.000Z', '2026-01-05T10:00:04.100Z'];
    const message = {
      number: 1,
      phoneNumber: '+44…56',
      country: 'GB',
      for: 'verification',
      confirmation: null,
      correlationType: 0,
      locale: 'en',
      segments: 1,
      gateway: 'vonage',
      channel: 'sms' as const,
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
    expect(
      stepsOf({ erasedAt: null, id: 1, verified: null, messages: [message], events: [], changes: [] }).map(
        ({ text }) => text,
      ),
    ).toEqual([
      'vonage accepted code 1',
      'twilio did not accept code 1: HTTP 503',
      'Code 1 was requested, to +44…56 (GB)',
    ]);
  });

  it('is found by a number in each spelling, also where it looks like a user id', async () => {
    const page = await openPage(`${service.url}/console#customer`);
    await page.getByLabel('Country of national numbers').selectOption('GB');
    const field = page.getByLabel('User id, phone number or e-mail');
    for (const spell of [
      (number: string) => `0${number.slice(3, 7)} ${number.slice(7)}`,
      (number: string) => `0044 ${number.slice(3)}`,
      (number: string) => `+44 (0)${number.slice(3)}`,
      (number: string) => number.slice(3),
    ]) {
      const phoneNumber = newPhone();
      const id = await service.verifiedUser(phoneNumber);
      await field.fill('');
      await field.pressSequentially(spell(phoneNumber));
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('heading', { name: `User ${id}` }).waitFor();
      await page.getByText(`Searched for +44 ${phoneNumber.slice(3, 7)} ${phoneNumber.slice(7)}.`).waitFor();
      expect(page.url()).toContain(`customer/${id}`);
    }
  });
});

it('says that a customer does not exist; verified and waiting ones are shown differently, and leave the screen when the next search finds nobody', async () => {
  const page = await openPage(`${service.url}/console#customer/2000000000`, { expected: /status of 404/ });
  await page.getByRole('alert').waitFor();
  if (isFull) await expectAccessible(page);
  const field = page.getByLabel('User id, phone number or e-mail');
  const waiting = await service.createUser();
  await service.sendCode(waiting, newPhone());
  for (const [id, sentence, text, complaint] of [
    [await service.verifiedUser(), 'Verified.', newPhone(), 'Nobody has verified this number'],
    [waiting, 'Waiting: the last code is still valid.', 'who', 'Give a user id, an e-mail address'],
  ] as const) {
    await page.goto(`${service.url}/console#customer/${id}`);
    await page.locator('.verdict-sentence').getByText(sentence).waitFor();
    await page.getByRole('button', { name: 'Reveal number' }).waitFor();
    await field.fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `User ${id}` }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Reveal number' }).count()).toBe(0);
    await page.getByRole('alert').getByText(complaint).waitFor();
  }
  await expectAccessible(page);
});
