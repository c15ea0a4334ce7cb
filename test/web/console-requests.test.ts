/** How the console requests its values: one request at a time, an answer in time, and errors that are shown. */
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutRefresh } from '../harness/browser/console.ts';
import { openPage } from '../harness/browser/page.ts';
import { startService, type Service } from '../harness/service.ts';

let service: Service;
let verified: number;
beforeAll(async () => {
  service = await startService();
  verified = await service.verifiedUser();
});
afterAll(() => service.stop());

const listPath = /\/operator\/messages(\?|$)/;
const livePath = '**/operator/messages/live';

/** Resolves when it is told to. */
function createGate(): { passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

/** The messages of the console, whose requests are answered by the test from the start. */
const openMessages = (prepare: (page: Page) => Promise<unknown>, expected?: RegExp) =>
  openPage(`${service.url}/console#messages`, { prepare, ...(expected && { expected }) });

describe('an error', () => {
  it('is shown at once, also if the service asks for a long wait; says when it is requested again, and can be requested at once', async () => {
    const slow = {
      status: 503,
      headers: { 'error-reason': 'query-too-slow', 'retry-after': '30' },
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'The query took too long.', status: 503 }),
    };
    const busy = { status: 503, headers: { 'error-reason': 'overloaded', 'retry-after': '40' } };
    let requests = 0;
    const answer = async (route: Route) => {
      const refusal = [slow, busy][requests];
      requests += 1;
      await (refusal ? route.fulfill(refusal) : route.continue());
    };
    const page = await openMessages((opened) => opened.route(listPath, answer), /status of 503/);
    const retry = page.getByRole('button', { name: 'Retry now' });
    await page.getByRole('alert').getByText('The query took too long.').waitFor();
    await retry.click();
    await page.getByRole('alert').getByText('The service is busy.').waitFor();
    await page.getByText(/^Retrying in \d\d s$/).waitFor();
    await retry.click();
    await page.getByRole('rowheader').waitFor();
    expect(requests).toBe(3);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('that waiting cannot help against has no countdown; one in the search leaves what it can find, and is named', async () => {
    const page = await openPage(`${service.url}/console#messages?from=yesterday`, {
      expected: /status of (400|503)/,
      prepare: (opened) => opened.route('**/operator/settings', (route) => route.fulfill({ status: 503 })),
    });
    await page.getByRole('alert').waitFor();
    expect(await page.getByText(/^Retrying/).count()).toBe(0);
    await page.getByRole('button', { name: 'Retry now' }).waitFor();
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('status').getByText('Rules or settings could not be read').waitFor();
    await page.keyboard.type('number-type');
    await page.getByRole('option', { name: 'number-type' }).waitFor();
  });

  it('is shown if no answer comes, and goes when one does; the time of the list is that of its last request, though the choices of its filters are older', async () => {
    const page = await openMessages((opened) => opened.clock.install());
    await page.getByRole('rowheader').waitFor();
    const time = page.locator('.updated-at').first();
    const before = await time.innerText();
    await page.clock.fastForward('00:16');
    await expect.poll(() => time.innerText()).not.toBe(before);
    let unanswered = 0;
    await page.route(listPath, () => void (unanswered += 1));
    await page.clock.fastForward('00:16');
    await expect.poll(() => unanswered).toBe(1);
    // A refresh comes earlier than the end of the wait, and must not begin it again.
    await page.clock.fastForward('00:16');
    await page.clock.fastForward('00:16');
    await page
      .getByRole('alert')
      .getByText(/^The service does not answer\. What you see is from \d/)
      .waitFor();
    await page.unroute(listPath);
    await page.clock.fastForward('00:31');
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

describe('requests', () => {
  it('are not made for each of many events: one follows all of them', async () => {
    const shown = createGate();
    let lists = 0;
    let streams = 0;
    const answerList = async (route: Route) => {
      lists += 1;
      await route.continue();
    };
    const answerStream = async (route: Route) => {
      streams += 1;
      // Only the first connection has events; the next one stays open.
      if (streams > 1) return;
      await shown.passed;
      const event = (id: number) => `id: ${id}\nevent: phone.code_sent\ndata: {"id":"${id}","data":{}}\n\n`;
      const body = Array.from({ length: 50 }, (_, index) => event(index + 1)).join('');
      await route.fulfill({ contentType: 'text/event-stream', body });
    };
    const page = await openMessages(async (opened) => {
      await withoutRefresh(opened);
      await opened.route(listPath, answerList);
      await opened.route(livePath, answerStream);
    });
    await page.getByRole('rowheader').waitFor();
    shown.open();
    // The page connects again after it has read all events.
    await expect.poll(() => streams).toBe(2);
    await expect.poll(() => lists).toBe(2);
    // A second list would follow within a second.
    await page.waitForTimeout(1500);
    expect(lists).toBe(2);
  });

  it('of another filter do not wait for the answer to the first one, in whose place an outline is shown', async () => {
    const page = await openMessages(async (opened) => {
      await withoutRefresh(opened);
      await opened.route(listPath, async (route) => {
        if (route.request().url().includes('userId=')) await route.continue();
      });
    });
    await page.getByText('Loading').waitFor();
    await page.locator('.skeleton-row').first().waitFor();
    await page.goto(`${service.url}/console#messages?userId=${verified}`);
    await page.getByRole('rowheader').waitFor();
    expect(await page.locator('.skeleton-row').count()).toBe(0);
  });
});

it('rows of the last filter are marked as such until those of the new one arrive, and not shown if its request fails', async () => {
  const answered = createGate();
  const page = await openPage(`${service.url}/console#messages`, { expected: /status of 503/ });
  await page.getByRole('rowheader').waitFor();
  await page.getByText(/^Updated at/).waitFor();
  expect(await page.locator('.of-last-filter').count()).toBe(0);
  await page.route(/operator\/messages\?.*country=GB/, async (route) => {
    await answered.passed;
    await route.continue();
  });
  await page.goto(`${service.url}/console#messages?country=GB`);
  await page.locator('.of-last-filter').getByRole('rowheader').waitFor();
  expect(await page.getByText(/^Updated at/).count()).toBe(0);
  answered.open();
  await page.locator('.of-last-filter').waitFor({ state: 'detached' });
  await page.getByText(/^Updated at/).waitFor();
  await page.route(/operator\/messages\?.*country=DE/, (route) => route.fulfill({ status: 503 }));
  await page.goto(`${service.url}/console#messages?country=DE`);
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(0);
});

describe('older entries', () => {
  const eventsPath = /\/operator\/events\?/;
  /** Pages are of 20 entries on a phone. */
  const viewport = { width: 390, height: 844 };
  const idsIn = (page: Page) => page.getByRole('cell').getByRole('link').allInnerTexts();

  let own: Service;
  const created: string[] = [];
  const createUsers = async (count: number) => {
    for (let left = count; left > 0; left -= 1) created.push(String(await own.createUser()));
  };
  beforeAll(async () => {
    own = await startService();
    await createUsers(45);
  });
  afterAll(() => own.stop());

  /** The list refreshes only when the test asks for it. */
  async function openEvents(): Promise<Page> {
    const prepare = async (opened: Page) => {
      await withoutRefresh(opened);
      await opened.route(livePath, () => {});
    };
    const page = await openPage(`${own.url}/console#events`, { viewport, prepare });
    await expect.poll(() => idsIn(page)).toEqual(created.toReversed().slice(0, 20));
    return page;
  }
  const refresh = (page: Page) => page.evaluate(`dispatchEvent(new Event('online'))`);
  const showOlder = (page: Page) => page.getByRole('button', { name: 'Show older' }).click();

  it('of a filter that was changed meanwhile are not shown under the new one', async () => {
    const page = await openEvents();
    const released = createGate();
    await page.route(eventsPath, async (route) => {
      if (route.request().url().includes('before=')) await released.passed;
      await route.continue();
    });
    const isOlder = (request: { url(): string }) => request.url().includes('before=');
    const settled = Promise.race([
      page.waitForEvent('requestfinished', isOlder),
      page.waitForEvent('requestfailed', isOlder),
    ]);
    await showOlder(page);
    await page.goto(`${own.url}/console#events?userId=${created[0]}`);
    await expect.poll(() => idsIn(page)).toEqual([created[0]]);
    released.open();
    await settled;
    await Promise.all([
      page.waitForResponse((response) => response.url().includes(`userId=${created[0]}`)),
      refresh(page),
    ]);
    expect(await idsIn(page)).toEqual([created[0]]);
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
  });

  it('stay below new ones, and leave no gap', async () => {
    const page = await openEvents();
    await showOlder(page);
    await expect.poll(() => idsIn(page)).toEqual(created.toReversed().slice(0, 40));
    // Less than a page twice, which is more than a page in all.
    for (const length of [55, 70]) {
      await createUsers(15);
      await refresh(page);
      await expect.poll(() => idsIn(page)).toEqual(created.toReversed().slice(0, length));
    }
    await createUsers(25);
    await refresh(page);
    await expect.poll(() => idsIn(page)).toEqual(created.toReversed().slice(0, 20));
    await showOlder(page);
    await expect.poll(() => idsIn(page)).toEqual(created.toReversed().slice(0, 40));
  });
});
