/** `<ledgerline-verify>` in a page of another origin. */
import { readFile, stat } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reserveOrigin, serveHostPage } from '../harness/host-page.ts';
import { expectAccessible, expectNarrow, openPage, type OpenOptions } from '../harness/page.ts';
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

const places: { port: number; origin: string }[] = [];
let service: Service;
beforeAll(async () => {
  for (let index = 0; index < 40; index += 1) places.push(await reserveOrigin());
  service = await startService({ LEDGERLINE_CORS_ORIGINS: places.map(({ origin }) => origin).join(',') });
});
afterAll(() => service.stop());

interface Host {
  own?: Service;
  /** Another user than a new one. */
  userId?: number;
  attributes?: string;
  css?: string;
  script?: string;
  token?: () => string;
  page?: OpenOptions;
}

/** Refusals are what these journeys are about, and browsers log them. */
const expected = /status of (400|401|429|503)|ERR_|CORS/;

async function openForm(host: Host = {}): Promise<{ page: Page; userId: number }> {
  const { own = service, attributes = '', css = '', script = '', page: options = {} } = host;
  const { port, origin } = places.shift()!;
  const userId = host.userId ?? (await own.createUser());
  const token = await own.token('phone', userId);
  await serveHostPage({
    element: 'verify/ledgerline-verify.js',
    port,
    serviceUrl: own.url,
    css,
    body: `<h1>My bank</h1><ledgerline-verify user="${userId}" base-url="${own.url}" country="GB" ${attributes}></ledgerline-verify>`,
    script: `
      const element = document.querySelector('ledgerline-verify');
      window.heard = [];
      for (const name of ['sent', 'verified', 'failed']) {
        element.addEventListener(name, ({ detail }) => window.heard.push([name, detail]));
      }
      element.getToken = async () => (await fetch('/token')).text();
      ${script}`,
    answers: { '/token': host.token ?? (() => token) },
  });
  const page = await openPage(origin, { allowed: own.url, expected, ...options });
  await page.getByRole('heading', { level: 2 }).waitFor();
  return { page, userId };
}

const heard = (page: Page) => page.evaluate<[string, Record<string, unknown>][]>('window.heard');
const countryButton = (page: Page) => page.getByRole('button', { name: /^Country:/ });

describe('the journey', () => {
  it('from a number to verified, and the host page hears of it', async () => {
    const { page, userId } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, `0${phoneNumber.slice(3)}`);
    await page.getByText(/valid for (10:00|9:5\d)/).waitFor();
    await expectAccessible(page);
    await enterCode(page, await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    expect(await heard(page)).toEqual([
      ['sent', { userId, phoneNumber, expiresInSeconds: 600 }],
      ['verified', { userId, phoneNumber }],
    ]);
    await expectAccessible(page);
    await expectNarrow(page);
  });

  it('works by keyboard alone, the country list included', async () => {
    const { page } = await openForm();
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
    await page.keyboard.type(await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    await expect.poll(focused).toBe('Verified');
  });

  it('takes what is typed at once after the country list is opened', async () => {
    const { page } = await openForm();
    // A key within the same moment: before the browser has painted the list.
    await page.evaluate(`new Promise((resolve) => {
      document.querySelector('ledgerline-verify').shadowRoot.querySelector('[aria-haspopup=listbox]').click();
      setTimeout(() => resolve(document.execCommand('insertText', false, '+49')));
    })`);
    expect(await page.getByRole('combobox').inputValue()).toBe('+49');
    await page.keyboard.press('Enter');
    await countryButton(page).filter({ hasText: 'Germany' }).waitFor();
  });

  it('a pasted code may have spaces, and an app may enter it', async () => {
    const first = newPhone();
    const { page } = await openForm();
    await enterNumber(page, first);
    expect(await codeField(page).getAttribute('autocomplete')).toBe('one-time-code');
    const code = await service.lastCode(first);
    await codeField(page).focus();
    await page.keyboard.insertText(`${code.slice(0, 3)} ${code.slice(3)}`);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();

    const second = newPhone();
    const { page: other } = await openForm();
    await enterNumber(other, second);
    await other.evaluate(`document.querySelector('ledgerline-verify').enterCode('${await service.lastCode(second)}')`);
    await other.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it.each([
    ['Arabic-Indic', '٠'],
    ['Persian', '۰'],
    ['full-width', '０'],
  ])('a code may be written in %s digits', async (_, zero) => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const code = await service.lastCode(phoneNumber);
    const digits = Array.from(code, (digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)));
    await enterCode(page, digits.join(''));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a code that the app and the browser enter at once is verified once', async () => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/verify')) requests.push(request.url());
    });
    const code = await service.lastCode(phoneNumber);
    await page.evaluate(`
      const form = document.querySelector('ledgerline-verify');
      form.enterCode('${code}');
      form.enterCode('${code}');`);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    expect(requests).toHaveLength(1);
    expect((await heard(page)).map(([name]) => name)).toEqual(['sent', 'verified']);
  });

  it('a browser that reads the text message fills in the code', async () => {
    const phoneNumber = newPhone();
    const { page } = await openForm({
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
    await page.evaluate(`window.receiveText('${await service.lastCode(phoneNumber)}')`);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a user who is verified already is told so', async () => {
    const userId = await service.verifiedUser();
    const { page } = await openForm({ userId });
    await page.getByLabel('Phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('Your number is verified already.').waitFor();
    expect((await heard(page)).map(([name]) => name)).toEqual(['verified']);
  });
});

describe('numbers', () => {
  it('are formatted as they are typed, and a calling code chooses the country', async () => {
    const { page } = await openForm();
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
  });

  it('that cannot be numbers are refused before the service is asked', async () => {
    const { page } = await openForm();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    for (const text of ['', '12', '+49', 'call me']) {
      await page.getByLabel('Phone number').fill(text);
      await page.getByRole('button', { name: 'Send code' }).click();
      await alert(page).getByText('That does not look like a phone number').waitFor();
    }
    expect(requests.filter((url) => url.startsWith(service.url))).toEqual([]);
    await expectAccessible(page);
  });

  it('asked for twice while the rules of numbers are loading send one text', async () => {
    const { page, userId } = await openForm();
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
    const { page } = await openForm({ attributes: 'countries="DE, fr"' });
    await countryButton(page).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      expect.stringContaining('France'),
      expect.stringContaining('Germany'),
    ]);
  });
});

describe('states', () => {
  it('as many boxes as the code has digits', async () => {
    const { port, origin } = places.pop()!;
    places.unshift({ port, origin });
    const own = await serviceForTest({ LEDGERLINE_CODE_DIGITS: '8', LEDGERLINE_CORS_ORIGINS: origin });
    const phoneNumber = newPhone();
    const { page } = await openForm({ own });
    await enterNumber(page, phoneNumber);
    expect(await page.locator('.boxes span').count()).toBe(8);
    await codeField(page).pressSequentially(await own.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a wrong code, a code that is too short, and at last a block with a countdown', async () => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const wrong = wrongCode(await service.lastCode(phoneNumber));
    await codeField(page).fill('12');
    await verifyButton(page).click();
    await alert(page).getByText('The code has 6 digits.').waitFor();
    await enterWrongCode(page, wrong);
    await alert(page).getByText('That code is not right').waitFor();
    await expectAccessible(page);
    for (let attempt = 0; attempt < 9; attempt += 1) await enterWrongCode(page, wrong);
    await enterCode(page, wrong);
    await expect.poll(() => complaint(page)).toMatch(/Too many wrong codes\. Try again in (1:00:00|59:\d\d)\./);
    expect([await verifyButton(page).isDisabled(), await resendButton(page).isDisabled()]).toEqual([true, true]);
    expect(await codeField(page).isEditable()).toBe(false);
    // The countdown is spoken once.
    const spoken = await alert(page).innerText();
    await expect.poll(() => complaint(page)).not.toBe(await complaint(page));
    expect(await alert(page).innerText()).toBe(spoken);
    await expectAccessible(page);
    await expectNarrow(page);
    const last = (await heard(page)).at(-1);
    expect(last).toEqual([
      'failed',
      { step: 'code', reason: 'too-many-failures', retryAfterSeconds: expect.any(Number) },
    ]);
  });

  it('a code that expires by its own timer, and another one', async () => {
    const { page } = await openForm({
      script: 'let ahead = 0; element.now = () => Date.now() + ahead; window.advance = (s) => (ahead += s * 1000);',
    });
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    expect(await resendButton(page).isDisabled()).toBe(true);
    await page.getByText(/Another code in 0:[23]\d/).waitFor();
    await page.evaluate('window.advance(601)');
    await alert(page).getByText('The code has expired. Request a new one.').waitFor();
    expect(await verifyButton(page).isDisabled()).toBe(true);
    await expectAccessible(page);
    await resendButton(page).click();
    await page.getByText(/valid for (10:00|9:5\d)/).waitFor();
    expect(await alert(page).count()).toBe(0);
    await enterCode(page, await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a number that is taken, one that is not supported, and too many codes', async () => {
    const { port, origin } = places.pop()!;
    places.unshift({ port, origin });
    const own = await serviceForTest({
      LEDGERLINE_CORS_ORIGINS: origin,
      LEDGERLINE_RULES: 'country=enforce,user-sends=enforce',
      LEDGERLINE_COUNTRIES: 'GB,GG',
      LEDGERLINE_USER_SENDS: '3/10m',
    });
    const taken = newPhone();
    await own.verifiedUser(taken);
    const { page } = await openForm({ own, attributes: 'resend-seconds="0"' });
    await page.getByLabel('Phone number').fill(taken);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('This number belongs to another account').waitFor();
    await page.getByLabel('Phone number').fill('+4915112345678');
    expect(await alert(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('We cannot send texts to this number').waitFor();
    await enterNumber(page, newPhone());
    while ((await page.locator('.complaint').count()) === 0) {
      if (await resendButton(page).isEnabled()) await resendButton(page).click();
    }
    await expect.poll(() => complaint(page)).toMatch(/Too many codes were requested\. Try again in (10:00|9:\d\d)\./);
    expect([await verifyButton(page).isDisabled(), await resendButton(page).isDisabled()]).toEqual([false, true]);
    expect((await heard(page)).filter(([name]) => name === 'failed').map(([, detail]) => detail.reason)).toEqual([
      'phone-taken',
      'phone-not-supported',
      'too-many-sends',
    ]);
  });

  it('no connection, a service that is away, and one that does not allow the page', async () => {
    const { page } = await openForm();
    await page.context().setOffline(true);
    await page.getByLabel('Phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('You are offline').waitFor({ timeout: 20_000 });
    await page.context().setOffline(false);
    await alert(page).waitFor({ state: 'detached' });
    await page.route(`${service.url}/**`, (route) => route.abort());
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await expectAccessible(page);

    const own = await serviceForTest();
    const { page: foreign } = await openForm({ own });
    await foreign.getByLabel('Phone number').fill(newPhone());
    await foreign.getByRole('button', { name: 'Send code' }).click();
    await alert(foreign).getByText('LEDGERLINE_CORS_ORIGINS').waitFor({ timeout: 20_000 });
  });

  it('a connection that is back at the moment the failure is shown', async () => {
    const { page } = await openForm();
    await page.context().setOffline(true);
    await page.getByLabel('Phone number').fill(newPhone());
    await page.evaluate(`
      const root = document.querySelector('ledgerline-verify').shadowRoot;
      globalThis.shown = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          const text = root.querySelector('[role="alert"]')?.textContent;
          if (!text) return;
          observer.disconnect();
          resolve(text);
          dispatchEvent(new Event('online'));
        }).observe(root, { subtree: true, childList: true, characterData: true });
      });
      undefined;
    `);
    await page.getByRole('button', { name: 'Send code' }).click();
    expect(await page.evaluate('shown')).toContain('You are offline');
    await alert(page).waitFor({ state: 'detached' });
  });

  it('a session that ended', async () => {
    const { page } = await openForm({ token: () => 'expired' });
    await page.getByLabel('Phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('Your session has ended').waitFor();
    expect((await heard(page)).at(-1)).toEqual(['failed', { step: 'number', reason: 'invalid-token' }]);
  });

  it('a text of which nobody knows whether it was sent: its code can be entered', async () => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    let isLost = true;
    await page.route('**/User/phone-number/send-code', async (route) => {
      if (!isLost || route.request().method() === 'OPTIONS') return route.fallback();
      isLost = false;
      const response = await route.fetch();
      await route.fulfill({
        status: 503,
        headers: { ...response.headers(), 'error-reason': 'send-outcome-unknown', 'retry-after': '60' },
        body: '{}',
      });
    });
    await enterNumber(page, phoneNumber);
    await page.getByText('may be on its way').waitFor();
    await enterCode(page, await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });
});

describe('answers that are lost', () => {
  /** The service does the work, and the connection breaks before its answer arrives. */
  async function loseAnswers(page: Page, path: string): Promise<{ stop(): Promise<void> }> {
    const url = `**${path}`;
    // The page cannot find out whether it was refused by CORS.
    await page.route('**/health/live', (route) => route.abort());
    await page.route(url, async (route) => {
      if (route.request().method() === 'OPTIONS') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    return { stop: () => page.unroute(url) };
  }

  it('a send is repeated as the same send: one text, and its code verifies', async () => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    const loss = await loseAnswers(page, '/User/phone-number/send-code');
    await page.getByLabel('Phone number').fill(phoneNumber);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    const messages = await service.messages(phoneNumber);
    expect(messages).toHaveLength(1);
    await enterCode(page, messages[0]!.code);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a resend is repeated as the same resend, and a later one is another', async () => {
    const { page, userId } = await openForm({ attributes: 'resend-seconds="0"' });
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const loss = await loseAnswers(page, `/User/${userId}/phone-number/resend-code`);
    await resendButton(page).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await resendButton(page).click();
    await page.getByText('A new code was sent.').waitFor();
    expect(await service.messages(phoneNumber)).toHaveLength(2);
    await resendButton(page).click();
    await expect.poll(async () => (await service.messages(phoneNumber)).length).toBe(3);
    await enterCode(page, await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a send much later is another send', async () => {
    const { page } = await openForm({
      script: 'let ahead = 0; element.now = () => Date.now() + ahead; window.advance = (s) => (ahead += s * 1000);',
    });
    const phoneNumber = newPhone();
    const loss = await loseAnswers(page, '/User/phone-number/send-code');
    await page.getByLabel('Phone number').fill(phoneNumber);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await page.evaluate('window.advance(601)');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect(await service.messages(phoneNumber)).toHaveLength(2);
  });

  it('a verified number is recognised, also when its code is entered again', async () => {
    const { page, userId } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const verifyLoss = await loseAnswers(page, '/User/phone-number/verify');
    const statusLoss = await loseAnswers(page, `/User/${userId}/status`);
    await enterCode(page, await service.lastCode(phoneNumber));
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await verifyLoss.stop();
    await statusLoss.stop();
    await enterCode(page, await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
    expect((await heard(page)).at(-1)).toEqual(['verified', { userId, phoneNumber }]);
  });

  it('a verified number is recognised without entering its code again', async () => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    await loseAnswers(page, '/User/phone-number/verify');
    await enterCode(page, await service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a wrong code stays wrong after a lost answer', async () => {
    const { page } = await openForm();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const wrong = wrongCode(await service.lastCode(phoneNumber));
    const loss = await loseAnswers(page, '/User/phone-number/verify');
    await enterCode(page, wrong);
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await enterCode(page, wrong);
    await alert(page).getByText('That code is not right').waitFor();
  });
});

describe('the host page', () => {
  it('may replace texts, colours and parts, and passes on none of its text styles', async () => {
    const { page } = await openForm({
      attributes: 'locale="de"',
      css: `html { font-size: 62.5%; } body { letter-spacing: 0.3em; text-transform: uppercase; font-style: italic; }
        ledgerline-verify { --accent-ground: rgb(1, 100, 2); } ledgerline-verify::part(button) { border-radius: 0; }`,
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
    const { page } = await openForm({ attributes: 'resend-seconds="3600"' });
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

  it('may start over while a send is under way: its answer changes nothing, and its number may be sent again', async () => {
    const { page, userId } = await openForm();
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
    expect(await service.messages(phoneNumber)).toHaveLength(1);
  });

  it('may take the user away, and the form with it', async () => {
    const { page } = await openForm();
    await page.evaluate(`document.querySelector('ledgerline-verify').removeAttribute('user')`);
    await page.getByLabel('Phone number').waitFor({ state: 'detached' });
  });
});

it('the script takes less than 60 KB, and the rules of numbers come later', async () => {
  const built = new URL('../../dist/verify/', import.meta.url);
  const script = await readFile(new URL('ledgerline-verify.js', built));
  expect(brotliCompressSync(script).length).toBeLessThan(60 * 1024);
  expect(script.toString()).toMatch(/import\("\.\/number-rules\.js"\)/);
  expect(script.includes('$0A\\d{3}')).toBe(false);
  expect((await stat(new URL('number-rules.js', built))).size).toBeGreaterThan(50_000);
});
