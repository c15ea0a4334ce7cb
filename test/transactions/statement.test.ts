import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Fonts } from '../../src/statements/fonts.ts';
import { individualWithCopies } from '../harness/many-rows.ts';
import { readPdf, type ReadPdf } from '../harness/pdf.ts';
import { run } from '../harness/process.ts';
import { row, startService, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

let service: Service;
let individualId: number;
/** Has more rows than a statement may have. */
let merchant: number;
/** Over more than one page. */
const rowCount = sized(60, 150);
const notes = ['', 'Rent for May', 'Ωδή', 'счёт', 'a\nnote\tin lines', '日本', 'long '.repeat(80), 'x'.repeat(300)];

beforeAll(async () => {
  service = await startService();
  individualId = await service.createUser();
  const rows = Array.from({ length: rowCount }, (_, index) =>
    row(individualId, {
      transactionId: `st-${index}`,
      amount: `${index}.${String(index % 100).padStart(2, '0')}`,
      currency: index % 3 === 0 ? 'USD' : 'EUR',
      timeStamp: new Date(Date.UTC(2026, 0, 1, 12) + ((index * 7) % rowCount) * 3_600_000 * 5).toISOString(),
      transactionCategory: ['credit', 'debit', 'fee'][index % 3],
      transactionType: 'SEPA',
      transactionStatus: index % 10 === 9 ? 'Rejected' : 'Accepted',
      senderName: `Sender ${index}`,
      receiverName: `Receiver ${index}`,
      paymentNotes: notes[index % notes.length],
    }),
  );
  expect((await service.record(rows)).status).toBe(200);
  merchant = await individualWithCopies(service, 10_000, {});
  await service.record([row(merchant, { timeStamp: '2026-02-01T00:00:00Z' })]);
});
afterAll(() => service.stop());

async function makeStatement(body: Record<string, unknown>) {
  const response = await fetch(`${service.url}/app/statement`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ individualId, ...body }),
  });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

async function readStatement(body: Record<string, unknown> = {}): Promise<ReadPdf> {
  const { response, bytes } = await makeStatement(body);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  return readPdf(bytes);
}

/** All rows that were there at first, read once for the tests that only look at it. */
let whole: Promise<ReadPdf> | undefined;
const readWhole = () => (whole ??= readStatement());

/** By the command, with a font for Japanese. */
async function writeWithFont(options: string[]): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-statement-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const output = path.join(folder, 'statement.pdf');
  const settings = {
    DATABASE_URL: service.databaseUrl,
    LEDGERLINE_STATEMENT_FONT: 'node_modules/@expo-google-fonts/kosugi/Kosugi_400Regular.ttf',
  };
  const { code, stderr } = await run(['statement', String(individualId), '--output', output, ...options], settings);
  expect([code, stderr]).toEqual([0, '']);
  return readFile(output);
}

/** By the first name in each line: an id is cut off if the note before it is long. */
const idsIn = ({ pages }: ReadPdf) =>
  pages
    .flat()
    .flatMap((line) => line.match(/(?:Sender|Receiver) \d+/)?.map((name) => `st-${/\d+/.exec(name)![0]}`) ?? []);

async function listed(filter: Record<string, unknown> = {}) {
  const first = await service.list({ individualId, dataBatchCount: 200, ...filter });
  return first.json.transactions as Record<string, string>[];
}

it('letters that are joined are narrower than single ones', () => {
  const fonts = new Fonts(undefined);
  const single = ['ك', 'ش', 'ف'].reduce((sum, letter) => sum + fonts.widthOf('regular', letter), 0);
  expect(fonts.widthOf('regular', 'كشف')).toBeLessThan(single);
});

describe('a statement', () => {
  it('has exactly the rows of the list, oldest first', async () => {
    const statement = await readWhole();
    expect(idsIn(statement)).toEqual((await listed()).map(({ transactionId }) => transactionId).toReversed());
    expect(statement.pages.length).toBeGreaterThan(1);
  });

  it.each([
    { timestampFrom: '2026-01-05', timestampTo: '2026-01-12' },
    { amountFrom: 20, amountTo: '60.5' },
    { transactionStatus: 'rejected', currency: 'eur' },
    { search: 'rent' },
  ])('has exactly the rows that the list gives for %o', async (filter) => {
    const rows = await listed(filter);
    expect(rows.length).toBeGreaterThan(0);
    expect(idsIn(await readStatement(filter))).toEqual(rows.map(({ transactionId }) => transactionId).toReversed());
  });

  it('shows of each row its date, its other party, its status and its exact amount with sign and currency', async () => {
    const { pages } = await readStatement({ timeZone: 'Europe/Berlin', locale: 'en-GB' });
    const lines = pages.flat();
    for (const {
      transactionId,
      timeStamp,
      amount,
      currency,
      transactionCategory,
      transactionStatus,
    } of await listed()) {
      const number = transactionId!.slice(3);
      const [party, sign] = { credit: [`Sender ${number}`, '+'], debit: [`Receiver ${number}`, '−'] }[
        transactionCategory!
      ] ?? [`Sender ${number} → Receiver ${number}`, ''];
      const date = new Intl.DateTimeFormat('en-GB', {
        timeZone: 'Europe/Berlin',
        dateStyle: 'medium',
        timeStyle: 'short',
      }).format(new Date(timeStamp!));
      const line = lines.find((each) => each.includes(`${party} `))!;
      const status = { Accepted: 'Completed', Rejected: 'Rejected' }[transactionStatus!];
      expect(line).toMatch(new RegExp(`^${date} ${party} Bank transfer · `));
      const value = `${Number(amount) === 0 ? '' : sign}${Number(amount).toFixed(2)}`;
      expect(line.endsWith(` ${status} ${value} ${currency}`)).toBe(true);
    }
  });

  it('has totals by currency that equal those of summarize-transactions', async () => {
    const { json } = await service.call('/app/summarize-transactions', { individualId, by: 'month' });
    const [first] = (await readWhole()).pages;
    for (const currency of ['EUR', 'USD']) {
      const periods = json.periods.filter((period: { currency: string }) => period.currency === currency);
      const sum = (name: string) =>
        periods.reduce((total: number, period: Record<string, number>) => total + Math.round(period[name]! * 100), 0);
      const shown = (name: string) =>
        `${(sum(name) / 100).toLocaleString('en', { minimumFractionDigits: 2 })} ${currency}`;
      const count = periods.reduce((total: number, period: { count: number }) => total + period.count, 0);
      expect(first).toContain(`${currency} ${count} ${shown('moneyIn')} ${shown('moneyOut')} ${shown('other')}`);
    }
  });

  it('has the sums of the rows that it prints, also if one has changed after they were counted', async () => {
    const holder = await service.createUser();
    await service.record([row(holder, { amount: '12.50', transactionCategory: 'debit' })]);
    const reading = service.sql.begin(async (sql) => {
      // Counting the rows does not need it, reading them does.
      await sql`lock table transaction_details in access exclusive mode`;
      const statement = readStatement({ individualId: holder });
      await until(async () => {
        const [waiting] = await service.sql`
          select from pg_locks where not granted and relation = 'transaction_details'::regclass`;
        return waiting;
      });
      await sql`update transactions set amount = 12.80, body = replace(body, '12.50', '12.80')
        where individual_id = ${holder}`;
      return { statement };
    });
    const { pages } = await (await reading).statement;
    const text = pages.flat().join('\n');
    for (const printed of ['−12.80 EUR', 'EUR 1 0.00 EUR 12.80 EUR']) expect(text).toContain(printed);
  });

  it('has numbered pages, its language, a title and a structure for screen readers', async () => {
    const statement = await readStatement({ locale: 'de-AT', timestampFrom: '2026-01-01', timestampTo: '2026-03-01' });
    const count = statement.pages.length;
    statement.pages.forEach((lines, index) => expect(lines.at(-1)).toContain(`Seite ${index + 1} von ${count}`));
    expect(statement.pages[0]).toContain('Kontoauszug');
    expect(statement).toMatchObject({ title: 'Kontoauszug', language: 'de-AT' });
    expect(new Set(statement.roles)).toEqual(new Set(['Root', 'Document', 'H1', 'H2', 'P', 'Table', 'TR', 'TH', 'TD']));
  });

  it('keeps Greek and Cyrillic, and shortens a long note to its line', async () => {
    const text = (await readWhole()).pages.flat().join('\n');
    for (const part of ['Ωδή', 'счёт', 'a note in lines']) expect(text).toContain(part);
    for (const shortened of [/ · (long )+(l|lo|lon|long)?… /, / · x{10,60}… /]) expect(text).toMatch(shortened);
  });

  it('in Arabic runs from right to left, with joined letters and amounts that keep their order', async () => {
    const { response, bytes } = await makeStatement({ locale: 'ar' });
    expect(response.status).toBe(200);
    const statement = await readPdf(bytes);
    // Words from left to right, as they are on the page.
    expect(statement.pages[0]!.slice(0, 2)).toEqual(['Ledgerline', 'الحساب كشف']);
    expect(statement).toMatchObject({ title: 'كشف الحساب', language: 'ar' });
    const columns = statement.pages[0]!.find((line) => line.includes('المبلغ'))!;
    expect(columns.indexOf('المبلغ')).toBeLessThan(columns.indexOf('التاريخ'));
    expect(statement.pages.flat().some((line) => line.startsWith('−1.01 EUR مكتملة'))).toBe(true);
    expect(idsIn(statement)).toHaveLength(rowCount);
  });

  it('in Japanese has Japanese labels', async () => {
    const { pages, ...about } = await readStatement({ locale: 'ja', search: '日本' });
    expect(about).toMatchObject({ title: '取引明細書', language: 'ja' });
    expect(pages[0]).toEqual(expect.arrayContaining(['取引明細書', '日付 内容 状態 金額']));
    expect(pages.flat().join('\n')).toMatch(/銀行振込 · 日本 .* 完了 /);
  });

  it('in a language that no font has is in English; with a font for its dates it has these', async () => {
    expect(await readStatement({ locale: 'ko', search: 'rent' })).toMatchObject({ title: 'Account statement' });
    const chinese = await readPdf(await writeWithFont(['--locale', 'zh', '--search', 'rent']));
    expect(chinese.pages.flat().join('\n')).toMatch(/2026 ?年 ?1 ?月 ?\d+ ?日/);
  });

  it.each([
    ['2026-11-30', 'until Dec 1, 2026, 3:59 AM'],
    ['2026-11-30T23:59:59+04:00', 'until Nov 30, 2026'],
  ])('to %s prints a day only if it has the whole day', async (timestampTo, printed) => {
    const { pages } = await readStatement({ timestampTo, timeZone: 'Asia/Dubai', search: 'nothing' });
    expect(pages.flat().map((line) => line.replaceAll('\u202f', ' '))).toContain(`Period: ${printed}`);
  });

  it('that matches nothing says so', async () => {
    const [lines] = (await readStatement({ search: 'nothing like that' })).pages;
    expect(lines).toContain('There are no transactions in this period.');
  });

  it('with asOf has the rows of that page, whatever came later', async () => {
    const { headers } = await service.list({ individualId });
    await service.record([row(individualId, { transactionId: 'later', timeStamp: '2026-01-02T00:00:00Z' })]);
    const statement = await readStatement({ asOf: headers.get('as-of') });
    expect(statement.pages.flat().join('\n')).not.toContain('later');
    expect((await readStatement()).pages.flat().join('\n')).toContain('later');
  });
});

describe('a confirmation of one transaction', () => {
  it('has everything about that one, and nothing about others', async () => {
    // Another row has the same time, and an id that holds the first one's.
    const timeStamp = '2026-03-01T12:00:00.123456Z';
    const known = { amount: '1234567.5', timeStamp, receiverName: 'Łódź Café', paymentSystem: 'SEPA_INSTANT' };
    await service.record([
      row(individualId, {
        ...known,
        transactionId: 'one-1',
        transactionCategory: 'Debit',
        paymentNotes: 'x '.repeat(900),
      }),
      row(individualId, { ...known, transactionId: 'one-10', receiverName: 'Nobody' }),
    ]);
    const body = { transactionId: 'one-1', locale: 'de-AT', timeZone: 'Europe/Vienna' };
    const { pages, title, language, roles } = await readStatement(body);
    const text = pages.flat().join('\n');
    for (const part of [
      'one-1',
      '−1 234 567,50 EUR',
      'Łódź Café',
      'SEPA-Echtzeit',
      'Abgeschlossen',
      '01.03.2026, 13:00',
    ]) {
      expect(text.replaceAll('\u00a0', ' ')).toContain(part);
    }
    expect(text).not.toMatch(/one-10|Nobody/);
    expect([title, language]).toEqual(['Umsatzbeleg', 'de-AT']);
    expect(new Set(roles)).toEqual(new Set(['Root', 'Document', 'H1', 'P', 'Table', 'TR', 'TH', 'TD']));
  });

  it('is 404 for a transaction that the individual does not have', async () => {
    const answer = await service.call('/app/statement', { individualId: merchant, transactionId: 'st-1' });
    expect([answer.status, answer.headers.get('error-reason')]).toEqual([404, 'unknown-transaction']);
    const nobody = await service.call('/app/statement', { individualId: 2_000_000_000, transactionId: 'st-1' });
    expect([nobody.status, nobody.headers.get('error-reason')]).toEqual([400, 'unknown-individual']);
  });

  it('is a statement of the list if the id is empty', async () => {
    expect((await readStatement({ transactionId: ' ', search: 'rent' })).title).toBe('Account statement');
  });
});

describe('a request that cannot be served', () => {
  it.each([
    [{ locale: 'not a tag' }, 400, { Locale: ['The field Locale must be a language tag such as en or de-AT.'] }],
    [{ timeZone: 'Mars' }, 400, { TimeZone: ['The field TimeZone must be the name of an IANA time zone.'] }],
    [{ individualId: 2_000_000_000 }, 400, { Error: ['Unknown individual.'] }],
  ])('%o is %d', async (body, status, errors) => {
    const answer = await service.call('/app/statement', { individualId, ...body });
    expect(answer.status).toBe(status);
    expect(answer.json.errors).toEqual(errors);
  });

  it('is 404 for an individual without transactions', async () => {
    const answer = await service.call('/app/statement', { individualId: await service.createUser() });
    expect([answer.status, answer.headers.get('error-reason')]).toEqual([404, 'no-transactions']);
  });

  it('is 403 with a token of another user', async () => {
    const token = await service.token('transactions:read', await service.createUser());
    expect((await service.call('/app/statement', { individualId }, { token })).status).toBe(403);
  });

  it('is 400 for more than 10,000 rows, with what to do', async () => {
    const answer = await service.call('/app/statement', { individualId: merchant });
    expect(answer.status).toBe(400);
    expect(answer.json.errors.TimestampFrom).toEqual([
      'A statement has at most 10000 rows, and these are 10001. Narrow the time range, or export the rows.',
    ]);
  });
});

it.skipIf(process.platform !== 'linux')(
  'a thread makes the next statement too, and ends when its caller leaves',
  async () => {
    const threads = () => readdirSync('/proc/self/task').length;
    const authorization = `Bearer ${await service.token()}`;
    const ask = (body: object, signal?: AbortSignal) =>
      fetch(`${service.url}/app/statement`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
    const makeSmall = async () => {
      await (await ask({ individualId })).arrayBuffer();
      return threads();
    };
    const before = await makeSmall();
    expect(await makeSmall()).toBe(before);
    const abort = new AbortController();
    const response = await ask({ individualId: merchant, timestampTo: '2026-01-01T00:00:00Z' }, abort.signal);
    expect(response.status).toBe(200);
    expect(threads()).toBe(before);
    abort.abort();
    await until(() => threads() < before);
  },
);
