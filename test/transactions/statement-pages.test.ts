/** The look of a statement: one line for each row, sums of months, words and decimals, and characters without a font. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fonts } from '../../src/statements/fonts.ts';
import { Typesetter } from '../../src/statements/typesetter.ts';
import { holderOf } from '../../src/transactions/export/holder.ts';
import { StatementDocument } from '../../src/statements/statement-document.ts';
import type { StatementHead, StatementRow } from '../../src/statements/statement.ts';
import { wordsByLanguage } from '../../src/words/by-language.ts';
import { nameOf } from '../../src/words/words.ts';
import { emptyHead, readPdf, type ReadPdf } from '../harness/pdf.ts';
import { row, startService, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

let service: Service;
let person: number;

const currencies = ['EUR', 'JPY', 'BHD'];
const rowCount = 180;

beforeAll(async () => {
  service = await startService({ LEDGERLINE_BRAND: 'Acme Pay; DE=Acme GmbH' });
  person = await service.createUser();
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const isDebit = index % 4 !== 0;
    const other = `Shop ${index}`;
    return row(person, {
      transactionId: `p-${index}`,
      amount: String(1000 + index),
      currency: currencies[index % 3],
      timeStamp: new Date(Date.UTC(2026, 0, 1, 22) + index * 43_200_000).toISOString(),
      transactionType: 'CARD',
      transactionCategory: isDebit ? 'Debit' : 'Credit',
      senderName: isDebit ? 'Grace Hopper' : other,
      receiverName: isDebit ? other : 'Grace Hopper',
      paymentNotes: 'a note that is far longer than the line that it is shown in '.repeat(3),
      ...(isDebit && { senderIban: 'DE89370400440532013000' }),
    });
  });
  expect((await service.record(rows)).status).toBe(200);
});
afterAll(() => service.stop());

async function readStatement(individualId: number, body: Record<string, unknown> = {}): Promise<ReadPdf> {
  const response = await fetch(`${service.url}/app/statement`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ individualId, ...body }),
  });
  expect(response.status).toBe(200);
  return readPdf(new Uint8Array(await response.arrayBuffer()));
}

/** Drawn here, without the service. */
async function draw(rows: Partial<StatementRow>[], members: Partial<StatementHead> = {}): Promise<ReadPdf> {
  const document = new StatementDocument({ ...emptyHead, rowCount: rows.length, ...members });
  const all = rows.map((each, index) => ({ ...aRow, transactionId: `t-${index}`, ...each }));
  const chunks = [...document.write(all), ...(await document.end())];
  return readPdf(new Uint8Array(Buffer.concat(chunks)));
}

const aRow: StatementRow = {
  transactionId: '',
  timeStamp: '2026-01-01T00:00:00Z',
  amount: '10.00',
  currency: 'EUR',
  category: 'debit',
  type: '',
  status: 'Accepted',
  senderName: '',
  receiverName: '',
  notes: '',
  paymentSystem: '',
  details: {},
};

const textOf = ({ pages }: ReadPdf) => pages.flat().join('\n');

it('a row without names, and an amount of zero, are as in the wallet', async () => {
  const text = textOf(await draw([{ amount: '0.00' }, { senderName: 'Only Sender' }, { notes: 'Only note' }]));
  expect(text).toContain('Unnamed');
  expect(text.match(/Unnamed/g)).toHaveLength(1);
  expect(text).toContain('Only Sender');
  expect(text).toContain('0.00 EUR');
  expect(text).not.toContain('−0.00');
});

describe('the pages', () => {
  it('have one line for each row, 36 on a page after the first, and say how many there are', async () => {
    const { pages } = await readStatement(person, { timeZone: 'Asia/Tokyo' });
    const rowsOn = pages.map((lines) => lines.filter((line) => /Shop \d+/.test(line)).length);
    expect(rowsOn.reduce((sum, count) => sum + count, 0)).toBe(rowCount);
    const lines = pages.map((all) => all.filter((line) => /Shop \d+|Money out: /.test(line)).length);
    expect(lines.slice(1, -1).every((count) => count === 36)).toBe(true);
    expect(pages.map((all) => all.at(-1))).toEqual(
      pages.map((_, index) => `Acme Pay · Account statement · Customer ${person} Page ${index + 1} of ${pages.length}`),
    );
  });

  it('say the right number, however full the last one is', async () => {
    for (const count of sized([0, 28, 29, 65], [0, 26, 27, 28, 29, 30, 62, 63, 64, 65, 66])) {
      const { pages } = await draw(Array.from({ length: count }, () => ({})));
      expect(pages.at(-1)!.at(-1), `${count} rows`).toMatch(new RegExp(`Page ${pages.length} of ${pages.length}$`));
    }
  });

  it('name brand, holder and account as far as the rows say them', async () => {
    const { pages } = await readStatement(person, { transactionStatus: 'ACCEPTED', currency: 'jpy' });
    expect(pages[0]!.slice(0, 5)).toEqual([
      'Acme Pay',
      'Account statement',
      'Account holder: Grace Hopper',
      'Account: DE89 3704 0044 0532 0130 00',
      `Customer: ${person}`,
    ]);
    expect(pages[0]).toContain('Filters: Status: Completed · Currency: JPY');
  });

  it('have the sums of each month after its last row, as summarize-transactions has them', async () => {
    const timeZone = 'Asia/Tokyo';
    const { json } = await service.call('/app/summarize-transactions', { individualId: person, by: 'month', timeZone });
    const { pages } = await readStatement(person, { timeZone });
    const lines = pages.flat();
    const summed = lines.filter((line) => line.includes('Money out: '));
    const periods = json.periods as Record<string, string | number>[];
    expect(summed).toHaveLength(periods.length);
    for (const { period, currency, count, moneyIn, moneyOut } of periods) {
      const digits = { EUR: 2, JPY: 0, BHD: 3 }[currency as string];
      const shown = (value: string | number | undefined) =>
        `${Number(value).toLocaleString('en', { minimumFractionDigits: digits })} ${currency}`;
      const sums = `Transactions: ${count} · Money in: ${shown(moneyIn)} · Money out: ${shown(moneyOut)}`;
      expect(
        summed.filter((line) => line.endsWith(sums)),
        `${period} ${currency}`,
      ).toHaveLength(1);
    }
    // The month changes at midnight in Tokyo, which is between two rows of one day elsewhere.
    const first = lines.findIndex((line) => line.startsWith('January 2026 '));
    const before = lines.slice(0, first).filter((line) => /Shop/.test(line));
    expect(before.at(-1)).toMatch(/^Jan 31, 2026/);
    expect(lines.slice(first).find((line) => /Shop/.test(line))).toMatch(/^Feb 1, 2026/);
  });

  it('have no sums of months if there is one month only', async () => {
    const { pages } = await readStatement(person, { timestampTo: '2026-01-20' });
    expect(pages.flat().join('\n')).not.toContain('Money out: ');
  });
});

describe('the words', () => {
  it.each(Object.keys(wordsByLanguage))('of types and statuses are in the language: %s', async (locale) => {
    const text = textOf(await draw([{ type: 'TOPUP', status: 'Reversed' }], { locale }));
    const { types, statuses } = wordsByLanguage[locale]!;
    // Arabic words are read from left to right here, as they are on the page.
    const words = [types.TOPUP!, statuses.Reversed!].flatMap((name) => name.split(/[ （）-]/)).filter(Boolean);
    for (const word of words) expect(text).toContain(word);
    expect(text).not.toContain('TOPUP');
  });

  it.each([
    ['card_payment', 'Card payment'],
    ['DIRECT_DEBIT', 'Direct debit'],
    ['cashWithdrawal', 'Cash withdrawal'],
    ['P2P_OUT', 'P2P out'],
    ['payout', 'Payout'],
    ['ATM', 'ATM'],
    ['Überweisung (eilig)', 'Überweisung (eilig)'],
    ['card', 'Card'],
    ['constructor', 'Constructor'],
    ['', ''],
  ])('for the unknown type "%s" are "%s"', (type, words) => {
    expect(nameOf(wordsByLanguage.en!.types, type)).toBe(words);
  });

  it('do not call somebody the holder whom less than half of the rows name', () => {
    const one = (category: string, senderName: string, receiverName: string) =>
      ({ category, senderName, receiverName, details: {} }) as StatementRow;
    const mixed = [one('debit', 'Ada', 'Shop'), one('credit', 'Shop', 'Grace'), one('fee', 'Bank', 'Bank')];
    expect(holderOf(mixed)).toEqual({ name: undefined, iban: undefined });
    expect(holderOf([...mixed, one('Debit', 'Ada', 'Bank'), one('credit', 'Ada', '')]).name).toBe('Ada');
  });
});

describe('amounts', () => {
  it('have the decimals of their currency, and all digits that they have', async () => {
    const { pages } = await draw([
      { amount: '1500', currency: 'JPY' },
      { amount: '1500.00', currency: 'KRW' },
      { amount: '2.5', currency: 'BHD' },
      { amount: '0.0025', currency: 'EUR' },
      { amount: '12345678901234567890.123456', currency: 'USD' },
    ]);
    expect(pages.flat().flatMap((line) => line.match(/−.*/) ?? [])).toEqual([
      '−1,500 JPY',
      '−1,500 KRW',
      '−2.500 BHD',
      '−0.0025 EUR',
      '−12,345,678,901,234,567,890.123456 USD',
    ]);
  });
});

describe('a name', () => {
  it.each([
    ['Pizza 🍕🍕', 'Pizza *'],
    ['👩‍👩‍👧 Müller', '* Müller'],
    ['🇩🇪 Club', 'DE Club'],
    ['Room 1️⃣', 'Room 1'],
    ['𝓐𝓷𝓷𝓪 𝗦.', 'Anna S.'],
    ['김 민수', '[Korean] [Korean]'],
    ['张伟 Ltd', '[Chinese] Ltd'],
    ['สมชาย', '[Thai]'],
    ['\u{1F300}\u{10FFFD}', '*?'],
    ['山田太郎', '山田太郎'],
  ])('%s is shown as %s', async (receiverName, shown) => {
    expect(textOf(await draw([{ receiverName }]))).toContain(` ${shown} t-0 `);
  });

  it('of another script is called by it in the language of the statement', async () => {
    expect(textOf(await draw([{ receiverName: '김민수' }], { locale: 'de' }))).toContain(' [Koreanisch] t-0 ');
  });

  it('is cut before it is measured, also if each of its characters is written as a sentence', () => {
    const type = new Typesetter({ fonts: new Fonts(undefined), title: '', author: '', locale: 'en', direction: 'ltr' });
    // Measuring takes time for each letter, and whoever pays chooses the text.
    const line = type.shorten('\ufdfa'.repeat(400), Infinity);
    expect(line).toMatch(/^\u0635\u0644\u0649 /);
    expect(line).toHaveLength(401);
  });

  it('keeps its own direction, and what is cut off is missing at its end', async () => {
    const receiverName = 'Company Name '.repeat(20);
    const lines = (await draw([{ receiverName }], { locale: 'ar' })).pages.flat();
    expect(lines.join('\n')).toMatch(/Company Name Company [A-Za-z ]*…/);
  });
});
