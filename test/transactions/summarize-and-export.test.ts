/** Totals and export, in step with the list to the row. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFormats } from '../../src/statements/formats.ts';
import { individualWithCopies } from '../harness/many-rows.ts';
import { invalidField, refusal, row, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const summarize = (body: Record<string, unknown>) => service.call('/app/summarize-transactions', body);
const exported = (body: Record<string, unknown>, accept = 'text/csv') =>
  service.call('/app/export-transactions', body, { headers: { accept } });

async function individualWith(rows: Record<string, unknown>[]): Promise<number> {
  const id = await service.createUser();
  await service.record(rows.map((members) => row(id, members)));
  return id;
}

describe('summarize-transactions', () => {
  let id: number;
  beforeAll(async () => {
    id = await individualWith([
      { timeStamp: '2026-03-28T22:59:59Z', amount: '1.10', transactionCategory: 'Debit' },
      { timeStamp: '2026-03-28T23:00:00Z', amount: '2.20', transactionCategory: 'Debit' },
      { timeStamp: '2026-03-29T10:00:00Z', amount: '0.1', transactionCategory: 'credit' },
      { timeStamp: '2026-03-29T11:00:00Z', amount: '0.2', transactionCategory: 'Credit' },
      { timeStamp: '2026-03-29T12:00:00Z', amount: '100', transactionCategory: 'Debit', transactionStatus: 'Rejected' },
      {
        timeStamp: '2026-03-29T12:00:00Z',
        amount: '100',
        transactionCategory: 'Credit',
        transactionStatus: 'cancelled',
      },
      { timeStamp: '2026-03-29T13:00:00Z', amount: '7', transactionCategory: '', transactionStatus: 'Pending' },
      { timeStamp: '2026-03-29T13:00:00Z', amount: '500', transactionCategory: 'Debit', currency: 'JPY' },
      { timeStamp: '2026-03-30T00:00:00Z', amount: '99999999999999999999.999999', transactionCategory: 'Credit' },
      { timeStamp: '2026-03-30T01:00:00Z', amount: '0.000001', transactionCategory: 'Credit' },
    ]);
  });

  it('sums by day, newest first; counts all rows, and adds up exactly those not rejected or cancelled', async () => {
    const answer = await summarize({ individualId: id });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"periods":[' +
        '{"from":"2026-03-30","currency":"EUR","count":2,"moneyIn":100000000000000000000.000000,"moneyOut":0,"other":0},' +
        '{"from":"2026-03-29","currency":"EUR","count":5,"moneyIn":0.3,"moneyOut":0,"other":7},' +
        '{"from":"2026-03-29","currency":"JPY","count":1,"moneyIn":0,"moneyOut":500,"other":0},' +
        '{"from":"2026-03-28","currency":"EUR","count":2,"moneyIn":0,"moneyOut":3.30,"other":0}' +
        '],"transactionCount":10}',
    );
    expect(answer.headers.get('as-of')).toBeTruthy();
  });

  it('uses the days of a time zone, also when its clocks change', async () => {
    const { json } = await summarize({ individualId: id, timeZone: 'Europe/Berlin', currency: 'eur' });
    expect(json.periods.map(({ from, count }: { from: string; count: number }) => [from, count])).toEqual([
      ['2026-03-30', 2],
      ['2026-03-29', 6],
      ['2026-03-28', 1],
    ]);
  });

  it('reads null and "" as absent: days, in UTC', async () => {
    const { text } = await summarize({ individualId: id });
    for (const nothing of [null, '']) {
      expect((await summarize({ individualId: id, by: nothing, timeZone: nothing })).text).toBe(text);
    }
  });

  it('sums by week, from Monday, and by month', async () => {
    const by = async (period: string) =>
      (await summarize({ individualId: id, by: period })).json.periods.map(
        ({ from, currency }: { from: string; currency: string }) => `${from} ${currency}`,
      );
    expect(await by('week')).toEqual(['2026-03-30 EUR', '2026-03-23 EUR', '2026-03-23 JPY']);
    expect(await by('MONTH')).toEqual(['2026-03-01 EUR', '2026-03-01 JPY']);
  });

  it('answers as the list does for unknown and empty individuals, and for a filter that matches nothing', async () => {
    expect((await summarize({ individualId: 1_999_999_999 })).json).toEqual(
      refusal(400, 'Bad Request', 'Unknown individual.'),
    );
    expect((await summarize({ individualId: await service.createUser() })).status).toBe(404);
    expect((await summarize({ individualId: id, amountFrom: '1', amountTo: '1' })).json).toEqual({
      periods: [],
      transactionCount: 0,
    });
  });

  it.each([
    [{ by: ' ' }, 'By', 'The field By must be day, week or month.'],
    [{ timeZone: ' ' }, 'TimeZone', 'The field TimeZone must be the name of an IANA time zone.'],
    [{ by: 'year' }, 'By', 'The field By must be day, week or month.'],
    [{ timeZone: 'Mars/Olympus' }, 'TimeZone', 'The field TimeZone must be the name of an IANA time zone.'],
    [{ timeZone: '+02:00' }, 'TimeZone', 'The field TimeZone must be the name of an IANA time zone.'],
    [{ timeZone: "UTC'; drop table users" }, 'TimeZone', 'The field TimeZone must be the name of an IANA time zone.'],
    [{ amountFrom: 'x' }, 'AmountFrom', 'The field AmountFrom must be a decimal such as 10 or 10.50.'],
  ])('refuses %j', async (members, field, message) => {
    expect((await summarize({ individualId: id, ...members })).json).toEqual(invalidField(field, message));
  });

  it('accepts every IANA time zone that this runtime knows, and refuses others', async () => {
    const legacy = ['US/Pacific-New', 'CET', 'EET', 'EST', 'GMT', 'Zulu', 'europe/berlin', 'Asia/Calcutta'];
    const some = Intl.supportedValuesOf('timeZone').filter((_, index) => index % 20 === 0);
    for (const timeZone of [...legacy, ...some]) {
      expect([timeZone, (await summarize({ individualId: id, timeZone })).status]).toEqual([timeZone, 200]);
    }
    for (const timeZone of ['CTT', 'AET', 'BST', 'IST', 'ist', 'SystemV/EST5', 'x'.repeat(1000)]) {
      expect((await summarize({ individualId: id, timeZone })).json).toEqual(
        invalidField('TimeZone', 'The field TimeZone must be the name of an IANA time zone.'),
      );
    }
  });

  it('counts rows of the first and the last day of the calendar there, in every time zone', async () => {
    const individual = await individualWith([
      { timeStamp: '0001-01-01T00:00:00Z' },
      { timeStamp: '9999-12-31T23:59:59.999999Z' },
    ]);
    for (const timeZone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
      for (const [by, first, last] of [
        ['day', '0001-01-01', '9999-12-31'],
        ['week', '0001-01-01', '9999-12-27'],
        ['month', '0001-01-01', '9999-12-01'],
      ] as const) {
        const { periods } = (await summarize({ individualId: individual, timeZone, by })).json;
        expect(periods.map(({ from }: { from: string }) => from)).toEqual([last, first]);
      }
    }
  });

  it('a statement has rows of the first and the last day of the calendar, in every time zone', async () => {
    const individualId = await individualWith([
      { timeStamp: '0001-01-01T00:00:00Z' },
      { timeStamp: '9999-12-31T23:59:59.999999Z' },
    ]);
    for (const timeZone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
      const { status, text } = await service.call('/app/statement', { individualId, timeZone });
      expect([timeZone, status, text.slice(-6).trim()]).toEqual([timeZone, 200, '%%EOF']);
      // By the months of the totals, which are drawn below the rows of each.
      const { monthOf, month } = createFormats('en', timeZone);
      expect([monthOf('0001-01-01T00:00:00Z'), monthOf('9999-12-31T23:59:59.999999Z')]).toEqual(['0001-01', '9999-12']);
      expect(month('9999-12')).toBe('December 9999');
    }
  });

  it('treats CET as a zone whose clocks change, as IANA does', async () => {
    const individual = await individualWith([{ timeStamp: '2026-07-01T22:30:00Z' }]);
    const { periods } = (await summarize({ individualId: individual, timeZone: 'CET' })).json;
    expect(periods[0].from).toBe('2026-07-02');
  });
});

describe('export-transactions', () => {
  it('refuses one more when too many are running, and completes those', async () => {
    const id = await individualWith([{}]);
    let running: ReturnType<typeof exported>[] = [];
    await service.sql.begin(async (sql) => {
      await sql`lock table transactions in access exclusive mode`;
      // A client may have three quarters of eight.
      running = Array.from({ length: 6 }, () => exported({ individualId: id }));
      await until(async () => {
        const waiting = await service.sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and strpos(query, 'declare listed') > 0`;
        return waiting.length === 6;
      });
      const refused = await exported({ individualId: id });
      expect([refused.status, refused.headers.get('error-reason')]).toEqual([429, 'too-many-streams']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(6).fill(200));
  });

  it('gives CSV with a header, quotes where needed, and no cell that starts a formula', async () => {
    const id = await individualWith([
      {
        transactionId: 'b',
        amount: '1.50',
        timeStamp: '2026-01-02T00:00:00.5Z',
        paymentNotes: '=SUM(A1)',
        senderName: 'A, "B"',
        receiverName: 'two\nlines',
        transactionType: '@x',
        paymentSystem: '\tT',
      },
      {
        transactionId: '-a',
        amount: '2',
        timeStamp: '2026-01-01T00:00:00Z',
        paymentNotes: '+1',
        senderName: '\rR',
        receiverName: 'plain',
      },
    ]);
    const answer = await exported({ individualId: id });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="transactions-${id}.csv"`);
    expect(answer.text).toBe(
      'transactionId,amount,currency,timeStamp,transactionType,transactionCategory,transactionStatus,senderName,receiverName,paymentNotes,paymentSystem\r\n' +
        `b,1.50,EUR,2026-01-02T00:00:00.5Z,'@x,,Accepted,"A, ""B""","two\nlines",'=SUM(A1),'\tT\r\n` +
        `'-a,2,EUR,2026-01-01T00:00:00Z,,,Accepted,"'\rR",plain,'+1,\r\n`,
    );
  });

  it('gives NDJSON if Accept prefers it; Accept never refuses', async () => {
    const id = await individualWith([{ transactionId: 'a' }]);
    const kind = async (accept: string) =>
      (await exported({ individualId: id }, accept)).headers.get('content-type')!.split(';')[0];
    expect(await kind('application/x-ndjson')).toBe('application/x-ndjson');
    expect(await kind('text/csv;q=0.5, application/x-ndjson')).toBe('application/x-ndjson');
    expect(await kind('*/*')).toBe('text/csv');
    expect(await kind('image/png')).toBe('text/csv');
    expect(await kind('application/x-ndjson;q=0, */*')).toBe('text/csv');
    expect(await kind('text/csv;q=0, */*')).toBe('application/x-ndjson');
    const { text } = await exported({ individualId: id }, 'application/x-ndjson');
    expect(JSON.parse(text)).toEqual((await service.list({ individualId: id })).json.transactions[0]);
  });

  it('answers as the list does for unknown and empty individuals', async () => {
    expect((await exported({ individualId: 1_999_999_999 })).json).toEqual(
      refusal(400, 'Bad Request', 'Unknown individual.'),
    );
    expect((await exported({ individualId: await service.createUser() })).status).toBe(404);
  });

  it('gives only the header for a filter that matches nothing', async () => {
    const id = await individualWith([{}]);
    expect((await exported({ individualId: id, search: 'nothing' })).text.trim().split('\r\n')).toHaveLength(1);
    expect((await exported({ individualId: id, search: 'nothing' }, 'application/x-ndjson')).text).toBe('');
  });

  it('a reader that stops blocks nothing and leaves no connection behind', async () => {
    // More than the buffers between the database and the reader hold, so that the export waits for its reader.
    const id = await individualWithCopies(service, 8000, { paymentNotes: 'n'.repeat(2000) });
    const token = await service.token();
    // More than may run at once.
    for (let round = 0; round < 9; round += 1) {
      const aborter = new AbortController();
      const response = await fetch(`${service.url}/app/export-transactions`, {
        method: 'POST',
        signal: aborter.signal,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ individualId: id }),
      });
      expect(response.status).toBe(200);
      await response.body!.getReader().read();
      const { pid } = await until(async () => {
        const [session] = await service.sql`
          select pid from pg_stat_activity where datname = current_database() and query like 'fetch % from listed'`;
        return session;
      });
      aborter.abort();
      await until(async () => (await service.sql`select from pg_stat_activity where pid = ${pid}`).length === 0);
    }
    expect((await service.list({ individualId: id })).status).toBe(200);
  });
});

describe('list, totals and export agree', () => {
  it('for random rows and filters, with and without asOf', async () => {
    const amount = fc.integer({ min: 0, max: 1000 }).map((cents) => (cents / 100).toFixed(2));
    const time = fc
      .integer({ min: 0, max: 40 * 24 })
      .map((hours) => new Date(Date.UTC(2026, 2, 1, hours)).toISOString());
    const rows = fc.array(
      fc.record({
        amount,
        timeStamp: time,
        transactionCategory: fc.constantFrom('Debit', 'Credit', ''),
        currency: fc.constantFrom('EUR', 'USD'),
        transactionStatus: fc.constantFrom('Pending', 'Accepted', 'Rejected', 'Cancelled', 'Reversed'),
        senderName: fc.constantFrom('Ada', 'Bo'),
      }),
      { minLength: 1, maxLength: 60 },
    );
    const filters = fc.record(
      {
        timestampFrom: time,
        amountFrom: amount,
        transactionStatus: fc.constantFrom('accepted', 'PENDING'),
        search: fc.constantFrom('ada', 'o'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        rows,
        rows,
        filters,
        fc.boolean(),
        fc.constantFrom('day', 'week', 'month'),
        async (first, later, filter, pinned, by) => {
          const id = await individualWith(first);
          const asOf = pinned ? (await service.list({ individualId: id })).headers.get('as-of') : undefined;
          await service.record(later.map((members) => row(id, members)));
          const request = { individualId: id, ...filter, ...(asOf && { asOf }) };
          const listed = (await service.list({ ...request, dataBatchCount: 1000 })).json;
          const lines = (await exported(request, 'application/x-ndjson')).text
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line));
          expect(lines).toEqual(listed.transactions);
          const totals = (await summarize({ ...request, by })).json;
          expect(totals.transactionCount).toBe(listed.transactionCount);
          const cents = (value: number) => Math.round(value * 100);
          const expected = new Map<string, [number, number, number, number]>();
          for (const each of listed.transactions) {
            const date = new Date(each.timeStamp);
            const start =
              by === 'month' ? 1 : by === 'week' ? date.getUTCDate() - ((date.getUTCDay() + 6) % 7) : date.getUTCDate();
            const from = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), start))
              .toISOString()
              .slice(0, 10);
            const sums = expected.get(`${from} ${each.currency}`) ?? [0, 0, 0, 0];
            const moved = ['Rejected', 'Cancelled'].includes(each.transactionStatus) ? 0 : cents(each.amount);
            sums[0] += 1;
            sums[each.transactionCategory === 'Credit' ? 1 : each.transactionCategory === 'Debit' ? 2 : 3] += moved;
            expected.set(`${from} ${each.currency}`, sums);
          }
          const told = new Map(
            totals.periods.map(
              (period: {
                from: string;
                currency: string;
                count: number;
                moneyIn: number;
                moneyOut: number;
                other: number;
              }) => [
                `${period.from} ${period.currency}`,
                [period.count, cents(period.moneyIn), cents(period.moneyOut), cents(period.other)],
              ],
            ),
          );
          expect(told).toEqual(expected);
          const starts: string[] = totals.periods.map(({ from }: { from: string }) => from);
          expect(starts.every((from, index) => index === 0 || from <= starts[index - 1]!)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });
});
