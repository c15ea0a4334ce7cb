/** The console: overview, safe list, and what it shows while the service fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { focused, openAsProduction, tabTo } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, expectRenderedText, openPage, tableCells } from '../harness/browser/page.ts';
import { newPhone, serviceForTest, startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const viewTitles: Record<string, string> = {
  overview: 'Overview',
  messages: 'Messages',
  customer: 'Customer',
  guard: 'Guard',
  'safe-list': 'Safe list',
  events: 'Events',
  webhooks: 'Webhooks',
  audit: 'Audit',
  settings: 'Settings',
};

describe('the overview', () => {
  it('counts what the service counted, in a plot and in a table, explains its terms, and keeps the span after a reload', async () => {
    await service.verifiedUser();
    const page = await openPage(`${service.url}/console`);
    await expectRenderedText(page, 'Overview');
    const { json } = await service.call('/operator/overview?days=7', undefined, { method: 'GET' });
    const sent = json.days.reduce((sum: number, day: { sent: number }) => sum + day.sent, 0);
    expect(await page.locator('.tile-figure').first().innerText()).toBe(String(sent));
    const days = page.locator('.bar-chart table tbody tr');
    expect(await days.count()).toBe(7);
    expect(await page.locator('.gateway-health').innerText()).toContain('inbox');
    const shown = await page.getByRole('main').innerText();
    for (const term of ['Not sent', 'Failed over']) expect(shown).toContain(term);
    expect(shown).toContain('No gateway accepted the text.');
    expect(shown).toContain('so the next gateway was asked.');
    await expectAccessible(page, { alsoDark: true });
    await expectNarrow(page);
    await page.getByRole('link', { name: '30 days' }).click();
    await expect.poll(() => days.count()).toBe(30);
    await page.reload();
    await expect.poll(() => days.count()).toBe(30);
    expect(await page.getByRole('link', { name: '30 days' }).getAttribute('aria-current')).toBe('true');
  });

  it('is in English, whatever the language of the browser, and every view fits into 320 pixels', async () => {
    await service.verifiedUser();
    const page = await openPage(`${service.url}/console`, { locale: 'ar-EG' });
    for (const view of Object.keys(viewTitles)) {
      await page.goto(`${service.url}/console#${view}`);
      await page.getByRole('heading', { name: viewTitles[view]!, level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
      await expectNarrow(page);
    }
    const shown = await page.getByRole('main').innerText();
    expect(shown).not.toMatch(/[\u0600-\u06ff]/);
    expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual(['en', '']);
  });
});

describe('the console of a new service', () => {
  let own: Service;
  beforeAll(async () => {
    own = await startService();
  });
  afterAll(() => own.stop());

  const emptyViews = {
    overview: 'No code was sent',
    guard: 'Nobody is blocked',
    'safe-list': 'The list is empty',
    audit: 'No operator has done',
  };

  it('says so, and that it waits, that the service fails or that there is no connection: overview, guard, safe list, audit', async () => {
    const calls = '**/operator/**';
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const page = await openPage(`${own.url}/console#overview`, {
      expected: /status of 5|ERR_INTERNET_DISCONNECTED|ERR_FAILED/,
      prepare: (opened) =>
        opened.route(calls, async (route) => {
          await held;
          await route.continue();
        }),
    });
    async function inEachView(look: (words: string, view: string) => Promise<unknown>): Promise<void> {
      for (const [view, words] of Object.entries(emptyViews)) {
        await page.goto(`${own.url}/console#${view}`);
        await page.getByRole('heading', { name: viewTitles[view]!, level: 1 }).waitFor();
        await look(words, view);
      }
    }
    /** Every view waits and fails in the same frame, so the usual run looks at the one with the most parts. */
    const isLookedAt = (view: string) => isFull || view === 'overview';
    await inEachView(async (_words, view) => {
      await page.getByRole('status').getByText('Loading').first().waitFor();
      if (isLookedAt(view)) await expectAccessible(page);
    });
    release();
    await inEachView(async (words) => {
      await page.getByText(words).waitFor();
      // A view loads its parts one by one.
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      await expectAccessible(page);
      await expectNarrow(page);
    });

    await page.unroute(calls);
    await page.route(calls, (route) => route.fulfill({ status: 500, body: '' }));
    await page.reload();
    await inEachView(async (_words, view) => {
      await page.getByRole('alert').getByText('HTTP 500').waitFor();
      if (isLookedAt(view)) await expectAccessible(page);
    });
    await page.unroute(calls);
    await page.route(calls, (route) => route.abort());
    await page.reload();
    await inEachView(() => page.getByRole('alert').getByText('The service does not answer.').waitFor());
  });

  it('safe list: a number and a prefix are added and removed by keyboard; both are masked and recorded', async () => {
    const phoneNumber = newPhone();
    const masked = `${phoneNumber.slice(0, 3)}…${phoneNumber.slice(-2)}`;
    const page = await openPage(`${own.url}/console`);
    await page.getByRole('link', { name: 'Safe list' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('main').evaluate((element) => element.matches(':focus'))).toBe(true);
    await tabTo(page, 'Safe list');
    await page.keyboard.press('Enter');
    await page.getByText('The list is empty').waitFor();
    await expectRenderedText(page, 'Safe list');
    if (isFull) await expectAccessible(page);

    await tabTo(page, 'Phone number');
    await page.keyboard.type('07911');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('such as +447400123456').waitFor();
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
      ['sandbox', 'Removed from the safe list', masked],
      ['sandbox', 'Added to the safe list', '+251911'],
      ['sandbox', 'Added to the safe list', masked],
    ]);
    expect(own.logLines.join('')).not.toContain(phoneNumber.slice(1));
  });

  it('overview: goes by the days of the service, also where a sandbox’s clock is ahead', async () => {
    await own.call('/sandbox/clock', { advanceSeconds: 3 * 86_400 });
    own.forgetTokens();
    await own.verifiedUser();
    const page = await openPage(`${own.url}/console`);
    await page.locator('.tile-figure').first().waitFor();
    expect(await page.locator('.tile-figure').first().innerText()).toBe('1');
    expect(await page.locator('.bar-chart table tbody tr').last().locator('td').allInnerTexts()).toEqual([
      '1',
      '0',
      '1',
    ]);
  });
});

describe('a service that goes away', () => {
  it('marks what is on screen as old, says from when it is, and recovers', async () => {
    const page = await openPage(`${service.url}/console`, { expected: /ERR_INTERNET_DISCONNECTED/ });
    const mark = page.locator('.state-mark.is-good');
    await mark.waitFor();
    await page.getByText(/^Updated at \d/).waitFor();
    const colour = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.state-mark.is-good')).backgroundColor`);
    const before = await colour();
    await page.context().setOffline(true);
    await page
      .getByRole('alert')
      .getByText(/^The service does not answer\. What you see is from \d/)
      .waitFor();
    // Each part of the view notices it with its own next request.
    await expect.poll(colour).not.toBe(before);
    await expect.poll(() => page.getByText(/^Updated at/).count()).toBe(0);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.context().setOffline(false);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await expect.poll(colour).toBe(before);
  });
});

it('a token that may only read finds every control that changes something disabled', async () => {
  const own = await serviceForTest();
  const id = await own.verifiedUser();
  const blocked = await own.createUser();
  for (let attempt = 0; attempt < 11; attempt += 1) await own.verify(blocked, '000000');
  await own.call('/operator/guard/safe-list', { prefix: '+251911' });
  const page = await openAsProduction(own.url, await own.token('operator:read'));
  await page.getByText('Read only').waitFor();
  const controls: Record<string, RegExp[]> = {
    Guard: [/^Lift the block of user/, /mode of prefix$/],
    'Safe list': [/^Add$/, /^Remove/],
  };
  for (const [view, names] of Object.entries(controls)) {
    await page.getByRole('link', { name: view }).click();
    for (const name of names) {
      const button = page.getByRole('button', { name }).first();
      await button.waitFor();
      expect([view, String(name), await button.isDisabled()]).toEqual([view, String(name), true]);
    }
  }
  await page.goto(`${own.url}/console#customer/${id}`);
  const reveal = page.getByRole('button', { name: 'Reveal number' });
  await reveal.waitFor();
  expect(await reveal.isDisabled()).toBe(true);
  await expectAccessible(page);
});
