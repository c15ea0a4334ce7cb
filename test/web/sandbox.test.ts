/** The sandbox page: the form, the phone, the clock and the samples. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow, expectRenderedText, openPage } from '../harness/browser/page.ts';
import { newPhone, serviceForTest, startService, wrongCode, type Service } from '../harness/service.ts';
import {
  alert,
  chooseCountry,
  codeField,
  complaint,
  enterCode,
  enterNumber,
  enterWrongCode,
  resendButton,
  verifyButton,
} from '../harness/verify.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ LEDGERLINE_CHANGE_CONFIRMED: 'true' });
});
afterAll(() => service.stop());

/** Refusals are what these journeys are about, and browsers log them. */
const refusals = { expected: /status of (400|401|429)/ };

const phone = (page: Page) => page.getByRole('region', { name: 'Phone', exact: true });
const texts = (page: Page) => phone(page).getByRole('listitem');
const useButtons = (page: Page) => phone(page).getByRole('button', { name: /^Use \d+$/ });

/** The newest code on the page's phone. */
async function readCode(page: Page, count = 1): Promise<string> {
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await expect.poll(() => texts(page).count()).toBe(count);
  return /\d{6,8}/.exec(await texts(page).first().innerText())![0];
}

/** Sends a code to an example, and returns its number as the phone shows it. */
async function sendToExample(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Use an example' }).click();
  await expect.poll(() => page.getByLabel('Phone number').inputValue()).not.toBe('');
  await page.getByRole('button', { name: 'Send code' }).click();
  await useButtons(page).waitFor();
  return phone(page).locator('.owner').innerText();
}

async function verifyExample(page: Page): Promise<string> {
  const number = await sendToExample(page);
  await useButtons(page).click();
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  return number;
}

describe('the form', () => {
  it('verifies a number with the code from the page’s phone, lists its calls, fits into 320 pixels and has no faults for axe', async () => {
    const page = await openPage(`${service.url}/`);
    await expectRenderedText(page, 'Verify a phone, the way your users will');
    await expectAccessible(page);
    await expectNarrow(page);
    const phoneNumber = newPhone();
    await chooseCountry(page, 'united kingdom');
    await enterNumber(page, `0${phoneNumber.slice(3)}`);
    await expectNarrow(page);
    const code = await readCode(page);
    expect(code).toBe(await service.lastCode(phoneNumber));
    await codeField(page).pressSequentially(code);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    const calls = page.getByRole('region', { name: 'Calls' }).getByRole('heading', { level: 3 });
    await expect
      .poll(() => calls.allInnerTexts())
      .toEqual([
        'POST /User/phone-number/verify',
        'POST /User/phone-number/send-code',
        'POST /User',
        'POST /connect/token',
      ]);
    await expectAccessible(page);
    await expectNarrow(page);
  });

  it('offers another example of the chosen country each time, and starts over with this country and the focus in the field', async () => {
    const page = await openPage(`${service.url}/`);
    await chooseCountry(page, 'germany');
    const examples: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      examples.push(await verifyExample(page));
      await page.getByRole('button', { name: 'Start over' }).click();
      const field = page.getByLabel('Phone number');
      await expect.poll(() => field.evaluate((input) => input.matches(':focus'))).toBe(true);
      expect(await field.inputValue()).toBe('');
      expect(await page.getByRole('button', { name: /^Country:/ }).innerText()).toContain('+49');
    }
    expect(examples).toEqual([expect.stringMatching(/^\+49/), expect.stringMatching(/^\+49/)]);
    expect(examples[1]).not.toBe(examples[0]);
    // The code of the last number is not tried for the next.
    await enterNumber(page, newPhone());
    await readCode(page);
    expect([await codeField(page).inputValue(), await alert(page).count()]).toEqual(['', 0]);
  });

  it('says that a code is wrong, that it expired, and that there were too many attempts; the phone offers a code only while it can be used', async () => {
    const page = await openPage(`${service.url}/`, refusals);
    await enterNumber(page, newPhone());
    await enterWrongCode(page, wrongCode(await readCode(page)));
    await alert(page).getByText('That code is not right').waitFor();
    expect(await resendButton(page).isDisabled()).toBe(true);
    expect(await useButtons(page).count()).toBe(1);
    await page.getByRole('button', { name: '+1 min' }).click();
    // The pause between two codes goes by with the clock.
    await resendButton(page).click();
    await readCode(page, 2);
    expect(await useButtons(page).count()).toBe(1);
    // A resend sends the same code.
    await texts(page).nth(1).getByText('Sent again').waitFor();
    await page.getByRole('button', { name: '+10 min' }).click();
    await page.getByText('11 minutes ahead').waitFor();
    await alert(page).getByText('The code has expired').waitFor();
    expect(await verifyButton(page).isDisabled()).toBe(true);
    await texts(page).first().getByText('Expired').waitFor();
    expect(await useButtons(page).count()).toBe(0);
    await resendButton(page).click();
    await readCode(page, 3);
    await useButtons(page).click();
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    await texts(page).first().getByText('Used').waitFor();
    expect(await useButtons(page).count()).toBe(0);
    if (isFull) await expectAccessible(page);

    await page.getByRole('button', { name: 'Start over' }).click();
    await enterNumber(page, newPhone());
    const code = await readCode(page);
    // Most of them by the API, which is what the form calls too.
    const [newest] = await service.sql`select max(user_id)::int as id from messages`;
    for (let attempt = 0; attempt < 8; attempt += 1) await service.verify(newest!.id as number, wrongCode(code));
    for (let attempt = 0; attempt < 2; attempt += 1) await enterWrongCode(page, wrongCode(code));
    await enterCode(page, code);
    await expect.poll(() => complaint(page)).toMatch(/Too many wrong codes\. Try again in (1:00:00|59:\d\d)\./);
    expect([await verifyButton(page).isDisabled(), await resendButton(page).isDisabled()]).toEqual([true, true]);
    await expectAccessible(page, { alsoDark: true });
    await expectNarrow(page);
    await page.getByRole('button', { name: 'Put back' }).click();
    await page.getByText('on time').waitFor();
  });
});

describe('the phone', () => {
  it('shows a call with its words, which it can speak, and a message in WhatsApp', async () => {
    const own = await serviceForTest({ LEDGERLINE_CHANNELS: 'US=sms,voice; *=sms,voice,whatsapp' });
    const page = await openPage(`${own.url}/`);
    await enterNumber(page, newPhone());
    const code = await readCode(page);
    const minute = page.getByRole('button', { name: '+1 min' });
    await minute.click();
    await page.getByRole('button', { name: 'Call me instead' }).click();
    const call = texts(page).filter({ hasText: 'Call' });
    const words = `Ledgerline: ${code.split('').join(', ')} is your verification code.`;
    await call.getByText(words).waitFor();
    await page.getByText(/^We are calling \+44/).waitFor();
    // The browser of the tests has no voice.
    await page.evaluate('speechSynthesis.speak = ({ text }) => (window.spoken = text)');
    await call.getByRole('button', { name: 'Play' }).click();
    expect(await page.evaluate('window.spoken')).toContain(words);
    if (isFull) await expectAccessible(page);
    await minute.click();
    await page.getByRole('button', { name: 'Send by WhatsApp' }).click();
    await texts(page).filter({ hasText: 'WhatsApp' }).getByText(`${code} is your verification code`).waitFor();
    await page.getByText(/^We sent it to \+44.* by WhatsApp\./).waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    await useButtons(page).click();
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('draws nothing while nothing arrives, also past thirty texts, and takes codes of any length', async () => {
    const own = await serviceForTest({ LEDGERLINE_CODE_DIGITS: '8', LEDGERLINE_CODE_SECONDS: '120' });
    const id = await own.createUser();
    for (let count = 0; count < 35; count += 1) await own.sendCode(id, newPhone());
    const page = await openPage(`${own.url}/`);
    await expect.poll(() => texts(page).count()).toBe(30);
    // Each text shows its time, so a list that is drawn again formats thirty of them.
    await page.evaluate(`
      window.formatted = 0;
      const format = Date.prototype.toLocaleTimeString;
      Date.prototype.toLocaleTimeString = function (...options) {
        window.formatted += 1;
        return format.apply(this, options);
      };
      window.polls = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/sandbox/messages')).length;
    `);
    const polls = () =>
      page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/sandbox/messages')).length - window.polls`,
      );
    await expect.poll(polls).toBeGreaterThan(2);
    expect(await page.evaluate('window.formatted')).toBeLessThan(30);
    await enterNumber(page, newPhone());
    // Never more than the service said.
    expect(await page.getByText('The code is valid for').innerText()).toMatch(/ (2:00|1:5\d)\.$/);
    const code = await readCode(page);
    expect(code).toHaveLength(8);
    await codeField(page).pressSequentially(code);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });
});

describe('the payment', () => {
  const checks = (page: Page) =>
    page.getByRole('region', { name: 'Calls' }).getByRole('heading', { level: 3, name: /\/check$/ });
  const approve = async (page: Page) => {
    await useButtons(page).click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
  };

  it('shows the amount on the phone and in the form, and approves it once; with an amount that was changed in between it is refused, and its code is void', async () => {
    const page = await openPage(`${service.url}/`, refusals);
    await verifyExample(page);
    await page.getByRole('button', { name: 'Pay €24.90 to Corner Shop' }).click();
    await texts(page).first().getByText('24.90 EUR to Corner Shop').waitFor();
    await texts(page).nth(1).getByText('Used').waitFor();
    await page.getByRole('heading', { name: 'Confirm the payment' }).waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    const code = /\d{6}/.exec(await useButtons(page).innerText())![0];
    await codeField(page).pressSequentially(code);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await texts(page).first().getByText('Used').waitFor();
    expect(await useButtons(page).count()).toBe(0);
    await expectAccessible(page);
    await expectNarrow(page);

    // Another one has a code of its own.
    await page.getByRole('button', { name: 'Pay again' }).click();
    await page.getByRole('checkbox', { name: 'Change the amount to €2,490.00 before the check' }).check();
    await useButtons(page).click();
    await alert(page).getByText('Nothing was approved. Start again.').waitFor();
    await page.getByText('The code was for €24.90. The check named €2,490.00').waitFor();
    await texts(page).first().getByText('Void').waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    await page.getByRole('button', { name: 'Pay again' }).click();
    expect(await page.getByRole('checkbox').isChecked()).toBe(false);
    await approve(page);
    expect(await checks(page).count()).toBe(3);
  });

  it('says that no code could be sent, and tries again; then the number is changed by a code to the old one and one to the new one', async () => {
    const page = await openPage(`${service.url}/`, { expected: /ERR_FAILED|Failed to fetch/ });
    await verifyExample(page);
    let isAway = true;
    await page.route('**/confirmations', (route) => (isAway ? route.abort() : route.fallback()));
    await page.getByRole('button', { name: 'Pay €24.90 to Corner Shop' }).click();
    await alert(page).getByText('The code could not be sent.').waitFor();
    await expectAccessible(page);
    // The route stays: the page asks for messages all the time, and one of these requests would be under way.
    isAway = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await approve(page);

    await page.getByRole('button', { name: 'Change number' }).click();
    await page.getByText('First a code to your current number').waitFor();
    await useButtons(page).click();
    await page.getByRole('heading', { name: 'What is your new number?' }).waitFor();
    if (isFull) await expectAccessible(page);
    await sendToExample(page);
    await useButtons(page).click();
    await page.getByRole('heading', { name: 'Number changed' }).waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    const changed = await phone(page).locator('.owner').innerText();
    await page.getByRole('button', { name: 'Pay again' }).click();
    await page.getByText(`We sent a code to ${changed}.`).waitFor();
    await approve(page);
  });
});

it('app, phone and calls are side by side at 1440 by 900; answers are coloured, and calls are samples in four languages, ready to copy', async () => {
  const page = await openPage(`${service.url}/`, {
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await enterNumber(page, newPhone());
  await enterCode(page, await readCode(page));
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  const boxes = await Promise.all(
    ['.app', '.phone', '.exchanges'].map(async (selector) => (await page.locator(selector).boundingBox())!),
  );
  for (const [index, { x, y, width, height }] of boxes.entries()) {
    expect(y + height).toBeLessThanOrEqual(900);
    if (index > 0) expect(x).toBeGreaterThanOrEqual(boxes[index - 1]!.x + boxes[index - 1]!.width);
    expect(x + width).toBeLessThanOrEqual(1440);
  }
  // No call is squeezed.
  const cards = page.locator('.exchanges li');
  expect(await cards.evaluateAll((all) => all.filter((card) => card.scrollHeight > card.clientHeight + 1).length)).toBe(
    0,
  );
  const answer = page.locator('.answer').filter({ hasText: '"id"' });
  expect(await answer.locator('.keyword').first().innerText()).toBe('"id"');
  expect(await answer.locator('.number').first().innerText()).toMatch(/^\d+$/);
  const colours = await page.evaluate(
    `[...document.querySelectorAll('.steps li')].map((step) => getComputedStyle(step).color)`,
  );
  expect(colours).toEqual(['rgb(11, 107, 58)', 'rgb(86, 97, 112)', 'rgb(86, 97, 112)']);

  const languages = page.getByRole('group', { name: 'Language of the samples' });
  for (const [language, ...parts] of [
    ['curl', 'curl -i', '"Authorization: Bearer $TOKEN"', '"code":'],
    ['JavaScript', 'await client.verify({', 'id: ', "code: '"],
    ['Python', 'requests.post(', 'headers={"Authorization": f"Bearer {token}"}', '"code": "'],
    ['C#', 'await http.PostAsJsonAsync("/User/phone-number/verify", new {', 'id = ', 'code = "'],
  ] as const) {
    await languages.getByRole('button', { name: language }).click();
    await page.getByRole('button', { name: `Copy: ${language}, POST /User/phone-number/verify` }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    for (const part of parts) expect(copied).toContain(part);
    const sample = page.getByRole('region', { name: 'Calls' }).getByLabel(language, { exact: true }).first();
    expect(await sample.innerText()).toBe(copied);
    expect(await sample.locator('.keyword, .number').count()).toBeGreaterThan(0);
    expect(await sample.locator('.string').count()).toBeGreaterThan(0);
  }
  if (isFull) await expectAccessible(page);
  await page.reload();
  expect(await languages.getByRole('button', { name: 'C#' }).getAttribute('aria-pressed')).toBe('true');
});

it('the buttons of the clock stay where they are', async () => {
  // So tall that a click scrolls nothing.
  const page = await openPage(`${service.url}/`, { viewport: { width: 1280, height: 1200 } });
  const button = page.getByRole('button', { name: '+1 day' });
  const before = await button.boundingBox();
  for (const name of ['+1 min', '+10 min', '+1 hour', '+1 day']) await page.getByRole('button', { name }).click();
  await page.getByText('25 hours ahead').waitFor();
  expect(await button.boundingBox()).toEqual(before);
  await button.click();
  await page.getByText('2 days ahead').waitFor();
  expect(await button.boundingBox()).toEqual(before);
  await page.getByRole('button', { name: 'Put back' }).click();
  await page.getByText('on time').waitFor();
});
