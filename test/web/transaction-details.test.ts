/** Details of a transaction where people see them: wallet, console, confirmation and statement. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordsByLanguage } from '../../src/words/by-language.ts';
import { activityTexts } from '../../web/intl/languages/activity-texts.ts';
import { languages } from '../../web/intl/languages/languages.ts';
import { focused } from '../harness/browser/console.ts';
import { expectAccessible, expectFits, expectNarrow, openPage } from '../harness/browser/page.ts';
import { openWallet } from '../harness/browser/wallet.ts';
import { readPdf } from '../harness/pdf.ts';
import { row, startService, type Service } from '../harness/service.ts';

let service: Service;
let individual: number;
beforeAll(async () => {
  service = await startService();
  individual = await service.createUser();
  const bare = row(individual, { transactionId: 'bare', timeStamp: '2026-01-01T10:00:00Z' });
  const full = row(individual, {
    transactionId: 'full',
    timeStamp: '2026-01-02T10:00:00Z',
    transactionCategory: 'Debit',
    transactionType: 'SEPA',
    senderName: 'Ada',
    receiverName: 'Aurora Travel AB',
    paymentNotes: 'Booking',
    senderIban: 'DE02120300000000202051',
    receiverIban: 'SE4550000000058398257466',
    receiverBic: 'ESSESESSXXX',
    cardNetwork: 'VISA',
    cardPan: '453201******7842',
    reference: 'AUR-1001',
    scaStatus: 'authenticated',
    transactionFee: '1.50',
    feeCurrency: 'EUR',
    originalAmount: '113.20',
    originalCurrency: 'SEK',
    balanceAfter: '-5.25',
    additionalData: { booking: 'B-7', seats: 2, amount: 12.5 },
  });
  await service.record([bare, full]);
  await service.record([{ ...full, reference: 'AUR-1002' }]);
});
afterAll(() => service.stop());

async function facts(region: Locator): Promise<[string, string][]> {
  const found = await region.locator('dl > div').all();
  return Promise.all(
    found.map(async (fact): Promise<[string, string]> => [
      (await fact.locator('dt').textContent())!,
      (await fact.locator('bdi').textContent())!,
    ]),
  );
}

describe('the wallet', () => {
  it('shows them in groups, IBANs in fours with a button that copies them, and nothing of them for a transaction without details', async () => {
    const page = await openWallet(service, `?individual=${individual}&activity-transaction=full`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const group = (name: string) => page.getByRole('region', { name, exact: true });
    await group('Parties').waitFor();
    expect(await facts(group('Parties'))).toEqual([
      ['Sender’s IBAN', 'DE02 1203 0000 0000 2020 51'],
      ['Receiver’s IBAN', 'SE45 5000 0000 0583 9825 7466'],
      ['Receiver’s BIC', 'ESSESESSXXX'],
    ]);
    expect(await facts(group('Card'))).toEqual([
      ['Card network', 'VISA'],
      ['Card number', '453201******7842'],
    ]);
    expect(await facts(group('Fee and exchange'))).toEqual([
      ['Fee', '€1.50'],
      ['Original amount', 'SEK\u00A0113.20'],
      ['Balance afterwards', '−€5.25'],
    ]);
    expect(await facts(group('Reference'))).toEqual([
      ['Reference', 'AUR-1002'],
      ['Authentication', 'authenticated'],
    ]);
    expect(await facts(group('Additional data'))).toEqual([
      ['booking', 'B-7'],
      ['seats', '2'],
      ['amount', '12.5'],
    ]);
    await page.getByRole('button', { name: 'Copy: Receiver’s IBAN' }).click();
    await page.getByRole('button', { name: 'Copied: Receiver’s IBAN' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('SE4550000000058398257466');
    await page.getByRole('region', { name: 'History' }).getByText('Reference: AUR-1001 → AUR-1002').waitFor();
    await expectAccessible(page, { alsoDark: true });
    await expectFits(page);
    await page.getByRole('button', { name: 'Older transaction' }).click();
    await page.getByRole('dialog').getByText('bare', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'History' }).waitFor();
    expect(await page.locator('.detail-group').count()).toBe(0);
  });

  it('names them in every language, and documents use the same names', async () => {
    expect(Object.keys(wordsByLanguage).toSorted()).toEqual([...languages].toSorted());
    for (const language of languages) {
      await activityTexts.load(language);
      const { detailNames, detailGroups, types, statuses, systems } = activityTexts.of(language);
      expect(wordsByLanguage[language]).toEqual({ detailNames, types, statuses, systems });
      expect(Object.values(detailGroups).every((title) => title.length > 1)).toBe(true);
    }
  });
});

describe('the console', () => {
  it('shows them when an operator asks, and the audit has it', async () => {
    const page = await openPage(`${service.url}/console#customer/${individual}`);
    await page.getByRole('button', { name: 'Show transactions' }).click();
    await page.getByRole('button', { name: 'Details of full' }).click();
    const details = page.getByRole('complementary', { name: 'Transaction full' });
    const parties = details.getByRole('region', { name: 'Parties' });
    await parties.waitFor();
    expect(await facts(parties)).toContainEqual(['Receiver’s IBAN', 'SE45 5000 0000 0583 9825 7466']);
    expect(await facts(details.getByRole('region', { name: 'Fee and exchange' }))).toContainEqual(['Fee', '1.50 EUR']);
    await expectAccessible(page);
    await expectNarrow(page);
    // On a phone the panel covers the list. The focus goes back to the row.
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Details of full');
    await page.getByRole('button', { name: 'Details of bare' }).click();
    await page.getByText('No details were recorded for this transaction.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('complementary', { name: 'Transaction bare' }).count()).toBe(0);
    const acts = await service.sql`select from operator_actions where user_id = ${individual}`;
    expect(acts.length).toBe(3);
  });

  it('shows the controls of other rows beside an open transaction, not under it', async () => {
    const customer = await service.createUser();
    const rows = ['first', 'second'].map((transactionId) =>
      row(customer, {
        transactionId,
        amount: '1250000.50',
        transactionStatus: 'Cancelled',
        senderName: 'Ada Lovelace',
        receiverName: 'Coffee Corner',
        paymentNotes: 'A note with several words',
      }),
    );
    await service.record(rows);
    const page = await openPage(`${service.url}/console#customer/${customer}`, {
      viewport: { width: 1280, height: 800 },
    });
    await page.getByRole('button', { name: 'Show transactions' }).click();
    await page.getByRole('button', { name: 'Details of first' }).click();
    const panel = page.getByRole('complementary', { name: 'Transaction first' });
    await panel.waitFor();
    const control = page.getByRole('button', { name: 'Details of second' });
    await control.focus();
    const { x, width } = (await control.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual((await panel.boundingBox())!.x);
  });
});

describe('documents', () => {
  const document = async (body: object) => {
    const response = await fetch(`${service.url}/app/statement`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ individualId: individual, ...body }),
    });
    expect(response.status).toBe(200);
    return (await readPdf(new Uint8Array(await response.arrayBuffer()))).pages.flat();
  };

  it('a confirmation has them, in its language', async () => {
    const lines = await document({ transactionId: 'full', locale: 'de' });
    const text = lines.join('\n');
    for (const part of [
      'IBAN des Empfängers',
      'SE45 5000 0000 0583 9825 7466',
      '453201******7842',
      '1,50 EUR',
      '113,20 SEK',
      '−5,25 EUR',
      'AUR-1002',
      '{"booking":"B-7","seats":2,"amount":12.5}',
    ]) {
      expect(text).toContain(part);
    }
    expect((await document({ transactionId: 'bare', locale: 'de' })).join('\n')).not.toContain('IBAN');
  });

  it('a statement has what fits of note, account of the other party and reference in the line of a row', async () => {
    const lines = await document({});
    expect(lines.join('\n')).toMatch(/Bank transfer · Booking · SE45 5000 00/);
  });
});

it('the demo individual has details from the first minute', async () => {
  const { json } = await service.list({ individualId: 1, search: 'Salary' });
  const [{ transactionId }] = json.transactions;
  const found = await service.call('/app/get-transaction', { individualId: 1, transactionId });
  expect(found.json).toMatchObject({ senderIban: 'DE89370400440532013000', reference: expect.any(String) });
});
