/** `<ledgerline-confirm>` in a page whose back end checks the code: from a text to approved, and everything else. */
import { readFile, readdir } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reserveOrigin, serveHostPage, type HostAnswer } from '../harness/browser/host-page.ts';
import { expectAccessible, expectFits, expectNarrow, openPage, type OpenOptions } from '../harness/browser/page.ts';
import { confirmationCalls, terms, type Pending } from '../harness/confirmations.ts';
import { startService, wrongCode, type Answer, type Service } from '../harness/service.ts';
import { alert, codeField } from '../harness/verify.ts';
import { isFull } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
const calls = confirmationCalls(() => service);

interface Host {
  attributes?: string;
  css?: string;
  script?: string;
  /** What the back end is about to do when the code arrives. */
  atCheck?: { amount?: string };
  page?: OpenOptions;
}

const reasonOf = ({ status, headers }: Answer): HostAnswer => {
  const reason = headers.get('error-reason');
  return { status, headers: reason ? { 'error-reason': reason } : {} };
};

/** The back end of docs/confirmations.md: after a refused check the state decides. */
async function check({ id, confirmationId }: Pending, code: string, atCheck: object): Promise<HostAnswer> {
  const answer = await calls.check(id, confirmationId, { code, ...terms, ...atCheck });
  if (answer.status === 200) return { status: 204 };
  const state = await calls.stateOf(id, confirmationId);
  if (answer.status === 400 && state !== 'pending') return { status: 409, headers: { 'error-reason': state } };
  const retryAfter = answer.headers.get('retry-after');
  const { status, headers } = reasonOf(answer);
  return { status, headers: { ...headers, ...(retryAfter && { 'retry-after': retryAfter }) } };
}

/** Opens the host page. `next` gives its form another confirmation. */
async function open(host: Host = {}): Promise<{ page: Page; pending: Pending; next(): Promise<Pending> }> {
  const { attributes = '', css = '', script = '', atCheck = {} } = host;
  let pending = await calls.pending();
  const { port, origin } = await reserveOrigin();
  const { amount, currency, payee } = terms;
  await serveHostPage({
    element: 'confirm/ledgerline-confirm.js',
    port,
    serviceUrl: 'https://never.example',
    css,
    body: `<h1>My bank</h1><ledgerline-confirm confirmation="${pending.confirmationId}" amount="${amount}"
      currency="${currency}" payee="${payee}" expires-in="300" ${attributes}><a href="/done">Continue</a>
      <button slot="ended">Pay again</button></ledgerline-confirm>`,
    script: `
      const element = document.querySelector('ledgerline-confirm');
      window.heard = [];
      for (const name of ['code', 'resend', 'approved', 'failed', 'expired']) {
        element.addEventListener('ledgerline-' + name, ({ detail: { respond, error, traceId, ...rest } }) => window.heard.push([name, rest]));
      }
      element.addEventListener('ledgerline-code', ({ detail }) =>
        detail.respond(fetch('/check', { method: 'POST', body: detail.code })));
      element.addEventListener('ledgerline-resend', ({ detail }) => detail.respond(fetch('/resend', { method: 'POST' })));
      ${script}`,
    answers: {
      '/check': (code) => check(pending, code, atCheck),
      '/resend': async () => reasonOf(await calls.resend(pending.id, pending.confirmationId)),
    },
  });
  const page = await openPage(origin, { expected: /status of (4\d\d|503)|ERR_/, ...host.page });
  await page.locator('ledgerline-confirm form').waitFor();
  const next = async () => {
    pending = await calls.pending();
    await page.evaluate(
      `document.querySelector('ledgerline-confirm').setAttribute('confirmation', '${pending.confirmationId}')`,
    );
    await page.getByText(/valid for/).waitFor();
    return pending;
  };
  return { page, pending, next };
}

const heard = (page: Page) => page.evaluate<[string, Record<string, unknown>][]>('window.heard');
const names = async (page: Page) => (await heard(page)).map(([name]) => name);
const resend = (page: Page) => page.getByRole('button', { name: /^Send( the code)? again/ });

describe('the form', () => {
  it('shows amount and payee, takes the typed code, and the host page’s back end approves', async () => {
    const { page, pending } = await open({ attributes: 'autofocus' });
    const { confirmationId, code } = pending;
    await page.getByRole('heading', { name: 'Confirm the payment' }).waitFor();
    expect(await page.locator('.amount').innerText()).toBe('€24.90');
    expect(await page.locator('.payee').innerText()).toBe('to Corner Shop');
    await page.getByText(/valid for (5:00|4:5\d)/).waitFor();
    expect(await codeField(page).getAttribute('autocomplete')).toBe('one-time-code');
    await expectAccessible(page, { alsoDark: true });
    await expect.poll(() => codeField(page).evaluate((input) => input.matches(':focus'))).toBe(true);
    await page.keyboard.type(code);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await page.getByRole('link', { name: 'Continue' }).waitFor();
    expect(await page.getByRole('button', { name: 'Pay again' }).isVisible()).toBe(false);
    expect(await heard(page)).toEqual([
      ['code', { confirmationId, code }],
      ['approved', { confirmationId }],
    ]);
    expect(await calls.stateOf(pending.id, confirmationId)).toBe('approved');
    if (isFull) await expectAccessible(page);
    await expectNarrow(page);
  });

  it('says in place that a code is wrong, and takes the right one, but no more after five wrong ones, and sends none again that is cancelled', async () => {
    const { page, pending, next } = await open();
    await codeField(page).pressSequentially(wrongCode(pending.code));
    await alert(page).getByText('That code is not right.').waitFor();
    await expect.poll(() => codeField(page).inputValue()).toBe('');
    if (isFull) await expectAccessible(page);
    await codeField(page).pressSequentially('12');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await alert(page).getByText('The code has 6 digits.').waitFor();
    await codeField(page).fill('');
    await codeField(page).pressSequentially(pending.code);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect(await names(page)).toEqual(['code', 'failed', 'code', 'approved']);
    const [, failed] = (await heard(page))[1]!;
    expect(failed).toEqual({ confirmationId: pending.confirmationId, reason: 'invalid-code', isFinal: false });

    const second = await next();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await codeField(page).pressSequentially(wrongCode(second.code));
      await expect.poll(() => codeField(page).inputValue()).toBe('');
    }
    await codeField(page).pressSequentially(wrongCode(second.code));
    await alert(page).getByText('Too many wrong codes. Nothing was approved.').waitFor();
    expect((await heard(page)).at(-1)![1]).toMatchObject({ reason: 'failed', isFinal: true });

    const third = await next();
    await page.evaluate(`document.querySelector('ledgerline-confirm').setAttribute('resend-seconds', '0')`);
    await calls.cancel(third.id, third.confirmationId);
    await resend(page).click();
    await alert(page).getByText('This can no longer be confirmed.').waitFor();
    expect((await heard(page)).at(-1)![1]).toMatchObject({ reason: 'nothing-to-resend', isFinal: true });
  });

  it('takes no more codes after the amount was changed, and the host page offers a new start', async () => {
    const { page, pending } = await open({ atCheck: { amount: '2490.00' } });
    await codeField(page).pressSequentially(pending.code);
    await alert(page).getByText('Nothing was approved. Start again.').waitFor();
    await page.getByRole('button', { name: 'Pay again' }).waitFor();
    expect(await codeField(page).count()).toBe(0);
    expect((await heard(page)).at(-1)).toEqual([
      'failed',
      { confirmationId: pending.confirmationId, reason: 'void', isFinal: true },
    ]);
    await expectAccessible(page);
    await expectNarrow(page);
  });

  it('has the same code sent again by the host page, after a countdown', async () => {
    const { page, pending } = await open({
      script: 'let ahead = 0; element.now = () => Date.now() + (window.ahead ?? 0);',
    });
    expect(await resend(page).isDisabled()).toBe(true);
    expect(await resend(page).innerText()).toMatch(/^Send again in 0:(30|2\d)$/);
    await page.evaluate('window.ahead = 31_000');
    await page.getByRole('button', { name: 'Send the code again' }).click();
    await expect.poll(async () => (await service.messages(pending.phone)).length).toBe(3);
    expect(await service.lastCode(pending.phone)).toBe(pending.code);
    await expect.poll(() => resend(page).innerText()).toMatch(/^Send again in/);
    await page.getByRole('status').getByText('The code was sent again.').waitFor({ state: 'attached' });
    // It expires when it would have.
    await page.getByText(/valid for 4:[12]\d/).waitFor();
    await codeField(page).pressSequentially(pending.code);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
  });

  it('says that the time has run out, and starts over with another confirmation', async () => {
    const { page, pending } = await open({ script: 'element.now = () => Date.now() + (window.ahead ?? 0);' });
    await codeField(page).pressSequentially('12');
    await page.evaluate('window.ahead = 301_000');
    await alert(page).getByText('The time for this code is over.').waitFor();
    expect(await heard(page)).toEqual([['expired', { confirmationId: pending.confirmationId }]]);
    await page.evaluate(`element = document.querySelector('ledgerline-confirm');
      element.setAttribute('amount', '7');
      element.setAttribute('confirmation', 'another');`);
    await page.getByText(/valid for (5:00|4:5\d)/).waitFor();
    expect([await page.locator('.amount').innerText(), await codeField(page).inputValue()]).toEqual(['€7.00', '']);
  });

  it('approves a code that is being checked when its time runs out', async () => {
    const { page, pending } = await open({
      script: `element.now = () => Date.now() + (window.ahead ?? 0);
        const own = window.fetch;
        window.fetch = async (...request) => (await new Promise((resolve) => (window.release = resolve)), own(...request));`,
    });
    await codeField(page).pressSequentially(pending.code);
    await page.getByRole('button', { name: 'Approving …' }).waitFor();
    await page.evaluate('window.ahead = 301_000');
    // The countdown is over on the screen.
    await page.getByText(/valid for/).waitFor({ state: 'detached' });
    await page.evaluate('window.release()');
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect(await names(page)).toEqual(['code', 'approved']);
  });
});

describe('the host page', () => {
  it('may be offline, may say a sentence of its own, and may name a time to wait', async () => {
    const { page, pending } = await open({
      script: `window.answers = [];
        const own = window.fetch;
        window.fetch = (...request) => (window.answers.shift() ?? (() => own(...request)))();`,
    });
    const answerWith = (text: string) => page.evaluate(`window.answers.push(${text}); undefined`);
    await answerWith(`() => Promise.reject(new TypeError('Failed to fetch'))`);
    await codeField(page).pressSequentially(pending.code);
    await alert(page).getByText('The service does not answer.').waitFor();
    // The code was not judged, so it is still there.
    expect(await codeField(page).inputValue()).toBe(pending.code);
    await answerWith(`() => Promise.reject({ reason: 'card-declined', text: 'Your card was declined.' })`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await alert(page).getByText('Your card was declined.').waitFor();
    await answerWith(`() => Promise.reject(new Error('secret words'))`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await alert(page).getByText('Something went wrong. Try again.').waitFor();
    await answerWith(`() => Promise.reject({ reason: 'too-many-failures', retryAfterSeconds: 90 })`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page
      .locator('.complaint')
      .getByText(/Too many wrong codes\. Try again in 1:(30|2\d)\./)
      .first()
      .waitFor();
    expect(await codeField(page).isEditable()).toBe(false);
    expect((await heard(page)).filter(([name]) => name === 'failed').map(([, detail]) => detail.reason)).toEqual([
      'unreachable',
      'card-declined',
      'problem',
      'too-many-failures',
    ]);
  });

  it('is asked once for a code that the app and the browser enter at once, and may answer later', async () => {
    const { page, pending } = await open({
      script: `element.addEventListener('ledgerline-code', (event) => {
        event.stopImmediatePropagation();
        window.asked = (window.asked ?? 0) + 1;
        setTimeout(() => event.detail.respond(fetch('/check', { method: 'POST', body: event.detail.code })), 50);
      }, { capture: true });`,
    });
    await page.evaluate(`const form = document.querySelector('ledgerline-confirm');
      form.enterCode('${pending.code}');
      form.enterCode('${pending.code}');`);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect(await page.evaluate('window.asked')).toBe(1);
  });

  it('may offer a call after the countdown, and hears which way was chosen', async () => {
    const { page } = await open({ attributes: 'channels="sms,voice" resend-seconds="0"' });
    expect(await page.getByRole('button', { name: 'Send by WhatsApp' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Call me instead' }).click();
    await page.getByText('We are calling your phone to read you the code.').waitFor();
    await resend(page).click();
    await page.getByText('We sent a code to your phone.').waitFor();
    expect((await heard(page)).map(([name, { channel }]) => [name, channel])).toEqual([
      ['resend', 'voice'],
      ['resend', 'sms'],
    ]);
  });

  it('passes on none of its text styles, and may set colours and parts', async () => {
    const { page } = await open({
      css: `html { font-size: 62.5%; } body { letter-spacing: 0.3em; text-transform: uppercase; }
        ledgerline-confirm { --ledgerline-accent-ground: rgb(1, 100, 2); } ledgerline-confirm::part(amount) { color: rgb(3, 4, 5); }`,
      script: `element.texts = { approve: 'Zahlen' };`,
    });
    const style = (selector: string, property: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('ledgerline-confirm').shadowRoot.querySelector('${selector}')).${property}`,
      );
    await page.getByRole('button', { name: 'Zahlen' }).waitFor();
    expect(await style('.primary', 'backgroundColor')).toBe('rgb(1, 100, 2)');
    expect([await style('.amount', 'color'), await style('.amount', 'fontSize')]).toEqual(['rgb(3, 4, 5)', '36px']);
    expect(await style('.payee', 'textTransform')).toBe('none');
  });

  it('a payee cannot turn the text around it, in Arabic too', async () => {
    const { page } = await open({ attributes: 'locale="ar"' });
    await page.evaluate(`document.querySelector('ledgerline-confirm').setAttribute('payee', '\u2069\u202eABC 123')`);
    await expect.poll(() => page.locator('.payee bdi').innerText()).toContain('ABC 123');
    // The word before the payee stays to the right of it.
    const [word, payee] = await page.evaluate<[number, number]>(`(() => {
      const line = document.querySelector('ledgerline-confirm').shadowRoot.querySelector('.payee');
      const left = (node) => { const range = document.createRange(); range.selectNodeContents(node); return range.getBoundingClientRect().left; };
      return [left(line.firstChild), left(line.querySelector('bdi'))];
    })()`);
    expect(word).toBeGreaterThan(payee);
    await expectFits(page);
    await expectAccessible(page);
  });
});

it('the script takes less than 16 KB, and loads only the language of the reader later', async () => {
  const built = new URL('../../dist/confirm/', import.meta.url);
  const script = await readFile(new URL('ledgerline-confirm.js', built));
  expect(brotliCompressSync(script).length).toBeLessThan(16 * 1024);
  const later = (await readdir(built)).filter((name) => !/^ledgerline-confirm(\.[a-z]{2})?\.js$/.test(name));
  expect(later).toEqual(['description.json', 'ledgerline-confirm.d.ts']);
});
