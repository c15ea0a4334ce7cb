/** `<ledgerline-verify>` in a page of another origin: from a number to verified. */
import { readFile, stat } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import * as de from '../../web/intl/languages/de.ts';
import { expectAccessible, expectNarrow } from '../harness/browser/page.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';
import { heard, verifyForm } from '../harness/browser/verify-form.ts';
import { alert, chooseCountry, codeField, enterCode, enterNumber, resendButton } from '../harness/verify.ts';
import { isFull } from '../harness/size.ts';

const form = verifyForm();
const countryButton = (page: Page) => page.getByRole('button', { name: /^Country:/ });

describe('the form', () => {
  it('verifies a number, and the host page hears of it', async () => {
    const { page, userId } = await form.open();
    const phoneNumber = newPhone();
    await enterNumber(page, `0${phoneNumber.slice(3)}`);
    await page.getByText(/valid for (10:00|9:5\d)/).waitFor();
    await expectAccessible(page, { alsoDark: true });
    await enterCode(page, await form.service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    expect(await heard(page)).toEqual([
      ['sent', { userId, phoneNumber, expiresInSeconds: 600 }],
      ['verified', { userId, phoneNumber }],
    ]);
    if (isFull) await expectAccessible(page);
    await expectNarrow(page);
  });

  it('changes a number with a confirmation; without one it says what to do', async () => {
    const [old, next] = [newPhone(), newPhone()];
    const userId = await form.service.verifiedUser(old);
    const bare = await form.open({ userId, attributes: 'mode="change"' });
    await bare.page.getByRole('heading', { name: 'What is your new number?' }).waitFor();
    await bare.page.getByLabel('Phone number').fill(`0${next.slice(3)}`);
    await bare.page.getByRole('button', { name: 'Send code' }).click();
    await alert(bare.page).getByText('First confirm the change with a code to your current number.').waitFor();
    await expectAccessible(bare.page);

    const created = await form.service.call(`/User/${userId}/confirmations`, { purpose: 'change-phone' });
    const { confirmationId } = created.json as { confirmationId: string };
    const code = await form.service.lastCode(old);
    const check = `/User/${userId}/confirmations/${confirmationId}/check`;
    expect((await form.service.call(check, { code })).status).toBe(200);
    const attributes = `mode="change" confirmation-id="${confirmationId}" resend-seconds="0"`;
    const { page } = await form.open({ userId, attributes });
    await enterNumber(page, `0${next.slice(3)}`);
    await resendButton(page).click();
    await expect.poll(async () => (await form.service.messages(next)).length).toBe(2);
    await enterCode(page, await form.service.lastCode(next));
    await page.getByRole('heading', { name: 'Number changed' }).waitFor();
    if (isFull) await expectAccessible(page);
    await expectNarrow(page);
    expect((await heard(page)).at(-1)).toEqual(['verified', { userId, phoneNumber: next }]);
    const status = await form.service.call(`/User/${userId}/status`, undefined, { method: 'GET' });
    expect(status.json.phoneNumber).toBe(next);
  });

  it('works by keyboard alone, the country list included', async () => {
    const { page } = await form.open();
    const focused = () =>
      page.evaluate<string>(`(() => {
        const at = document.activeElement.shadowRoot?.activeElement;
        return at ? (at.ariaLabel ?? at.labels?.[0]?.textContent ?? at.textContent).trim() : '';
      })()`);
    const tabTo = async (name: RegExp) => {
      for (let presses = 0; presses < 20 && !name.test(await focused()); presses += 1) await page.keyboard.press('Tab');
      expect(await focused()).toMatch(name);
    };
    await tabTo(/^.*Country: United Kingdom/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('cote');
    const option = page.getByRole('option');
    await expect.poll(() => option.allInnerTexts()).toEqual([expect.stringContaining('Côte d’Ivoire')]);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await focused()).toMatch(/Country: United Kingdom/);
    await page.keyboard.press('Enter');
    await page.keyboard.type('+49');
    await page.keyboard.press('Enter');
    expect(await focused()).toMatch(/Country: Germany/);
    await tabTo(/^Phone number$/);
    const phoneNumber = `+49151${String(Date.now()).slice(-8)}`;
    await page.keyboard.type(`0${phoneNumber.slice(3)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    await expect.poll(focused).toBe('Code');
    await page.keyboard.type(await form.service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    await expect.poll(focused).toBe('Verified');
  });

  it('takes a code that is pasted with spaces, in digits of other scripts, and once that the app and the browser enter at once, and tells users who are verified already', async () => {
    const { page, next } = await form.open();
    const isVerified = () => page.getByRole('heading', { name: 'Verified' }).waitFor();
    const requestCode = async () => {
      const phoneNumber = newPhone();
      await enterNumber(page, phoneNumber);
      return form.service.lastCode(phoneNumber);
    };
    const pasted = await requestCode();
    expect(await codeField(page).getAttribute('autocomplete')).toBe('one-time-code');
    await codeField(page).focus();
    await page.keyboard.insertText(`${pasted.slice(0, 3)} ${pasted.slice(3)}`);
    await isVerified();
    // Arabic-Indic, Persian and full-width.
    for (const zero of ['٠', '۰', '０']) {
      await next();
      const digits = Array.from(await requestCode(), (digit) =>
        String.fromCodePoint(zero.codePointAt(0)! + Number(digit)),
      );
      await enterCode(page, digits.join(''));
      await isVerified();
    }

    await next();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/verify')) requests.push(request.url());
    });
    const code = await requestCode();
    await page.evaluate(`
      const form = document.querySelector('ledgerline-verify');
      form.enterCode('${code}');
      form.enterCode('${code}');`);
    await isVerified();
    expect(requests).toHaveLength(1);
    expect((await heard(page)).map(([name]) => name)).toEqual(['sent', 'verified']);

    // A user who is verified is told so.
    await page.evaluate(`window.heard = []; document.querySelector('ledgerline-verify').reset()`);
    await page.getByLabel('Phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('Your number is already verified.').waitFor();
    expect((await heard(page)).map(([name]) => name)).toEqual(['verified']);
  });

  it('takes the code that a browser reads from the text message', async () => {
    const phoneNumber = newPhone();
    const { page } = await form.open({
      // Chromium on a computer has no WebOTP, so the test plays the part of the browser.
      script: `
        window.OTPCredential = class {};
        navigator.credentials.get = async ({ otp }) => {
          window.otp = otp;
          return { code: await new Promise((resolve) => (window.receiveText = resolve)) };
        };`,
    });
    await enterNumber(page, phoneNumber);
    await expect.poll(() => page.evaluate('window.otp')).toEqual({ transport: ['sms'] });
    await page.evaluate(`window.receiveText('${await form.service.lastCode(phoneNumber)}')`);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('has a code that did not come called or sent by WhatsApp, where the host page and the service allow it', async () => {
    const settings = {
      LEDGERLINE_CORS_ORIGINS: form.nextOrigin(),
      LEDGERLINE_CHANNELS: '*=sms,voice',
    };
    const own = await serviceForTest(settings);
    const script = 'element.now = () => Date.now() + (window.ahead ?? 0);';
    const { page } = await form.open({ own, attributes: 'channels="sms, voice, whatsapp"', script });
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const call = page.getByRole('button', { name: 'Call me instead' });
    // Not before the countdown is over.
    expect([await resendButton(page).isDisabled(), await call.count()]).toEqual([true, 0]);
    const pass = (seconds: number) => page.evaluate(`window.ahead = ${seconds * 1000}`);
    await pass(31);
    await call.click();
    await page.getByText(/^We are calling \+44/).waitFor();
    expect(await call.count()).toBe(0);
    const messages = await own.messages(phoneNumber);
    expect(messages.map(({ channel }: { channel: string }) => channel)).toEqual(['voice', 'sms']);
    await pass(62);
    await page.getByRole('button', { name: 'Send by WhatsApp' }).click();
    await alert(page).getByText('That is not possible for this number. Choose another way.').waitFor();
    await expectAccessible(page);
    await expectNarrow(page);
    // The usual button sends a text, also after a call.
    await resendButton(page).click();
    await page.getByText(/^We sent it to \+44/).waitFor();
    expect((await own.messages(phoneNumber))[0]!.channel).toBe('sms');
    await codeField(page).pressSequentially(await own.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });
});

describe('numbers', () => {
  it('are formatted as they are typed, a calling code chooses the country, what cannot be a number is refused before the service is asked, and the form goes with its user', async () => {
    const { page } = await form.open();
    const field = page.getByLabel('Phone number');
    await expect.poll(() => field.getAttribute('placeholder')).toBe('07400 123456');
    await field.pressSequentially('07400123456');
    expect(await field.inputValue()).toBe('07400 123456');
    await field.fill('');
    await field.pressSequentially('+4915112345678');
    await expect.poll(() => countryButton(page).innerText()).toContain('+49');
    expect(await field.inputValue()).toBe('+49 1511 2345678');
    // A correction in the middle stays where the caret is.
    await field.fill('');
    await chooseCountry(page, 'united kingdom');
    await field.pressSequentially('07400123456');
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('9');
    expect(await field.inputValue()).toBe('07400 129456');
    await field.fill('');
    await page.evaluate(`navigator.clipboard.writeText('0033 6 12 34 56 78')`).catch(() => undefined);
    await field.focus();
    await page.keyboard.insertText('0033612345678');
    await expect.poll(() => countryButton(page).innerText()).toContain('+33');

    // What is typed at once after the country list is opened is a search in it.
    // A key within the same moment: before the browser has painted the list.
    await page.evaluate(`new Promise((resolve) => {
      document.querySelector('ledgerline-verify').shadowRoot.querySelector('[aria-haspopup=listbox]').click();
      setTimeout(() => resolve(document.execCommand('insertText', false, '+49')));
    })`);
    expect(await page.getByRole('combobox').inputValue()).toBe('+49');
    await page.keyboard.press('Enter');
    await countryButton(page).filter({ hasText: 'Germany' }).waitFor();

    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    for (const text of ['', '12', '+49', 'call me']) {
      await page.getByLabel('Phone number').fill(text);
      await page.getByRole('button', { name: 'Send code' }).click();
      await alert(page).getByText('That does not look like a phone number').waitFor();
    }
    expect(requests.filter((url) => url.startsWith(form.service.url))).toEqual([]);
    await expectAccessible(page);

    // The host page may take the user away, and the form with it.
    await page.evaluate(`document.querySelector('ledgerline-verify').removeAttribute('user')`);
    await field.waitFor({ state: 'detached' });
  });

  it('asked for twice while the rules of numbers are loading send one text', async () => {
    const { page, userId } = await form.open();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/number-rules.js', (route) => released.then(() => route.fallback()));
    const sends: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/send-code')) sends.push(request.url());
    });
    await page.reload();
    await page.getByLabel('Phone number').fill(newPhone());
    await page.evaluate(`
      window.userIds = 0;
      const form = document.querySelector('ledgerline-verify');
      form.getUserId = () => ((window.userIds += 1), ${userId});
      undefined;`);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('button', { name: 'Send code' }).click();
    release();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect([await page.evaluate('window.userIds'), sends.length]).toEqual([1, 1]);
  });

  it('of other countries are not offered when the host page names some', async () => {
    const { page } = await form.open({ attributes: 'countries="DE, fr"' });
    await countryButton(page).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      expect.stringContaining('France'),
      expect.stringContaining('Germany'),
    ]);
  });
});

describe('the host page', () => {
  it('may replace texts, colours and parts, and passes on none of its text styles', async () => {
    const { page } = await form.open({
      attributes: 'locale="de"',
      css: `html { font-size: 62.5%; } body { letter-spacing: 0.3em; text-transform: uppercase; font-style: italic; }
        ledgerline-verify { --ledgerline-accent-ground: rgb(1, 100, 2); } ledgerline-verify::part(button) { border-radius: 0; }`,
      script: `element.texts = { send: 'Los geht es' };`,
      page: { colorScheme: 'dark' },
    });
    const style = (selector: string, property: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('ledgerline-verify').shadowRoot.querySelector('${selector}')).${property}`,
      );
    await page.getByRole('button', { name: 'Los geht es' }).waitFor();
    expect(await style('.primary', 'backgroundColor')).toBe('rgb(1, 100, 2)');
    expect(await style('.primary', 'borderRadius')).toBe('0px');
    expect(await style('h2', 'fontStyle')).toBe('normal');
    expect(await style('h2', 'textTransform')).toBe('none');
    expect(await style('.soft', 'fontSize')).toBe('16px');
    // Light, as the page is, under a dark system.
    expect(await style('h2', 'color')).toBe('rgb(17, 22, 29)');
    await page.getByRole('heading', { name: 'Wie lautet Ihre Nummer?' }).waitFor();
    await page.getByRole('button', { name: /^Land:/ }).click();
    await page.getByRole('combobox').fill('öster');
    expect(await page.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('Österreich')]);
  });

  it('may set its callbacks, texts and attributes again, and the pause between two codes goes on', async () => {
    const { page } = await form.open({ attributes: 'resend-seconds="3600"' });
    await enterNumber(page, newPhone());
    expect(await resendButton(page).isDisabled()).toBe(true);
    await page.evaluate(`
      const form = document.querySelector('ledgerline-verify');
      form.getToken = form.getToken;
      form.setAttribute('correlation-type', '1');
      form.texts = { codeTitle: 'Your code' };`);
    await page.getByRole('heading', { name: 'Your code' }).waitFor();
    expect(await resendButton(page).isDisabled()).toBe(true);
  });

  it('may start over while a send is under way, and while its user is still asked for: their answers change nothing, and the number may be sent again', async () => {
    const { page, userId, next } = await form.open();
    const phoneNumber = newPhone();
    let hold = () => {};
    const isHeld = new Promise<void>((resolve) => (hold = resolve));
    let sends = 0;
    await page.route('**/User/phone-number/send-code', async (route) => {
      if (route.request().method() === 'OPTIONS' || sends > 0) return route.fallback();
      sends += 1;
      await route.fetch();
      hold();
    });
    await page.getByLabel('Phone number').fill(phoneNumber);
    await page.getByRole('button', { name: 'Send code' }).click();
    await isHeld;
    await page.evaluate(`document.querySelector('ledgerline-verify').reset()`);
    await expect.poll(() => page.getByLabel('Phone number').inputValue()).toBe('');
    await enterNumber(page, phoneNumber);
    expect(await heard(page)).toEqual([['sent', { userId, phoneNumber, expiresInSeconds: 600 }]]);
    expect(await form.service.messages(phoneNumber)).toHaveLength(1);

    const second = await next();
    const first = await form.service.createUser();
    await page.evaluate(`{
      const element = document.querySelector('ledgerline-verify');
      element.removeAttribute('user');
      element.getUserId = () => new Promise((resolve) => (window.answerFirst = () => resolve(${first})));
    }`);
    await page.getByLabel('Phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.waitForFunction('window.answerFirst');
    const nextNumber = newPhone();
    await page.evaluate(`
      const element = document.querySelector('ledgerline-verify');
      element.reset();
      element.getUserId = () => ${second};`);
    await enterNumber(page, nextNumber);
    await page.evaluate('window.answerFirst()');
    await enterCode(page, await form.service.lastCode(nextNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    expect((await heard(page)).at(-1)).toEqual(['verified', { userId: second, phoneNumber: nextNumber }]);
  });
});

it('the script takes less than 24 KB, and the rules of numbers come later', async () => {
  const built = new URL('../../dist/verify/', import.meta.url);
  const script = await readFile(new URL('ledgerline-verify.js', built));
  expect(brotliCompressSync(script).length).toBeLessThan(24 * 1024);
  expect(script.toString()).toMatch(/import\(["`]\.\/number-rules\.js["`]\)/);
  expect(script.includes('$0A\\d{3}')).toBe(false);
  // The texts of other elements are not in it.
  for (const text of [de.activity.emptyTitle, de.confirm.paymentTitle]) expect(script.includes(text)).toBe(false);
  expect((await stat(new URL('number-rules.js', built))).size).toBeGreaterThan(50_000);
});
