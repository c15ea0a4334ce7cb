/** `<ledgerline-verify>` when something goes wrong: wrong codes, limits, lost connections and answers. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, expectNarrow } from '../harness/browser/page.ts';
import { newPhone, serviceForTest, wrongCode } from '../harness/service.ts';
import { heard, verifyForm } from '../harness/browser/verify-form.ts';
import {
  alert,
  codeField,
  complaint,
  enterCode,
  enterNumber,
  enterWrongCode,
  resendButton,
  verifyButton,
} from '../harness/verify.ts';
import { isFull } from '../harness/size.ts';

const form = verifyForm();

describe('the form', () => {
  it('says that a code is too short or wrong, and after too many attempts how long to wait', async () => {
    const { page } = await form.open();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const wrong = wrongCode(await form.service.lastCode(phoneNumber));
    await codeField(page).fill('12');
    await verifyButton(page).click();
    await alert(page).getByText('The code has 6 digits.').waitFor();
    await enterWrongCode(page, wrong);
    await alert(page).getByText('That code is not right').waitFor();
    await expectAccessible(page, { alsoDark: true });
    for (let attempt = 0; attempt < 9; attempt += 1) await enterWrongCode(page, wrong);
    await enterCode(page, wrong);
    await expect.poll(() => complaint(page)).toMatch(/Too many wrong codes\. Try again in (1:00:00|59:\d\d)\./);
    expect([await verifyButton(page).isDisabled(), await resendButton(page).isDisabled()]).toEqual([true, true]);
    expect(await codeField(page).isEditable()).toBe(false);
    // The countdown is spoken once.
    const spoken = await alert(page).innerText();
    await expect.poll(() => complaint(page)).not.toBe(await complaint(page));
    expect(await alert(page).innerText()).toBe(spoken);
    if (isFull) await expectAccessible(page);
    await expectNarrow(page);
    const last = (await heard(page)).at(-1);
    expect(last).toEqual([
      'failed',
      { step: 'code', reason: 'too-many-failures', retryAfterSeconds: expect.any(Number) },
    ]);
  });

  it('says by its own timer that a code has expired, and takes another one', async () => {
    const { page } = await form.open({
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
    await enterCode(page, await form.service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('says that a number is taken or not supported, or that too many codes were requested, the host page learns where the log has it, and there are as many boxes as the code has digits', async () => {
    const own = await serviceForTest({
      LEDGERLINE_CODE_DIGITS: '8',
      LEDGERLINE_CORS_ORIGINS: form.nextOrigin(),
      LEDGERLINE_RULES: 'country=enforce,user-sends=enforce',
      LEDGERLINE_COUNTRIES: 'GB,GG',
      LEDGERLINE_LIMITS: 'user-sends=3/10m',
    });
    const taken = newPhone();
    await own.verifiedUser(taken);
    const { page } = await form.open({ own, attributes: 'resend-seconds="0"' });
    await page.getByLabel('Phone number').fill(taken);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('This number belongs to another account').waitFor();
    const { error, traceId } = await page.evaluate<{ error: string; traceId: string }>('window.lastFailure');
    expect(error).toMatch(/^LedgerlineError: /);
    expect(traceId).toMatch(/^[\w-]{8,}/);
    await page.getByLabel('Phone number').fill('+4915112345678');
    expect(await alert(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('We cannot send texts to this number').waitFor();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    // Three sends are allowed: the one to the number that is taken counts, too.
    await resendButton(page).click();
    await expect.poll(async () => (await own.messages(phoneNumber)).length).toBe(2);
    await resendButton(page).click();
    await expect.poll(() => complaint(page)).toMatch(/Too many codes were requested\. Try again in (10:00|9:\d\d)\./);
    expect([await verifyButton(page).isDisabled(), await resendButton(page).isDisabled()]).toEqual([false, true]);
    expect((await heard(page)).filter(([name]) => name === 'failed').map(([, detail]) => detail.reason)).toEqual([
      'phone-taken',
      'phone-not-supported',
      'too-many-sends',
    ]);
    expect(await page.locator('.boxes span').count()).toBe(8);
    await codeField(page).pressSequentially(await own.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('tells apart no connection, a service that is away, a session that has ended, and a service that does not allow the page', async () => {
    const { page } = await form.open();
    await page.context().setOffline(true);
    await page.getByLabel('Phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('You are offline').waitFor({ timeout: 20_000 });
    await page.context().setOffline(false);
    await alert(page).waitFor({ state: 'detached' });

    // Also if the connection is back at the moment the message is shown.
    await page.context().setOffline(true);
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
    await page.context().setOffline(false);

    await page.route(`${form.service.url}/**`, (route) => route.abort());
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    if (isFull) await expectAccessible(page);

    await page.unroute(`${form.service.url}/**`);
    await page.evaluate(`document.querySelector('ledgerline-verify').getToken = () => 'expired'`);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('Your session has ended').waitFor();
    expect((await heard(page)).at(-1)).toEqual(['failed', { step: 'number', reason: 'invalid-token' }]);

    // A page whose own back end fails is not told to change settings of the service.
    const { page: alone } = await form.open({
      script: "element.getToken = async () => { throw new TypeError('Failed to fetch'); };",
    });
    await alone.getByLabel('Phone number').fill(newPhone());
    await alone.getByRole('button', { name: 'Send code' }).click();
    await alert(alone).getByText('The service does not answer').waitFor();

    const { page: foreign } = await form.open({ place: await form.foreignOrigin() });
    await foreign.getByLabel('Phone number').fill(newPhone());
    await foreign.getByRole('button', { name: 'Send code' }).click();
    const told = async () => (await alert(foreign).allInnerTexts()).join();
    await expect.poll(told, { timeout: 20_000 }).toContain('LEDGERLINE_CORS_ORIGINS');
  });

  it('takes the code of a text whose outcome is unknown', async () => {
    const { page } = await form.open();
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
    await enterCode(page, await form.service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });
});

describe('if an answer is lost', () => {
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

  it('a send is repeated as the same send, one text whose code verifies, and much later as another send', async () => {
    const { page, next } = await form.open({
      script: 'let ahead = 0; element.now = () => Date.now() + ahead; window.advance = (s) => (ahead += s * 1000);',
    });
    const phoneNumber = newPhone();
    const loss = await loseAnswers(page, '/User/phone-number/send-code');
    await page.getByLabel('Phone number').fill(phoneNumber);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    const messages = await form.service.messages(phoneNumber);
    expect(messages).toHaveLength(1);
    await enterCode(page, messages[0]!.code);
    await page.getByRole('heading', { name: 'Verified' }).waitFor();

    await next();
    const laterNumber = newPhone();
    const laterLoss = await loseAnswers(page, '/User/phone-number/send-code');
    await page.getByLabel('Phone number').fill(laterNumber);
    await page.getByRole('button', { name: 'Send code' }).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await laterLoss.stop();
    await page.evaluate('window.advance(601)');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect(await form.service.messages(laterNumber)).toHaveLength(2);
  });

  it('a resend is repeated as the same resend, and a later one is another', async () => {
    const { page, userId } = await form.open({ attributes: 'resend-seconds="0"' });
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const loss = await loseAnswers(page, `/User/${userId}/phone-number/resend-code`);
    await resendButton(page).click();
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await resendButton(page).click();
    await page.getByText('A new code was sent.').waitFor();
    expect(await form.service.messages(phoneNumber)).toHaveLength(2);
    await resendButton(page).click();
    await expect.poll(async () => (await form.service.messages(phoneNumber)).length).toBe(3);
    await enterCode(page, await form.service.lastCode(phoneNumber));
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });

  it('a verified number is recognised if the database went away after the commit, without entering its code again, and also when it is entered again', async () => {
    const { page, next } = await form.open();
    const isVerified = () => page.getByRole('heading', { name: 'Verified' }).waitFor();
    const requestCode = async () => {
      const phoneNumber = newPhone();
      await enterNumber(page, phoneNumber);
      return { phoneNumber, code: await form.service.lastCode(phoneNumber) };
    };
    const { code } = await requestCode();
    let isCommitted = false;
    await page.route('**/User/phone-number/verify', async (route) => {
      if (isCommitted || route.request().method() === 'OPTIONS') return route.fallback();
      isCommitted = true;
      const response = await route.fetch();
      const headers = { ...response.headers(), 'error-reason': 'database-unavailable', 'retry-after': '0' };
      await route.fulfill({ status: 503, headers, body: '{}' });
    });
    await enterCode(page, code);
    await isVerified();
    expect(isCommitted).toBe(true);

    await next();
    const second = await requestCode();
    const verifyLoss = await loseAnswers(page, '/User/phone-number/verify');
    await enterCode(page, second.code);
    await isVerified();

    const userId = await next();
    const third = await requestCode();
    const statusLoss = await loseAnswers(page, `/User/${userId}/status`);
    await enterCode(page, third.code);
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await verifyLoss.stop();
    await statusLoss.stop();
    await enterCode(page, third.code);
    await isVerified();
    expect((await heard(page)).at(-1)).toEqual(['verified', { userId, phoneNumber: third.phoneNumber }]);
  });

  it('a wrong code stays wrong, and a typed code stays in its field', async () => {
    const { page } = await form.open();
    const phoneNumber = newPhone();
    await enterNumber(page, phoneNumber);
    const code = await form.service.lastCode(phoneNumber);
    const wrong = wrongCode(code);
    const loss = await loseAnswers(page, '/User/phone-number/verify');
    await enterCode(page, wrong);
    await alert(page).getByText('The service does not answer').waitFor({ timeout: 20_000 });
    await loss.stop();
    await enterCode(page, wrong);
    await alert(page).getByText('That code is not right').waitFor();

    await page.route('**/User/phone-number/verify', (route) => route.abort());
    await codeField(page).pressSequentially(code);
    await alert(page).waitFor();
    expect(await codeField(page).inputValue()).toBe(code);
    await page.unroute('**/User/phone-number/verify');
    await verifyButton(page).click();
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  });
});

it('the page around the form does not move from step to step, nor when a message disappears', async () => {
  const { page } = await form.open({ page: { expected: /status of 400/ } });
  const heights: number[] = [];
  const measure = async () => heights.push((await page.locator('ledgerline-verify').boundingBox())!.height);
  await measure();
  const phoneNumber = newPhone();
  await page.getByLabel('Phone number').fill(phoneNumber);
  await page.getByRole('button', { name: 'Send code' }).click();
  const field = page.getByLabel('Code', { exact: true });
  await field.waitFor();
  await measure();
  expect(heights[1]).toBe(heights[0]);
  const code = await form.service.lastCode(phoneNumber);
  await field.fill(wrongCode(code));
  await page.getByRole('alert').waitFor();
  await measure();
  await field.fill(code);
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
  await measure();
  expect(heights[3]).toBe(heights[2]);
});
