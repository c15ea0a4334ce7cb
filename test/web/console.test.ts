/** The console's journeys. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, expectRenderedText, openPage, tableCells } from '../harness/page.ts';
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
    await page.locator('.sentence').getByText('Verified.').waitFor();
  });
});

describe('the overview', () => {
  it('counts what the service counted, in a plot and in a table', async () => {
    await service.verifiedUser();
    const page = await openPage(`${service.url}/console`);
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
    await page.locator('.figure').first().waitFor();
    expect(await page.locator('.figure').first().innerText()).toBe('1');
    expect(await page.locator('.plot table tbody tr').last().locator('td').allInnerTexts()).toEqual(['1', '0', '1']);
  });
});

describe('the guard', () => {
  it('shows who is blocked, and lifts it on record', async () => {
    const { id, phoneNumber } = await failedCustomer();
    const page = await openPage(`${service.url}/console#guard`);
    await page.getByRole('button', { name: `Lift the block of ${id}` }).click();
    await page.getByRole('button', { name: `Lift the block of ${id}` }).waitFor({ state: 'detached' });
    await service.sendCode(id, phoneNumber);
    expect((await service.verify(id, await service.lastCode(phoneNumber))).status).toBe(200);
    await page.getByLabel('Mode of prefix').selectOption('shadow');
    await expectAccessible(page);
    await expectNarrow(page);
    await page.getByRole('link', { name: 'Audit' }).click();
    const row = page.getByRole('row').filter({ hasText: `user ${id}` });
    await row.getByText('Lifted a block').waitFor();
    await page.getByRole('row').filter({ hasText: 'prefix' }).getByText('shadow').waitFor();
    await expectAccessible(page);
  });

  it('takes back the block where the customer is looked at', async () => {
    const { id, phoneNumber } = await failedCustomer();
    const page = await openPage(`${service.url}/console#customer/${id}`);
    await page.getByText('Blocked until').waitFor();
    await page.getByRole('button', { name: 'Lift the block' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Blocked until').waitFor({ state: 'detached' });
    // The button is gone, and the focus is not lost with it.
    expect(await focused(page)).toBe(`User ${id}`);
    await service.sendCode(id, phoneNumber);
    expect((await service.verify(id, await service.lastCode(phoneNumber))).status).toBe(200);
  });

  it('shows what a rule in shadow would have refused: all of it, and of that rule alone', async () => {
    const own = await serviceForTest({
      LEDGERLINE_RULES: 'user-sends=shadow,user-failures=enforce',
      LEDGERLINE_USER_SENDS: '1/10m',
    });
    const id = await own.createUser();
    for (let call = 0; call < 61; call += 1) expect((await own.sendCode(id, newPhone())).status).toBe(204);
    const other = await own.createUser();
    for (let attempt = 0; attempt < 11; attempt += 1) await own.verify(other, '000000');
    const decided = async () =>
      (await own.call('/operator/guard/decisions?count=500', undefined, { method: 'GET' })).json.decisions.length;
    await expect.poll(decided).toBe(61);
    const page = await openPage(`${own.url}/console#guard`);
    const table = page.getByRole('region', { name: 'Decisions' }).getByRole('row');
    await expect.poll(() => table.count()).toBe(1 + 50);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => table.count()).toBe(1 + 61);
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
    await page.getByRole('button', { name: '60 would have been refused by user-sends: show them' }).click();
    expect(await focused(page)).toBe('Decisions');
    await expect.poll(() => page.getByLabel('Decisions of which rule').inputValue()).toBe('user-sends');
    await expect.poll(() => page.locator('.mark.refused').count()).toBe(0);
    expect(await page.locator('.mark.shadow').count()).toBe(50);
    await page.getByLabel('Which decisions').selectOption('Refused');
    await page.getByText('Nothing of this kind was decided.').waitFor();
    await page.getByLabel('Decisions of which rule').selectOption('user-failures');
    await page.locator('.mark.refused').waitFor();
    expect(await page.locator('.mark.refused').count()).toBe(1);
    await expectAccessible(page);
    await expectNarrow(page);
  });
});

/** What the keyboard is on: the words of a control, or of its label. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const at = document.activeElement;
    return at.ariaLabel ?? at.closest('label')?.firstChild.textContent ?? at.textContent;
  })()`);

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60 && (await focused(page)) !== name; presses += 1) await page.keyboard.press('Tab');
  expect(await focused(page)).toBe(name);
}

describe('the safe list', () => {
  it('takes a number and a prefix and gives them up again, by keyboard alone, masked and on record', async () => {
    const own = await serviceForTest();
    const phoneNumber = newPhone();
    const masked = `${phoneNumber.slice(0, 3)}…${phoneNumber.slice(-2)}`;
    const page = await openPage(`${own.url}/console`);
    await tabTo(page, 'Safe list');
    await page.keyboard.press('Enter');
    await page.getByText('The list is empty').waitFor();
    await expectRenderedText(page, 'Safe list');
    await expectAccessible(page);

    await tabTo(page, 'Phone number');
    await page.keyboard.type('07911');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('such as +447911123456').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${phoneNumber.slice(0, 3)} ${phoneNumber.slice(3)}`);
    await page.keyboard.press('Enter');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row(masked).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.locator('body').innerText()).not.toContain(phoneNumber.slice(4));
    await expect.poll(() => page.getByLabel('Phone number').inputValue()).toBe('');

    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('Kind');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Prefix');
    await page.keyboard.type('+251911');
    await page.keyboard.press('Enter');
    await row('+251911').waitFor();
    const list = async () => (await own.call('/operator/guard/safe-list', undefined, { method: 'GET' })).json.entries;
    expect(
      (await list()).map(({ label, isPrefix }: { label: string; isPrefix: boolean }) => [label, isPrefix]),
    ).toEqual([
      ['+251911', true],
      [masked, false],
    ]);
    await expectAccessible(page);

    await tabTo(page, `Remove ${masked}`);
    await page.keyboard.press('Enter');
    await row(masked).waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('On the list');
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual(['+251911']);
    await expectNarrow(page);

    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('row').nth(3).waitFor();
    expect((await tableCells(page)).map((cells) => cells.slice(1, 4))).toEqual([
      ['sandbox', 'Took off the safe list', masked],
      ['sandbox', 'Put on the safe list', '+251911'],
      ['sandbox', 'Put on the safe list', masked],
    ]);
    expect(own.logLines.join('')).not.toContain(phoneNumber.slice(1));
  });
});

describe('what stands in the way', () => {
  let own: Service;
  beforeAll(async () => {
    own = await startService();
  });
  afterAll(() => own.stop());

  it.each(['overview', 'guard', 'safe-list', 'audit'])(
    'of %s: nothing yet, a wait, a failure, no connection',
    async (view) => {
      const page = await openPage(`${own.url}/`, { expected: /status of 5|ERR_INTERNET_DISCONNECTED|ERR_FAILED/ });
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/operator/**', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`${own.url}/console#${view}`);
      await page.getByRole('status').getByText('Loading').first().waitFor();
      await expectAccessible(page);
      release();
      await page.getByText(/No code was sent|Nobody is blocked|The list is empty|No operator has done/).waitFor();
      expect(await page.getByText('Loading').count()).toBe(0);
      await expectAccessible(page);
      await expectNarrow(page);

      await page.unroute('**/operator/**');
      await page.route('**/operator/**', (route) => route.fulfill({ status: 500, body: '' }));
      await page.reload();
      await page.getByRole('alert').getByText('HTTP 500').waitFor();
      await expectAccessible(page);
      await page.unroute('**/operator/**');
      await page.route('**/operator/**', (route) => route.abort());
      await page.reload();
      await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    },
  );

  it('of a customer who is not there, or a number that is nobody’s', async () => {
    const page = await openPage(`${service.url}/console#customer/2000000000`, { expected: /status of 404/ });
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await page.getByLabel('User id or phone number').fill(newPhone());
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Nobody verified this number').waitFor();
    await page.getByLabel('User id or phone number').fill('who');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Give a user id, or a number').waitFor();
    await expectAccessible(page);
  });
});
