/** The console when something fails or makes no sense: an old answer never looks like a new one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countryName } from '../../web/console/format.ts';
import { expectAccessible, openPage } from '../harness/browser/page.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.verifiedUser();
});
afterAll(() => service.stop());

it.each([null, 'unknown', '', 'toString'])('numbers without a country (%s) have a name', (code) => {
  expect(countryName(code)).toBe(countryName(null));
});

it('a view whose name is that of a built-in member is the overview', async () => {
  const page = await openPage(`${service.url}/console#toString`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('an error while a view is drawn is shown in its place and reported, and the rest of the page works', async () => {
  const page = await openPage(`${service.url}/`, { expected: /reading 'length'/ });
  const reported: string[] = [];
  page.on('pageerror', ({ message }) => reported.push(message));
  let isBroken = true;
  await page.route('**/operator/webhook-endpoints', (route) =>
    isBroken ? route.fulfill({ json: { endpoints: [{ id: 1, url: 'https://example.com' }] } }) : route.continue(),
  );
  await page.goto(`${service.url}/console#webhooks`);
  const place = page.getByRole('alert').filter({ hasText: 'cannot be shown' });
  await place.waitFor();
  expect(reported.length).toBeGreaterThan(0);
  await expectAccessible(page, { alsoDark: true });
  await page.getByRole('link', { name: 'Guard' }).click();
  await page.getByText('Nobody is blocked.').waitFor();
  expect(await place.count()).toBe(0);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await place.waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('There are no endpoints').waitFor();
});

it('blocked storage breaks no view', async () => {
  const page = await openPage(`${service.url}/`);
  await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('The operation is insecure.', 'SecurityError'); },
  })`);
  await page.goto(`${service.url}/console#customer`);
  await page.getByRole('search').waitFor();
  await page.goto(`${service.url}/`);
  await page.getByRole('heading').first().waitFor();
});

it('rows of the last filter are not shown under another one whose request fails', async () => {
  const page = await openPage(`${service.url}/console#messages`, { expected: /status of 503/ });
  await page.getByRole('rowheader').waitFor();
  await page.route(/\/operator\/messages\?.*country=DE/, (route) => route.fulfill({ status: 503 }));
  await page.goto(`${service.url}/console#messages?country=DE`);
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(0);
});

it('alerts that cannot be read are not "no alerts"', async () => {
  const page = await openPage(`${service.url}/`, { expected: /status of 503/ });
  await page.route('**/operator/guard/blocks', (route) => route.fulfill({ status: 503 }));
  await page.goto(`${service.url}/console#overview`);
  await page.getByText('Some alerts could not be read').waitFor();
});

it('a number in national format that looks like a user id finds its customer', async () => {
  const id = await service.createUser();
  const phoneNumber = newPhone();
  await service.sendCode(id, phoneNumber);
  const page = await openPage(`${service.url}/console#customer`);
  await page.getByRole('search').getByRole('combobox').selectOption('GB');
  await page.getByRole('search').getByRole('textbox').pressSequentially(phoneNumber.replace('+44', ''));
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('heading', { name: `User ${id}` }).waitFor();
  expect(page.url()).toContain(`customer/${id}`);
});
