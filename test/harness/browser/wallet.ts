/** The wallet page with somebody who has many transactions. */
import type { Page } from 'playwright-core';
import { clientCredentials, createClient, type Client, type Transaction } from '../../../client/index.ts';
import { openPage, type OpenOptions } from './page.ts';
import type { Service } from '../service.ts';

export interface Wallet {
  service: Service;
  client: Client;
  /** An individual with many transactions, over many days and in two currencies. */
  busy: number;
  /** Opens the wallet page and waits for rows and totals. */
  open(query: string, options?: OpenOptions): Promise<Page>;
  /** All rows of a list, as the API gives them. */
  all(request: Omit<Parameters<Client['listTransactions']>[0], 'dataBatch'>): Promise<Transaction[]>;
}

export async function walletOf(service: Service, rowCount = 10_000): Promise<Wallet> {
  const { url: baseUrl } = service;
  const client = createClient({
    baseUrl,
    token: clientCredentials({ baseUrl, clientId: 'sandbox', clientSecret: 'sandbox' }),
  });
  const busy = (await client.createUser()).id;
  const rows = Array.from({ length: rowCount }, (_, index) => ({
    individualId: busy,
    transactionId: `b-${String(index).padStart(5, '0')}`,
    amount: `${(index % 500) + 1}.${String(index % 100).padStart(2, '0')}`,
    currency: index % 10 === 0 ? 'USD' : 'EUR',
    // Unevenly: some days have one row, some hundreds.
    timeStamp: new Date(Date.UTC(2026, 0, 1) + Math.floor(index ** 1.3) * 240_000).toISOString(),
    transactionType: ['CARD', 'P2P', 'SEPA'][index % 3]!,
    transactionCategory: index % 4 === 0 ? 'Credit' : 'Debit',
    transactionStatus: index % 7 === 0 ? 'Pending' : 'Accepted',
    senderName: `Sender ${index % 50}`,
    receiverName: `Shop ${index % 50}`,
    paymentNotes: index % 20 === 0 ? 'Holiday 100%' : '',
    paymentSystem: 'CARD',
  }));
  for (let from = 0; from < rows.length; from += 2500) await client.recordTransactions(rows.slice(from, from + 2500));
  return {
    service,
    client,
    busy,
    open: (query, options) => openWallet(service, query, options),
    async all(request) {
      const found: Transaction[] = [];
      for await (const row of client.transactions({ dataBatchCount: 1000, ...request })) found.push(row);
      return found;
    },
  };
}

/** Opens the wallet page and waits for rows and totals. */
export async function openWallet(service: Service, query: string, options?: OpenOptions): Promise<Page> {
  const page = await openPage(`${service.url}/wallet${query}`, options);
  await page.locator('button.row').first().waitFor();
  await page.locator('.screen[aria-busy="false"]').waitFor();
  return page;
}

export const count = (page: Page) => page.locator('.count').innerText();

export const scroller = (page: Page) => page.locator('ledgerline-activity');

/** The ids of the rows in the document, in order. */
export const shownIds = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelector('ledgerline-activity').shadowRoot.querySelectorAll('button.row')]
      .sort((a, b) => a.dataset.row - b.dataset.row).map(({ dataset }) => dataset.id)`,
  );

/** The day at the top of the list, below the search bar. */
export const topDay = (page: Page) =>
  page.evaluate<string>(`(() => {
    const root = document.querySelector('ledgerline-activity').shadowRoot;
    const edge = root.querySelector('.bar').getBoundingClientRect().bottom + 60;
    return [...root.querySelectorAll('.list section')].find((day) => day.getBoundingClientRect().bottom > edge)?.dataset.day;
  })()`);

/** Answers of one path wait until they are released. */
export async function hold(page: Page, pathname: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(pathname, async (route) => {
    await held;
    await route.continue();
  });
  return () => release();
}
