/** `<ledgerline-verify>` in a page of another origin, beside a service that allows it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { reserveOrigin, serveHostPage } from './host-page.ts';
import { openPage, type OpenOptions } from './page.ts';
import { startService, type Service } from '../service.ts';

interface Host {
  own?: Service;
  /** Another user than a new one. */
  userId?: number;
  /** Another place of the host page than one that the service allows. */
  place?: { port: number; origin: string };
  attributes?: string;
  css?: string;
  script?: string;
  token?: () => string;
  page?: OpenOptions;
}

/** Refusals are what these journeys are about, and browsers log them. */
const expected = /status of (400|401|429|503)|ERR_|CORS/;

/** What the host page has heard from the form. */
export const heard = (page: Page) => page.evaluate<[string, Record<string, unknown>][]>('window.heard');

/** For the tests of one file. The service is there while they run. */
export function verifyForm() {
  const places: { port: number; origin: string }[] = [];
  const allowed = new Set<string>();
  let service: Service;
  beforeAll(async () => {
    for (let index = 0; index < 40; index += 1) places.push(await reserveOrigin());
    for (const { origin } of places) allowed.add(origin);
    service = await startService({ LEDGERLINE_CORS_ORIGINS: [...allowed].join(',') });
  });
  afterAll(() => service.stop());

  async function open(host: Host = {}): Promise<{ page: Page; userId: number; next(): Promise<number> }> {
    const { own = service, attributes = '', css = '', script = '', page: options = {} } = host;
    const { port, origin } = host.place ?? places.shift()!;
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
          element.addEventListener('ledgerline-' + name, ({ detail: { error, traceId, ...detail } }) => {
            window.heard.push([name, detail]);
            window.lastFailure = { error: String(error), traceId };
          });
        }
        element.getToken = async () => (await fetch('/token')).text();
        ${script}`,
      answers: { '/token': host.token ?? (() => token) },
    });
    const page = await openPage(origin, { allowed: own.url, expected, ...options });
    await page.getByRole('heading', { level: 2 }).waitFor();
    return { page, userId, next: () => openNext(page, own) };
  }

  /** Gives the form another new user, and starts over. */
  async function openNext(page: Page, own: Service): Promise<number> {
    const userId = await own.createUser();
    await page.evaluate(`{
      const element = document.querySelector('ledgerline-verify');
      element.getToken = () => '${await own.token('phone', userId)}';
      element.user = ${userId};
      element.reset();
      window.heard = [];
    }`);
    await page.getByLabel('Phone number').waitFor();
    return userId;
  }

  /** One that the service does not allow. */
  async function foreignOrigin(): Promise<{ port: number; origin: string }> {
    const place = await reserveOrigin();
    return allowed.has(place.origin) ? foreignOrigin() : place;
  }

  return {
    open,
    foreignOrigin,
    /** Of the page that is opened next. */
    nextOrigin: () => places[0]!.origin,
    get service() {
      return service;
    },
  };
}
