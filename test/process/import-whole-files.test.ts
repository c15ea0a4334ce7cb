/** Files of which `ledgerline import` can use nothing: they are refused, and not read as files without rows. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readerOf } from '../../src/cli/import-options.ts';
import { individualsOf, readRows } from '../harness/read-rows.ts';

const head = 'individualId,transactionId,amount,currency,timeStamp';

describe('CSV', () => {
  it('is refused if its lines end with a carriage return alone', async () => {
    await expect(readRows(`${head}\r1,t1,1.00,EUR,2026-01-01\r`)).rejects.toThrow(
      'line 1: the lines end with a carriage return alone; save the file with line ends of Unix or Windows',
    );
  });

  it('is refused if it has no names of columns, or they cannot be read', async () => {
    for (const content of ['', '\n\n'])
      await expect(readRows(content)).rejects.toThrow('line 1: the file is empty; its first line must have the names');
    await expect(readRows(`"${head}\n1,t1,1.00,EUR,2026-01-01\n`)).rejects.toThrow(
      'line 1: the names of the columns cannot be read. A quote is opened here and never closed',
    );
    const long = `${head}\r${'1,t1,1.00,EUR,2026-01-01\r'.repeat(50_000)}`;
    await expect(readRows(long)).rejects.toThrow('The line is longer than 1048576 characters');
  });

  it('without rows is a file without rows', async () => {
    expect(await readRows(`${head}\r\n`)).toEqual([]);
    expect(individualsOf(await readRows(`${head}\r\n1,t1,1.00,EUR,2026-01-01\r\n`))).toEqual([1]);
  });
});

describe('XML', () => {
  const entry =
    '<Ntry><Amt Ccy="EUR">1.00</Amt><Sts>BOOK</Sts><BookgDt><Dt>2026-01-01</Dt></BookgDt><AcctSvcrRef>A</AcctSvcrRef></Ntry>';
  const read = (text: string) => readRows(text, { individual: '7' }, 'x.xml');

  it('is refused with the name of its root element if it is not a camt.053 statement', async () => {
    await expect(read('<html><body>Please log in</body></html>')).rejects.toThrow(
      'line 1: the file is not a camt.053 statement: no BkToCstmrStmt is in its root element html',
    );
    const report = `<d:Document xmlns:d="urn:iso:std:iso:20022:tech:xsd:camt.052.001.08"><d:BkToCstmrAcctRpt><Rpt>${entry}</Rpt></d:BkToCstmrAcctRpt></d:Document>`;
    await expect(read(report)).rejects.toThrow(
      'in its root element d:Document of the namespace urn:iso:std:iso:20022:tech:xsd:camt.052.001.08',
    );
    // Its entries are not recorded before that is known.
    const rows = readerOf('x.xml', { individual: '7' })(Readable.from([Buffer.from(report)]));
    expect(await rows[Symbol.asyncIterator]().next()).toEqual({ done: false, value: [] });
  });

  it('may be a statement without entries, or inside an envelope', async () => {
    expect(await read('<Document><BkToCstmrStmt><Stmt/></BkToCstmrStmt></Document>')).toEqual([]);
    const statement = `<Document><BkToCstmrStmt><Stmt>${entry}</Stmt></BkToCstmrStmt></Document>`;
    expect(individualsOf(await read(`<Message><AppHdr/>${statement}</Message>`))).toEqual([7]);
  });
});
