/** Confirmations in the console: with purpose and state, and never with their terms. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyTerm, confirmationCalls, terms, type Pending } from '../harness/confirmations.ts';
import { openPage } from '../harness/browser/page.ts';
import { startService, wrongCode, type Service } from '../harness/service.ts';

let service: Service;
let approved: Pending;
let voided: Pending;
beforeAll(async () => {
  service = await startService();
  const { pending, check } = confirmationCalls(() => service);
  approved = await pending();
  await check(approved.id, approved.confirmationId, { code: wrongCode(approved.code), ...terms });
  await check(approved.id, approved.confirmationId, { code: approved.code, ...terms });
  voided = await pending({ purpose: 'top-up', ...terms });
  await check(voided.id, voided.confirmationId, { code: voided.code, ...terms, amount: 1 });
});
afterAll(() => service.stop());

it('the trail and the log name purpose and state of a confirmation, and not its terms', async () => {
  const { json, text } = await service.call(`/operator/users/${approved.id}/trail`, undefined, { method: 'GET' });
  expect(json.messages.map((message: { for: string }) => message.for)).toEqual(['confirmation', 'verification']);
  const { confirmationId } = approved;
  expect(json.messages[0].confirmation).toEqual({ confirmationId, purpose: 'payment', state: 'approved' });
  expect(json.events.map(({ kind, reason }: { kind: string; reason: string | null }) => [kind, reason])).toEqual([
    ['confirmation-approved', null],
    ['confirmation-refused', 'wrong-code'],
    ['verified', null],
  ]);
  const log = await service.call(`/operator/messages?userId=${voided.id}`, undefined, { method: 'GET' });
  expect(log.json.messages[0]).toMatchObject({
    for: 'confirmation',
    confirmation: { purpose: 'top-up', state: 'void' },
  });
  expect(text + log.text).not.toMatch(anyTerm);
});

it('the console shows purpose and state of a confirmation', async () => {
  const page = await openPage(`${service.url}/console#customer/${approved.id}`);
  // An expired or void confirmation would not make the customer unverified.
  await page.locator('.verdict-sentence').getByText('Verified.').waitFor();
  await page.getByText('Code 2 confirmed “payment”').waitFor();
  await page.getByText('A code did not confirm: the code was wrong').waitFor();
  await page.goto(`${service.url}/console#customer/${voided.id}`);
  await page.locator('.verdict-sentence').getByText('Verified.').waitFor();
  await page.goto(`${service.url}/console#messages`);
  await page.getByText('payment: approved').waitFor();
  await page.getByText('top-up: void').waitFor();
});
