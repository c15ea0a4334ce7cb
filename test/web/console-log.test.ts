/** The log of messages in the console, cost and delivery time, limits, customers, settings and the audit's filter. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { focused, openLive, tabTo } from '../harness/browser/console.ts';
import { expectAccessible, expectNarrow, openPage, tableCells } from '../harness/browser/page.ts';
import { row, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
let verified: number;
let waiting: number;
beforeAll(async () => {
  service = await startService({
    LEDGERLINE_RULES: 'number-type=enforce,country-sends=enforce',
    LEDGERLINE_COUNTRY_SENDS: '*=1000',
    LEDGERLINE_PRICES: 'GB=0.04,*=0.1',
    LEDGERLINE_CHANNELS: '*=sms,voice,whatsapp',
    LEDGERLINE_TWILIO_TOKEN: 'not-for-operators',
  });
  verified = await service.verifiedUser('+447400123401');
  await service.sql`update messages set state = 'delivered', state_at = answered_at + interval '4 seconds'`;
  waiting = await service.createUser();
  await service.sendCode(waiting, '+4915123420007');
  await service.sendCode(await service.createUser(), '+449098790010');
  // A refusal is written a moment after its answer.
  await until(async () => (await service.sql`select from guard_decisions`).length === 1);
});
afterAll(() => service.stop());

const open = (view: string) => openPage(`${service.url}/console#${view}`);
const rows = (page: Page) => page.getByRole('rowheader').count();
/** A field of the filter. A label's text goes on with that of the options. */
async function choice(form: Locator, name: string): Promise<Locator> {
  const opener = form.getByRole('button', { name: 'Filters', exact: true });
  if ((await opener.getAttribute('aria-expanded')) === 'false') await opener.click();
  return form
    .locator('label')
    .filter({ hasText: new RegExp(`^${name}`) })
    .locator('select');
}

async function expectInOrder(steps: Locator): Promise<void> {
  const times = await Promise.all(
    (await steps.locator('time').all()).map(async (time) => `${await time.getAttribute('datetime')}`),
  );
  expect(times).toEqual(times.toSorted());
}

it('the guard shows limits and how near they are', async () => {
  const page = await open('guard');
  const rule = page.getByRole('row').filter({ hasText: 'Codes one user may ask for.' });
  await rule.getByText('1 of 100').waitFor();
  // With what the process has leased and not used yet.
  await page
    .getByRole('row')
    .filter({ hasText: 'Codes to one country in a day.' })
    .getByText(/^\d+ of 1,000$/)
    .first()
    .waitFor();
  if (isFull) await expectAccessible(page);
});

describe('messages', () => {
  it('are filtered as one types and chooses, also by a period that ends now, and the filter is in the address', async () => {
    const page = await open('messages');
    await expect.poll(() => rows(page), { timeout: 10_000 }).toBe(3);
    await page.locator('.state-mark').getByText('Refused by a rule').waitFor();
    const form = page.getByRole('form', { name: 'Filter' });
    await (await choice(form, 'Country')).selectOption('DE');
    await expect.poll(() => rows(page)).toBe(1);
    expect((await tableCells(page))[0]!.slice(1, 5)).toEqual([
      String(waiting),
      '+49…07\nGermany',
      'inbox\nSMS',
      'Accepted',
    ]);
    expect(page.url()).toContain('#messages?country=DE');
    await page.reload();
    await expect.poll(() => rows(page)).toBe(1);
    expect(await (await choice(form, 'Country')).inputValue()).toBe('DE');
    await form.getByRole('button', { name: 'Remove the filter Country' }).click();
    await expect.poll(() => rows(page)).toBe(3);
    // The chip is gone; the focus is not lost.
    expect(await focused(page)).toBe('Filters');
    await (await choice(form, 'Rule')).selectOption('number-type');
    await page.locator('.state-mark').getByText('Refused by a rule').waitFor();
    await expect.poll(() => rows(page)).toBe(1);
    await expectAccessible(page, { alsoDark: true });
    await expectNarrow(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByRole('button', { name: 'Remove the filter Rule' }).click();
    await expect.poll(() => rows(page)).toBe(3);
    await form.getByRole('textbox', { name: 'User' }).pressSequentially(String(waiting));
    await expect.poll(() => rows(page)).toBe(1);
    expect(page.url()).toContain(`userId=${waiting}`);
    await service.sql`update messages set requested_at = requested_at - interval '2 hours' where user_id = ${waiting}`;
    await form.getByLabel('Period').selectOption('Last hour');
    await page.getByText('There are no such messages.').waitFor();
    expect(page.url()).toContain('period=1h');
    await form.getByLabel('Period').selectOption('Last 24 hours');
    await expect.poll(() => rows(page)).toBe(1);
    await service.sql`update messages set requested_at = requested_at + interval '2 hours' where user_id = ${waiting}`;
    await form.getByLabel('Period').selectOption('Between two times …');
    await form.getByLabel('From', { exact: true }).fill('2020-01-02T00:00');
    await expect.poll(() => page.url()).toContain('from=2020-01-0');
    expect(page.url()).not.toContain('period=');
    await form.getByRole('button', { name: 'Remove the filter From' }).click();
    await expect.poll(() => page.url()).not.toContain('from=');
  });

  it('show by which channel they went, in the log, on their page and in the trail', async () => {
    const id = await service.createUser();
    await service.sendCode(id, '+447400123409');
    for (const channel of ['voice', 'whatsapp']) {
      expect((await service.call(`/User/${id}/phone-number/resend-code`, { channel })).status).toBe(204);
    }
    const page = await open(`messages?userId=${id}`);
    await expect.poll(() => rows(page)).toBe(3);
    const gateways = (await tableCells(page)).map((cells) => cells[3]);
    expect(gateways).toEqual(['inbox\nWhatsApp', 'inbox\nCall', 'inbox\nSMS']);
    if (isFull) await expectAccessible(page);
    await page.getByRole('rowheader').nth(1).getByRole('link').click();
    await page.getByRole('region', { name: 'Facts' }).getByText('ChannelCall').waitFor();
    await page.getByText('inbox accepted code 1 (Call)').waitFor();
    await page.goto(`${service.url}/console#customer/${id}`);
    await page.getByText('inbox accepted code 1 (WhatsApp)').waitFor();
    await page.goto(`${service.url}/console#overview`);
    const byChannel = page.getByRole('region', { name: 'By channel' });
    await byChannel.waitFor();
    expect((await byChannel.getByRole('rowheader').allInnerTexts()).toSorted()).toEqual(['Call', 'SMS', 'WhatsApp']);
    if (isFull) await expectAccessible(page);
  });

  it('appear as they are sent', async () => {
    const id = await service.createUser();
    const page = await openLive(`${service.url}/console#messages?userId=${id}`);
    await page.getByText('There are no such messages.').waitFor();
    await service.sendCode(id, '+447400123402');
    await page.getByRole('rowheader').waitFor();
  });

  it('each show their steps at the side, reachable by keyboard; that a rule refused say which', async () => {
    const page = await open(`messages?userId=${verified}`);
    await page.getByRole('rowheader').getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Message ${verified}-1` }).waitFor();
    const steps = page.getByRole('region', { name: 'History of this message' }).getByRole('listitem');
    await expect.poll(() => steps.count()).toBe(4);
    expect((await steps.locator('p').allInnerTexts()).toSorted()).toEqual([
      'Code 1 verified the number',
      'Code 1 was delivered after 4 s',
      'Code 1 was requested, to +44…01 (GB)',
      'inbox accepted code 1',
    ]);
    await expectInOrder(steps);
    await expectAccessible(page);
    await expectNarrow(page);
    await page.goto(`${service.url}/console#messages/${waiting}-1`);
    await page.getByText('No receipt has arrived yet').waitFor();
    const [requested, valid, ...others] = await steps.locator('p').allInnerTexts();
    expect([requested, valid]).toEqual([
      'Code 1 was requested, to +49…07 (DE)',
      expect.stringMatching(/^The code is valid until /),
    ]);
    expect(others).toEqual(['inbox accepted code 1', 'No receipt has arrived yet']);
    await expectInOrder(steps);
    await page.goto(`${service.url}/console#messages/${waiting}-99`);
    await page.getByText('There is no such message.').waitFor();
    await page.goto(`${service.url}/console#messages?state=stopped`);
    await expect.poll(() => rows(page)).toBe(1);
    await page.getByRole('rowheader').getByRole('link').click();
    await page.getByText('The rule number-type refused the request. No gateway was asked').waitFor();
  });

  it('begin near the top of the page, have relative times with the exact one on hover, and open at its side by a click anywhere on their row', async () => {
    const page = await open(`messages?country=DE`);
    await expect.poll(() => rows(page)).toBe(1);
    const list = (await page.getByRole('table').boundingBox())!;
    expect(list.y).toBeLessThan(300);
    const time = page.getByRole('rowheader').locator('time');
    expect(await time.innerText()).toMatch(/^(now|\d+ (sec|min) ago)$/);
    expect(await time.getAttribute('title')).toMatch(/^\d+ \w{3} \d{4}, \d\d:\d\d:\d\d$/);
    expect((await page.getByRole('main').boundingBox())!.width).toBe(1280);
    await page.getByRole('cell', { name: 'inbox' }).click();
    const panel = page.getByRole('complementary', { name: `Message ${waiting}-1` });
    await panel.getByText('No receipt has arrived yet').waitFor();
    // The list stays, with its filter and the chosen row.
    expect(await rows(page)).toBe(1);
    expect(await page.getByRole('rowheader').getByRole('link').getAttribute('aria-current')).toBe('true');
    expect(page.url()).toMatch(new RegExp(`#messages/${waiting}-1\\?country=DE`));
    expect(await page.title()).toBe(`Messages ${waiting}-1 · Console · Ledgerline`);
    if (isFull) await expectAccessible(page);
    await page.reload();
    await panel.getByText('No receipt has arrived yet').waitFor();
    await page.getByRole('rowheader').getByRole('link').click();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/#messages\?country=DE$/);
  });
});

it('the overview shows cost and delivery time; its chart says its numbers where one points, and by arrow keys', async () => {
  const page = await open('overview');
  const tile = (name: string) => page.locator('.figure-tile').filter({ hasText: name }).locator('.tile-figure');
  await expect.poll(() => tile('Delivery time').innerText()).toBe('4 s');
  expect(Number(await tile('Cost in your currency').innerText())).toBeGreaterThanOrEqual(0.14);
  const chart = page.getByRole('slider', { name: 'Codes by day' });
  await chart.waitFor();
  const tooltip = page.locator('.chart-tooltip');
  expect(await tooltip.count()).toBe(0);
  const { width } = (await chart.boundingBox())!;
  await chart.hover({ position: { x: width - 10, y: 50 } });
  const last = await page.locator('.bar-chart table tbody tr').last().locator('th, td').allInnerTexts();
  expect((await tooltip.innerText()).replaceAll(/\s+/g, ' ')).toBe(
    `${last[0]} Sent ${last[1]} Delivered ${last[2]} Verified ${last[3]}`,
  );
  await page.getByRole('heading', { level: 1 }).hover();
  await tooltip.waitFor({ state: 'detached' });
  await chart.focus();
  await page.keyboard.press('Home');
  const first = await page.locator('.bar-chart table tbody tr').first().locator('th').innerText();
  expect(await chart.getAttribute('aria-valuetext')).toBe(`${first}: Sent 0, Delivered 0, Verified 0`);
  await expectAccessible(page);
});

describe('a customer', () => {
  it('is found by e-mail; has transactions, shown by page when somebody asks for them', async () => {
    const paymentNotes = 'invoice '.repeat(100);
    const large = { transactionId: 'large', amount: '1250000.50', transactionCategory: 'Debit', paymentNotes };
    const rows = Array.from({ length: 20 }, (_, index) => row(verified, { transactionId: `shown-${index}` }));
    await service.record([...rows, row(verified, { ...large, timeStamp: '2030-01-01' })]);
    const { json } = await service.call('/User', { email: 'Grace@example.com' });
    const page = await open('customer');
    const field = page.getByLabel('User id, phone number or e-mail');
    await field.fill('grace@EXAMPLE.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `User ${json.id}` }).waitFor();
    await field.fill('nobody@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Nobody has this e-mail address.').waitFor();
    await page.goto(`${service.url}/console#customer/${verified}`);
    await page.getByRole('heading', { name: `User ${verified}` }).waitFor();
    await tabTo(page, 'Show transactions');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Transactions' });
    await expect.poll(() => panel.getByRole('rowheader').count()).toBe(20);
    await panel.getByText('Page 1 of 2').waitFor();
    const [amount, note] = [panel.getByText(/^−1,250,000\.50 [A-Z]{3}$/), panel.getByText('invoice invoice')];
    const [line, lines] = [(await amount.boundingBox())!.height, (await note.boundingBox())!.height];
    expect(lines / line).toBeLessThan(4);
    await expectAccessible(page);
    await expectNarrow(page);
    await panel.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => panel.getByRole('rowheader').count()).toBe(1);
    const acts =
      await service.sql`select from operator_actions where action = 'list-transactions' and user_id = ${verified}`;
    expect(acts.length).toBe(2);
  });
});

it('settings are searched, and a secret only says that it is set; those that differ from their default come first in their group, with the default', async () => {
  const page = await open('settings?search=twilio');
  const token = page.getByRole('row').filter({ hasText: 'LEDGERLINE_TWILIO_TOKEN' });
  await token.getByText('Set', { exact: true }).waitFor();
  expect(await page.getByRole('row').filter({ hasText: 'LEDGERLINE_VONAGE_KEY' }).count()).toBe(0);
  expect(await page.content()).not.toContain('not-for-operators');
  await expectAccessible(page);
  await expectNarrow(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${service.url}/console#settings`);
  const guard = page.getByRole('region', { name: 'Guard', exact: true });
  await guard.getByRole('rowheader').first().waitFor();
  const names = await guard.getByRole('rowheader').allInnerTexts();
  const changed = Number.parseInt(await guard.getByText(/^\d+ changed$/).innerText(), 10);
  expect(names.length).toBeGreaterThan(changed);
  expect(names.slice(0, changed).map((name) => name.split('\n')[0])).toEqual(
    expect.arrayContaining(['LEDGERLINE_RULES', 'LEDGERLINE_COUNTRY_SENDS']),
  );
  await guard.getByRole('row').filter({ hasText: 'LEDGERLINE_COUNTRY_SENDS' }).getByText('default: ').waitFor();
  const all = await page.getByRole('rowheader').count();
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByLabel('Which').selectOption('Only those that differ from the default');
  await expect.poll(() => page.getByRole('rowheader').count()).toBeLessThan(all / 2);
  expect(await guard.getByRole('rowheader').count()).toBe(changed);
});

describe('the search', () => {
  it('finds views, customers, messages, rules and settings by keyboard', async () => {
    const page = await open('overview');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Search the console' });
    async function find(text: string, option: string | RegExp): Promise<void> {
      await page.keyboard.press('Control+K');
      await field.waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { name: option }).and(page.locator('[aria-selected="true"]')).waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
    }
    await find('webh', 'Webhooks');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(await page.title()).toBe('Webhooks · Console · Ledgerline');
    await find(String(verified), `User ${verified}`);
    await page.getByRole('heading', { name: `User ${verified}` }).waitFor();
    await find('+447400123401', /^Find the customer/);
    await page.getByRole('heading', { name: `User ${verified}` }).waitFor();
    // A phone number does not stay in the address.
    expect(page.url()).not.toContain('7400');
    await find(`${verified}-1`, `Message ${verified}-1`);
    await page.getByRole('complementary', { name: `Message ${verified}-1` }).waitFor();
    await find('number-type', 'number-type');
    await expect.poll(() => page.getByLabel('Decisions of which rule').inputValue()).toBe('number-type');
    await find('country_sends', 'LEDGERLINE_COUNTRY_SENDS');
    await page.getByRole('rowheader').getByText('LEDGERLINE_COUNTRY_SENDS').waitFor();
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.keyboard.type('nobody@example.com');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Nobody has this e-mail address.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });
});

it('the audit is filtered and saved as CSV', async () => {
  await service.call('/operator/guard/mode', { rule: 'prefix', mode: 'shadow', reason: '=1+1' });
  await service.call('/operator/guard/safe-list', { prefix: '+251911' });
  const page = await open('audit?action=set-mode');
  await expect.poll(() => rows(page)).toBe(1);
  const form = page.getByRole('form', { name: 'Filter' });
  expect(await (await choice(form, 'Action')).inputValue()).toBe('set-mode');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export (CSV)' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  expect(text.split('\r\n')[1]).toContain(",set-mode,prefix,shadow,'=1+1,");
  expect(text).not.toContain('add-safe');
  await (await choice(form, 'Action')).focus();
  await (await choice(form, 'Action')).selectOption('lift');
  await page.getByText('There are no such actions.').waitFor();
  expect(await focused(page)).toBe('Action');
  await expectAccessible(page);
});
