/** A challenge in a real browser: the form solves it, and nobody notices. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reserveOrigin, serveHostPage } from '../harness/browser/host-page.ts';
import { openPage } from '../harness/browser/page.ts';
import { startService, type Service } from '../harness/service.ts';
import { chooseCountry, enterCode, enterNumber } from '../harness/verify.ts';

const places: { port: number; origin: string }[] = [];
let service: Service;
beforeAll(async () => {
  for (let index = 0; index < 3; index += 1) places.push(await reserveOrigin());
  service = await startService({
    LEDGERLINE_RULES: '*=off,prefix=enforce,challenge=enforce',
    // Of each range one newcomer gets a code without a proof.
    LEDGERLINE_RANGES: '4=1,5=5000,6=5000,7=5000,country=5000',
    LEDGERLINE_CHALLENGE_WORK: '20000',
    LEDGERLINE_CORS_ORIGINS: places.map(({ origin }) => origin).join(','),
  });
});
afterAll(() => service.stop());

/** The challenge itself is a 429, which browsers log. */
const expected = /status of 429|MIME type/;

/** A number whose range has used up its budget. */
async function challengedNumber(range: string): Promise<string> {
  const other = await service.createUser();
  expect((await service.sendCode(other, `${range}0001`)).status).toBe(204);
  return `${range}0002`;
}

async function openForm(script: string): Promise<{ page: Page; workers: string[] }> {
  const { port, origin } = places.shift()!;
  const userId = await service.createUser();
  const token = await service.token('phone', userId);
  await serveHostPage({
    element: 'verify/ledgerline-verify.js',
    port,
    serviceUrl: service.url,
    body: `<ledgerline-verify user="${userId}" base-url="${service.url}" country="GB"></ledgerline-verify>`,
    script: `${script}
      document.querySelector('ledgerline-verify').getToken = async () => (await fetch('/token')).text();`,
    // As many hosts answer for a file that they do not have.
    answers: { '/token': () => token, '/none.js': () => '<!doctype html>' },
  });
  const page = await openPage(origin, { allowed: service.url, expected });
  return { page, workers: workersOf(page) };
}

function workersOf(page: Page): string[] {
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  return workers;
}

async function verify(page: Page, phoneNumber: string): Promise<void> {
  await enterNumber(page, `0${phoneNumber.slice(3)}`);
  await enterCode(page, await service.lastCode(phoneNumber));
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
}

it('the form of another page solves it in a worker', async () => {
  const phoneNumber = await challengedNumber('+44740021');
  const { page, workers } = await openForm('');
  await verify(page, phoneNumber);
  expect(workers).toEqual([expect.stringMatching(/\/challenge-worker\.js$/)]);
});

it.each([
  ['cannot start', 'window.Worker = class { constructor() { throw new Error("not allowed"); } };', '+44740022'],
  [
    'cannot be loaded',
    'const Real = Worker; window.Worker = class extends Real { constructor(url, options) { super("/none.js", options); } };',
    '+44740023',
  ],
])('where a worker %s, the form solves it without one', async (_, script, range) => {
  const phoneNumber = await challengedNumber(range);
  const { page } = await openForm(script);
  await verify(page, phoneNumber);
});

it('the sandbox page starts the worker, and no other script, under its policy', async () => {
  const phoneNumber = await challengedNumber('+44740024');
  const page = await openPage(`${service.url}/`, { expected: /status of 429|TrustedScriptURL/ });
  const workers = workersOf(page);
  await chooseCountry(page, 'united kingdom');
  await verify(page, phoneNumber);
  expect(workers).toEqual([expect.stringMatching(/\/assets\/challenge-worker-[\w-]+\.js$/)]);
  const start = (address: string) =>
    page.evaluate<string>(`try { new Worker('${address}'); 'started'; } catch (error) { error.name; }`);
  expect(await start('/assets/other.js')).toBe('TypeError');
  expect(await start('https://elsewhere.example/assets/challenge-worker-1.js')).toBe('TypeError');
});
