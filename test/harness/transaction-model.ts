/** What lists and counts of transactions should give, without a database, and random rows and filters to try it with. */
import fc from 'fast-check';
import type { Amount, AmountBound } from '../../src/transactions/amount.ts';
import type { Filter } from '../../src/transactions/filter.ts';
import { decideRecordResult } from '../../src/transactions/record/record-rules.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { parseInstant } from '../../src/values/instant.ts';

/** What the table should hold: rows with their sequence numbers, by id. */
export type Model = Map<string, { row: Transaction; seq: number }>;

export function applyToModel(model: Model, rows: Transaction[]): string[] {
  return rows.map((row) => {
    const stored = model.get(row.transactionId);
    const result = stored ? decideRecordResult(stored.row, row, false) : 'created';
    if (result === 'created') model.set(row.transactionId, { row, seq: model.size + 1 });
    if (result === 'updated') model.set(row.transactionId, { row, seq: stored!.seq });
    return result;
  });
}

const micro = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(9, '0').slice(0, 9));
};

function isFound({ transactionId, senderName, receiverName, paymentNotes }: Transaction, given: string): boolean {
  const fold = (text: string) =>
    text.toLowerCase().replaceAll('\u0001', '\u0002').normalize('NFC').replaceAll('ς', 'σ');
  const search = fold(given);
  const texts = [transactionId, senderName, receiverName, paymentNotes].map(fold);
  return texts.some(
    (text) =>
      text.includes(search) ||
      withoutAccents(text).includes(search) ||
      lettersOf(text).some((_, start, letters) => beginsWith(letters.slice(start), search)),
  );
}

/** Each with the accents that are characters of their own. */
const lettersOf = (text: string) => text.match(/.[\u0300-\u036f]*/gsu) ?? [];

/** Each letter may be written with its accents or without. */
function beginsWith([letter, ...others]: string[], search: string): boolean {
  if (search === '') return true;
  if (letter === undefined) return false;
  return [letter, withoutAccents(letter)].some(
    (written) => search.startsWith(written) && beginsWith(others, search.slice(written.length)),
  );
}

/** A search may leave accents out. */
function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ø', 'o')
    .replaceAll('ß', 'ss');
}

export function expected(model: Model, filter: Filter, upTo: number): string[] {
  return [...model.values()]
    .filter(
      ({ row, seq }) =>
        seq <= upTo &&
        (!filter.from || row.timeStamp >= filter.from) &&
        (!filter.to || row.timeStamp <= filter.to) &&
        (!filter.amountFrom || micro(row.amount) >= micro(filter.amountFrom)) &&
        (!filter.amountTo || micro(row.amount) <= micro(filter.amountTo)) &&
        (!filter.transactionType || row.transactionType.toLowerCase() === filter.transactionType) &&
        (!filter.transactionCategory || row.transactionCategory.toLowerCase() === filter.transactionCategory) &&
        (!filter.transactionStatus || row.transactionStatus.toLowerCase() === filter.transactionStatus) &&
        (!filter.currency || row.currency.toLowerCase() === filter.currency) &&
        (!filter.search || isFound(row, filter.search)),
    )
    .map(({ row }) => row)
    .sort((a, b) =>
      a.timeStamp === b.timeStamp ? (a.transactionId < b.transactionId ? 1 : -1) : a.timeStamp < b.timeStamp ? 1 : -1,
    )
    .map(({ transactionId }) => transactionId);
}

const times = [
  '0001-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.000001Z',
  '2026-01-01T12:00:00Z',
  '2026-01-02T00:00:00Z',
  '2026-06-30T23:59:59.999999Z',
  '9999-12-31T23:59:59.999999Z',
];
const someTime = fc
  .oneof(
    fc.constantFrom(...times),
    fc
      .date({ min: new Date('2025-12-01'), max: new Date('2026-03-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  )
  .map((text) => parseInstant(text)!);
const amounts = [
  '0',
  '0.000001',
  '0.01',
  '1',
  '1.00',
  '9.99',
  '10',
  '10.5',
  '9223372036854.775806',
  '9223372036854.775807',
  '99999999999999999999.999999',
];
const someAmount = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...amounts) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5000 }).map((cents) => (cents / 100).toFixed(2)) },
);
export const someRow = (ids: number) =>
  fc.record({
    transactionId: fc.integer({ min: 0, max: ids }).map(String),
    amount: someAmount.map((amount) => amount as Amount),
    timeStamp: someTime,
    transactionStatus: fc.constantFrom('Pending', 'Pending', 'Accepted', 'Rejected'),
    transactionType: fc.constantFrom('Card', 'Card', 'FEE', ''),
    transactionCategory: fc.constantFrom('Debit', 'Credit'),
    currency: fc.constantFrom('EUR', 'EUR', 'USD'),
    senderName: fc.constantFrom(
      'Ada Park',
      'Ada Ada',
      'Grace',
      'Søren Groß Ade\u0301',
      'two\u0001texts',
      'back\\slash\ttab',
    ),
    paymentNotes: fc.constantFrom('', 'x', 'Two flat whites', 'ÄRGER', 'ΟΔΟΣ ΟΔΟΣΑ', 'οδός'),
  });
const someFilter: fc.Arbitrary<Filter> = fc.record(
  {
    from: someTime,
    to: someTime,
    amountFrom: someAmount.map((amount) => amount as unknown as AmountBound),
    amountTo: fc.oneof(someAmount, fc.constant('10.0000005')).map((amount) => amount as unknown as AmountBound),
    transactionType: fc.constantFrom('card', 'fee', 'none'),
    transactionCategory: fc.constantFrom('debit', 'credit'),
    transactionStatus: fc.constantFrom('pending', 'accepted', 'rejected'),
    currency: fc.constantFrom('eur', 'usd'),
    search: fc.constantFrom(
      'a',
      'ada',
      'ad',
      'wo',
      'flat',
      'flat white',
      'slash\tt',
      'ärger',
      'οδοσ',
      'οδος',
      '1',
      '7',
      '12',
      'nobody',
      'soren',
      'adé',
      // Some accents are left out.
      'soren groß ade',
      'gross adé',
      'øren gros',
      'grosß',
      '\u0002',
    ),
  },
  { requiredKeys: [] },
);
/** One kind of filter alone or with a time range, or any of them together. */
export const someFilterOfAnyKind: fc.Arbitrary<Filter> = fc
  .tuple(
    someFilter,
    fc.constantFrom(
      ['from', 'to'],
      ['amountFrom', 'amountTo'],
      ['transactionType'],
      ['transactionCategory'],
      ['transactionStatus'],
      ['currency'],
      ['search'],
      undefined,
    ),
    fc.boolean(),
  )
  .map(([filter, members, hasTime]) =>
    members === undefined
      ? filter
      : Object.fromEntries(
          Object.entries(filter).filter(([name]) => [...members, ...(hasTime ? ['from', 'to'] : [])].includes(name)),
        ),
  );

/** The door refuses these. */
export function isInverted({ from, to, amountFrom, amountTo }: Filter): boolean {
  return (from && to && from > to) || (amountFrom && amountTo && micro(amountFrom) > micro(amountTo)) || false;
}

export function complete(
  individualId: number,
  row: Pick<Transaction, 'transactionId' | 'amount' | 'timeStamp' | 'transactionStatus' | 'paymentNotes'> &
    Partial<Transaction>,
): Transaction {
  return {
    individualId,
    currency: 'EUR',
    transactionType: '',
    transactionCategory: '',
    senderName: '',
    receiverName: '',
    paymentSystem: '',
    ...row,
  };
}
