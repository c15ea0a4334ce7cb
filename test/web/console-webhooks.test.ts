/** Webhooks and events in the console. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { focused, openAsProduction, openLive } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, openPage } from '../harness/browser/page.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { newPhone, row, startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function addEndpoint(page: Page, url: string, types: string[]): Promise<string> {
  const form = page.getByRole('form', { name: 'Add an endpoint' });
  await form.getByLabel('URL').fill(url);
  await form.getByRole('button', { name: 'Every type of event' }).click();
  for (const type of types) await form.getByLabel(type, { exact: true }).check();
  await expectAccessible(page, { alsoDark: true });
  await page.keyboard.press('Escape');
  await form.getByLabel('Description').fill('the wallet’s back end');
  await form.getByRole('button', { name: 'Add' }).click();
  return page.getByText(/^whsec_/).innerText();
}

describe('webhooks', () => {
  it('are added, unless the service refuses their address, tested, watched, replayed and removed', async () => {
    const receiver = await startReceiver((_hook, response) => void response.end('thank you'));
    const page = await openPage(`${service.url}/console#webhooks`, { expected: /status of 400/ });
    await page.getByText('There are no endpoints').waitFor();
    const form = page.getByRole('form', { name: 'Add an endpoint' });
    await form.getByLabel('URL').fill('https://10.0.0.1/');
    await form.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').waitFor();
    if (isFull) await expectAccessible(page);
    const secret = await addEndpoint(page, receiver.url, ['user.created', 'phone.verified']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: Secret' }).click();
    await page.getByRole('button', { name: 'Copied: Secret' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await page.getByText('Not tried yet').waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('There are no such deliveries.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The receiver accepted the test with 200').waitFor();

    const id = await service.createUser();
    await receiver.received(2);
    await page.reload();
    const delivery = page.getByRole('row').filter({ hasText: 'Request and answer' });
    await delivery.getByText('Delivered').waitFor();
    await delivery.getByText('Request and answer').click();
    await delivery.getByText(`"userId":${id}`).waitFor();
    await delivery.getByText('thank you').waitFor();
    await expectAccessible(page);

    await page.getByLabel('Send everything again from').fill('2026-01-01T00:00');
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('1 event is sent again.').waitFor();
    await receiver.received(3);
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    expect(await page.getByText(/^whsec_/).innerText()).not.toBe(secret);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Somebody disabled it.').waitFor();
    expect(await page.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Healthy').waitFor();
    await expectNarrow(page);

    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove it and its deliveries?' }).click();
    await page.getByText('There are no endpoints').waitFor();
  });

  it('that fail say since when and why', async () => {
    const receiver = await startReceiver((_hook, response) => void response.writeHead(500).end('no room left'));
    await service.call('/webhook-endpoints', { url: receiver.url, types: ['user.created'] });
    await service.createUser();
    await receiver.received(1);
    const page = await openPage(`${service.url}/console#webhooks`);
    await page.getByText('Failing').waitFor();
    await page.getByText(/^next try at \d/).waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    const delivery = page.getByRole('row').filter({ hasText: 'Request and answer' });
    await delivery.getByText('Waiting').waitFor();
    await delivery.getByText('500').first().waitFor();
    await delivery.getByText('Request and answer').click();
    await delivery.getByText('no room left').waitFor();
    await page.getByLabel('Which deliveries').selectOption('failed');
    await page.getByText('There are no such deliveries.').waitFor();
  });

  it('are changed once by a double click, and removed only by a second press', async () => {
    const receiver = await startReceiver();
    const page = await openPage(`${service.url}/console#webhooks`);
    const calls: string[] = [];
    let release = () => {};
    let held = Promise.resolve();
    await page.route('**/webhook-endpoints**', async (route) => {
      const request = route.request();
      if (request.method() !== 'GET') {
        calls.push(`${request.method()} ${new URL(request.url()).pathname.replace(/\d+/, 'id')}`);
        await held;
      }
      await route.continue();
    });
    /** Both clicks come before the first answer. */
    async function doubleClick(name: string): Promise<void> {
      held = new Promise((resolve) => (release = resolve));
      const button = page.getByRole('button', { name, exact: true });
      await button.dblclick();
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      expect(await focused(page)).toBe(name);
      release();
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    }

    const form = page.getByRole('form', { name: 'Add an endpoint' });
    await form.getByLabel('URL').fill(receiver.url);
    await doubleClick('Add');
    await page.getByRole('link', { name: receiver.url }).click();
    await doubleClick('Rotate the secret');
    await page.getByLabel('Send everything again from').fill('2026-01-01T00:00');
    await doubleClick('Replay');
    expect(calls).toEqual([
      'POST /webhook-endpoints',
      'POST /webhook-endpoints/id/rotate-secret',
      'POST /webhook-endpoints/id/replay',
    ]);

    await page.getByRole('button', { name: 'Remove', exact: true }).dblclick();
    await page.getByRole('button', { name: 'Remove it and its deliveries?' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove', exact: true }).focus();
    // A key that is held repeats itself.
    await page.keyboard.down('Enter');
    await page.getByRole('button', { name: 'Remove it and its deliveries?' }).waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(calls.length).toBe(3);
    await page.getByRole('button', { name: 'Remove it and its deliveries?' }).click();
    await page.getByRole('link', { name: receiver.url }).waitFor({ state: 'detached' });
    expect(calls.slice(3)).toEqual(['DELETE /webhook-endpoints/id']);
  });

  it('are only read with a token that may not change them', async () => {
    const page = await openAsProduction(service.url, await service.token('operator:read operator:write'));
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true);
  });
});

describe('events', () => {
  it('of texts and verifications appear as they happen, also on the customer’s page', async () => {
    const [phone, id] = [newPhone(), await service.createUser()];
    const page = await openLive(`${service.url}/console#customer/${id}`);
    await page.getByText('No code was ever requested.').waitFor();
    await service.sendCode(id, phone);
    await page.getByText('Waiting: the last code is still valid.').waitFor();
    await page.goto(`${service.url}/console#events`);
    const types = page.getByRole('row').filter({ has: page.getByRole('link', { name: String(id), exact: true }) });
    await expect.poll(() => types.getByRole('rowheader').allInnerTexts()).toEqual(['phone.code_sent', 'user.created']);
    await service.verify(id, await service.lastCode(phone));
    await types.getByRole('rowheader').getByText('phone.verified').waitFor();
  });

  it('are searched by user, type and time, and read further back', async () => {
    const phone = newPhone();
    const id = await service.verifiedUser(phone);
    await service.record([row(id, { transactionId: 'in-the-console' })]);
    const page = await openPage(`${service.url}/console#events`);
    const form = page.getByRole('form', { name: 'Filter' });
    await form.getByRole('textbox', { name: 'User' }).pressSequentially(String(id));
    const types = () => page.getByRole('rowheader').allInnerTexts();
    await expect.poll(types).toEqual(['transactions.recorded', 'phone.verified', 'phone.code_sent', 'user.created']);
    expect(await page.locator('body').innerText()).not.toContain(phone);
    await page.getByText('in-the-console').waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    await form.getByRole('button', { name: 'Filters', exact: true }).click();
    await form.getByRole('group', { name: 'Filters' }).getByRole('combobox').selectOption('phone.verified');
    await expect.poll(types).toEqual(['phone.verified']);
    await form.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await page.getByText('There are no such events.').waitFor();

    for (let count = 0; count < 60; count += 1) await service.createUser();
    // The filter is in the address, so a reload keeps it.
    await page.reload();
    await page.getByText('There are no such events.').waitFor();
    await form.getByRole('button', { name: 'Clear' }).click();
    await form.getByRole('textbox', { name: 'User' }).fill('');
    await expect.poll(async () => (await types()).length).toBe(50);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(async () => (await types()).length).toBeGreaterThan(60);
  });
});
