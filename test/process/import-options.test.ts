/** The options of `ledgerline import` and `export`, without a process: what is refused before a row is recorded. */
import { describe, expect, it } from 'vitest';
import { readFilterOptions } from '../../src/cli/filter-options.ts';
import { readerOf, type FormatOptions } from '../../src/cli/import-options.ts';
import { individualsOf as individuals, readRows as read } from '../harness/read-rows.ts';

const head = 'transactionId,amount,currency,timeStamp';
const line = 't1,1.00,EUR,2026-01-01';

describe('the individual', () => {
  it('is that of the option, and the file must not name another one', async () => {
    expect(individuals(await read(`${head}\n${line}`, { individual: '4' }))).toEqual([4]);
    expect(individuals(await read(`${head}\n${line}`, { set: 'individualId=4' }))).toEqual([4]);
    for (const options of [{ individual: '4' }, { set: 'individualId=4' }])
      await expect(read(`${head},INDIVIDUALID\n${line},3`, options)).rejects.toThrow(
        'line 1: there is a column for individualId, which an option gives too (--individual, --set or --signed).',
      );
    expect(() => readerOf('x.csv', { individual: '4', set: 'individualId=5' })).toThrow(
      '--individual and --set both give individualId; leave one of them out.',
    );
  });

  it.each(['0', 'abc', '', '-1', '1.5', '2147483648'])('is not %j', (id) => {
    const range = 'must be an integer from 1 to 2147483647.';
    expect(() => readFilterOptions(id, {})).toThrow(`The individual ${range}`);
    expect(() => readerOf('x.csv', { individual: id })).toThrow(`--individual ${range}`);
    expect(() => readerOf('x.xml', { individual: id })).toThrow(`--individual ${range}`);
    expect(() => readerOf('x.csv', { set: `individualId=${id}` })).toThrow(`individualId in --set ${range}`);
    expect(() => readerOf('x.xml', { accounts: `DE1=${id}` })).toThrow(`The individual of DE1 in --accounts ${range}`);
  });
});

describe('an option', () => {
  it.each<[string, keyof FormatOptions, string]>([
    ['x.ndjson', 'individual', '--individual is for csv and camt.053, and the file is read as ndjson.'],
    ['x.ndjson', 'signed', '--signed is for csv, and the file is read as ndjson.'],
    ['x.xml', 'decimalComma', '--decimal-comma is for csv, and the file is read as camt.053.'],
    ['x.xml', 'encoding', '--encoding is for csv, and the file is read as camt.053.'],
    ['x.csv', 'accounts', '--accounts is for camt.053, and the file is read as csv.'],
  ])('of another format is refused: %s with %s', (file, name, message) => {
    expect(() => readerOf(file, { [name]: '1' })).toThrow(message);
  });

  it('gives no field that a column or another option gives', async () => {
    const columns = `individualId,${head},transactionCategory`;
    for (const options of [{ set: 'currency=USD' }, { signed: true }])
      await expect(read(`${columns}\n1,${line},Debit`, options)).rejects.toThrow('which an option gives too');
    expect(() => readerOf('x.csv', { signed: true, set: 'transactionCategory=Debit' })).toThrow(
      '--signed and --set both give transactionCategory',
    );
  });

  it('gives nothing twice', () => {
    expect(() => readerOf('x.csv', { set: 'currency=EUR,currency=USD' })).toThrow('--set has currency twice.');
    expect(() => readerOf('x.csv', { map: 'amount=A,senderName=A' })).toThrow(
      '--map uses the column "A" for several fields.',
    );
    expect(() => readerOf('x.xml', { accounts: 'DE1=1,D E1=2' })).toThrow('--accounts has DE1 twice.');
  });

  it('is a usable delimiter and quote', async () => {
    for (const delimiter of ['', '\n', '";"'])
      expect(() => readerOf('x.csv', { delimiter })).toThrow('--delimiter must be at least one character');
    for (const quote of ['ab', '\n'])
      expect(() => readerOf('x.csv', { quote })).toThrow('--quote must be one character');
    const text = `individualId||${head.replaceAll(',', '||')}\n1||"t1||1||EUR||2026-01-01`;
    expect(individuals(await read(text, { delimiter: '||', quote: '' }))).toEqual([1]);
    expect(
      individuals(await read(`${head}\n${line}`.replaceAll(',', '\t'), { delimiter: '\\t', individual: '1' })),
    ).toEqual([1]);
  });
});

it('a file with two columns for a field is refused, and one with two that are not used is not', async () => {
  await expect(read(`individualId,${head},Amount\n1,${line},2.00`)).rejects.toThrow(
    'line 1: there are several columns for amount',
  );
  const two = read(`individualId,transactionId,B,B,currency,timeStamp\n1,t1,1,2,EUR,2026-01-01`, { map: 'amount=B' });
  await expect(two).rejects.toThrow('there are several columns for amount');
  expect(individuals(await read(`individualId,${head},x,x\n1,${line},,`))).toEqual([1]);
});

it('an account is found whether it is written with spaces or without', async () => {
  const camt = (iban: string) =>
    `<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>${iban}</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-01</Dt></BookgDt><AcctSvcrRef>A1</AcctSvcrRef></Ntry></Stmt></BkToCstmrStmt></Document>`;
  const accounts = 'DE89 3704 0044 0532 0130 00=7';
  for (const iban of ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00'])
    expect(individuals(await read(camt(iban), { accounts }, 'x.xml'))).toEqual([7]);
});
