/** Every page in every state. A state has a name, an address, and what is done before the picture is taken. */

const wallet = (page) => page.locator('button.row').first().waitFor();
const message = (page) => page.locator('.state').waitFor();
const click =
  (selector, index = 0) =>
  async (page) => {
    await wallet(page);
    await page.locator(selector).nth(index).click();
  };

const useButton = (page) => page.getByRole('button', { name: /^Use \d/ }).first();

export async function enterNumber(page, typed = '07400 123456') {
  await page.getByLabel('Phone number').fill(typed);
}

export async function sendCode(page, typed) {
  await enterNumber(page, typed);
  await page.getByRole('button', { name: 'Send code' }).click();
  await useButton(page).waitFor();
}

export async function verify(page, typed) {
  await sendCode(page, typed);
  await useButton(page).click();
  await page.getByRole('heading', { name: 'Verified' }).waitFor();
}

async function pay(page) {
  await verify(page, nextPhone());
  await page.getByRole('button', { name: /^Pay / }).click();
  await useButton(page).waitFor();
}

async function payChangedAmount(page) {
  await pay(page);
  await page.getByRole('checkbox').check();
  await useButton(page).click();
  await page.getByRole('alert').waitFor();
}

async function askNewNumber(page) {
  await pay(page);
  await useButton(page).click();
  await page.getByRole('button', { name: 'Change number' }).click();
  await useButton(page).click();
  await page.getByRole('heading', { name: 'What is your new number?' }).waitFor();
}

/** A phone belongs to one user, so each picture of a verified one needs another. */
let lastPhone = 123_500;
const nextPhone = () => `07400 ${(lastPhone += 1)}`;

async function enterWrongCode(page) {
  await sendCode(page, nextPhone());
  const right = /\d{6}/.exec(await useButton(page).innerText())[0];
  await page.getByLabel('Code', { exact: true }).fill(right === '000000' ? '111111' : '000000');
  await page.getByRole('alert').waitFor();
}

/** The page as production serves it: without the sandbox's token. */
async function inProduction(page) {
  await page.route('**/wallet', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('data-mode="sandbox"', 'data-mode="production"');
    await route.fulfill({ response, body });
  });
  await page.reload();
  await page.getByLabel('Access token').waitFor();
}

async function tokenOf(page) {
  const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox' };
  const answer = await page.request.post(`${new URL(page.url()).origin}/connect/token`, { form });
  return (await answer.json()).access_token;
}

/** Somebody without transactions. */
async function openEmptyWallet(page) {
  const { origin } = new URL(page.url());
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const answer = await page.request.post(`${origin}/User`, { headers });
  await page.goto(`${origin}/wallet?individual=${(await answer.json()).id}`);
  await message(page);
}

/** All states that a fresh sandbox can show. */
export const sandboxStates = [
  { name: 'sandbox', address: '/', height: 980, prepare: (page) => sendCode(page, nextPhone()) },
  { name: 'sandbox-number', address: '/' },
  {
    name: 'sandbox-countries',
    address: '/',
    prepare: (page) => page.getByRole('button', { name: /^Country:/ }).click(),
  },
  { name: 'sandbox-wrong-code', address: '/', height: 980, prepare: enterWrongCode },
  { name: 'sandbox-verified', address: '/', height: 980, prepare: (page) => verify(page, nextPhone()) },
  { name: 'sandbox-pay', address: '/', height: 980, prepare: pay },
  { name: 'sandbox-changed-amount', address: '/', height: 980, prepare: payChangedAmount },
  { name: 'sandbox-new-number', address: '/', height: 980, prepare: askNewNumber },
  { name: 'sandbox-arabic', address: '/?locale=ar' },
  { name: 'wallet', address: '/wallet', prepare: wallet },
  {
    name: 'wallet-detail',
    address: '/wallet',
    async prepare(page) {
      await click('button.row', 2)(page);
      await page.locator('.history').waitFor();
    },
  },
  {
    name: 'wallet-filters',
    address: '/wallet?activity-type=CARD&activity-amountFrom=10',
    prepare: click('.bar button.pill'),
  },
  { name: 'wallet-no-match', address: '/wallet?activity-search=nobody+at+all', prepare: message },
  {
    name: 'wallet-number',
    address: '/wallet',
    async prepare(page) {
      await wallet(page);
      await page.getByRole('button', { name: 'Phone number' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send code' }).waitFor();
    },
  },
  { name: 'wallet-empty', address: '/wallet', prepare: openEmptyWallet },
  { name: 'wallet-totals', address: '/wallet?activity-type=CARD&activity-amountFrom=10', prepare: wallet },
  { name: 'wallet-export', address: '/wallet', prepare: click('.export summary') },
  { name: 'wallet-settings', address: '/wallet', prepare: click('.page-header .popover-place button') },
  { name: 'wallet-unknown', address: '/wallet?individual=2000000000', prepare: message },
  {
    name: 'wallet-offline',
    address: '/wallet',
    async prepare(page) {
      await wallet(page);
      await page.context().setOffline(true);
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'wallet-print',
    address: '/wallet?activity-type=CARD',
    async prepare(page) {
      await wallet(page);
      await page.evaluate('window.print = () => undefined');
      await page.locator('.export summary').click();
      await page.getByRole('button', { name: 'Print' }).click();
      await page.locator('.printed').waitFor({ state: 'attached' });
      await page.emulateMedia({ media: 'print' });
    },
  },
  { name: 'wallet-sign-in', address: '/wallet', prepare: inProduction },
  ...['de', 'fr', 'es', 'pt', 'it', 'ar', 'ja'].map((language) => ({
    name: `wallet-${language}`,
    address: `/wallet?locale=${language}`,
    prepare: wallet,
  })),
  {
    name: 'reference',
    address: '/docs',
    prepare: (page) => page.getByRole('heading', { name: 'Ledgerline', level: 1 }).first().waitFor(),
  },
];

const safe = [
  ['prefix', '+447700'],
  ['number', '+447400120003'],
  ['number', '+4915123420007'],
];

/** Adds the entries of the safe list that are not there yet. */
async function fillSafeList(page) {
  await page.getByLabel('Kind').waitFor();
  for (const [kind, text] of safe) {
    const entry = page.getByRole('row').filter({ hasText: text.slice(-2) });
    if ((await entry.count()) > 0) continue;
    await page.getByLabel('Kind').selectOption(kind);
    await page.getByLabel(kind === 'prefix' ? 'Prefix' : 'Phone number').fill(text);
    await page.getByRole('button', { name: 'Add' }).click();
    await entry.waitFor();
  }
}

/** One endpoint where nobody listens, and one that has nothing to deliver. */
const endpoints = [
  { url: 'http://127.0.0.1:9/hooks', types: ['user.created'], description: 'Billing' },
  { url: 'http://127.0.0.1:9/risk', types: ['endpoint.disabled'], description: 'Risk' },
];

/** Adds the endpoints if there are none, and waits until the first one fails. */
async function fillWebhooks(page) {
  const { origin } = new URL(page.url());
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const { endpoints: known } = await (await page.request.get(`${origin}/webhook-endpoints`, { headers })).json();
  if (known.length === 0) {
    for (const data of endpoints) await page.request.post(`${origin}/webhook-endpoints`, { headers, data });
    await page.request.post(`${origin}/User`, { headers });
  }
  await page.getByText('Failing').first().waitFor();
}

/** The console after a busy week. `blocked`: a customer who is blocked. */
export const consoleStates = (blocked) => [
  {
    name: 'console',
    address: '/console',
    height: 1080,
    prepare: (page) => page.locator('.figure-tiles').first().waitFor(),
  },
  {
    name: 'console-guard',
    address: '/console#guard',
    height: 980,
    prepare: (page) => page.getByRole('button', { name: 'mode of prefix' }).waitFor(),
  },
  { name: 'console-safe-list', address: '/console#safe-list', height: 720, prepare: fillSafeList },
  {
    name: 'console-customer',
    address: `/console#customer/${blocked}`,
    height: 1240,
    prepare: (page) => page.locator('.time-line').first().waitFor(),
  },
  {
    name: 'console-messages',
    address: '/console#messages',
    prepare: (page) => page.locator('tbody tr').first().waitFor(),
  },
  { name: 'console-settings', address: '/console#settings' },
  { name: 'console-events', address: '/console#events' },
  { name: 'console-webhooks', address: '/console#webhooks', prepare: fillWebhooks },
  {
    name: 'console-webhooks-failing',
    address: '/console#webhooks/1',
    height: 1080,
    prepare: (page) => page.locator('.delivery-exchange').first().waitFor(),
  },
  { name: 'console-audit', address: '/console#audit' },
];

/** The pictures that README and docs show: the name of the file, and of what. */
export const shown = [
  { file: 'sandbox', state: 'sandbox', look: 'light', width: 1280 },
  { file: 'wallet', state: 'wallet', look: 'light', width: 1280 },
  { file: 'wallet-phone', state: 'wallet', look: 'light', width: 390 },
  { file: 'wallet-detail', state: 'wallet-detail', look: 'light', width: 1280 },
  { file: 'console', state: 'console', look: 'light', width: 1280 },
  { file: 'console-guard', state: 'console-guard', look: 'dark', width: 1280 },
  { file: 'console-messages', state: 'console-messages', look: 'light', width: 1280 },
  { file: 'console-safe-list', state: 'console-safe-list', look: 'light', width: 1280 },
  { file: 'console-customer', state: 'console-customer', look: 'light', width: 1280 },
];
