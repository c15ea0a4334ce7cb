/** The console when something fails or makes no sense: an old answer never looks like a new one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countryName } from '../../web/console/format.ts';
import { expectAccessible, openPage } from '../harness/browser/page.ts';
import { startService, type Service } from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.verifiedUser();
});
afterAll(() => service.stop());

it.each([null, 'unknown', '', 'toString'])('numbers without a country (%s) have a name', (code) => {
  expect(countryName(code)).toBe(countryName(null));
});

it('an error while a view is drawn is shown in its place and reported, and the rest of the page works', async () => {
  const reported: string[] = [];
  let isBroken = true;
  const page = await openPage(`${service.url}/console#webhooks`, {
    expected: /reading 'length'/,
    async prepare(opened) {
      opened.on('pageerror', ({ message }) => reported.push(message));
      await opened.route('**/operator/webhook-endpoints', (route) =>
        isBroken ? route.fulfill({ json: { endpoints: [{ id: 1, url: 'https://example.com' }] } }) : route.continue(),
      );
    },
  });
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
  const blocked = `Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('The operation is insecure.', 'SecurityError'); },
  })`;
  const page = await openPage(`${service.url}/console#customer`, {
    prepare: (opened) => opened.addInitScript(blocked),
  });
  await page.getByRole('search').waitFor();
  await page.goto(`${service.url}/`);
  await page.getByRole('heading').first().waitFor();
});

it('a view whose name is that of a built-in member is the overview; alerts that cannot be read are not "no alerts"', async () => {
  const page = await openPage(`${service.url}/console#toString`, {
    expected: /status of 503/,
    prepare: (opened) => opened.route('**/operator/guard/blocks', (route) => route.fulfill({ status: 503 })),
  });
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('Some alerts could not be read').waitFor();
});
