/** `ledgerline import` of account statements by ISO 20022, camt.053. */
import { describe, expect, it } from 'vitest';
import { importDatabase } from '../harness/database/import-database.ts';
import { runHere } from '../harness/command.ts';
import { individualsOf, readRows } from '../harness/read-rows.ts';

const { env, newIndividual, file, stored } = importDatabase();

const camt = (entries: string, account = 'DE89370400440532013000') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>${account}</IBAN></Id></Acct>\n${entries}\n</Stmt></BkToCstmrStmt></Document>`;
const entry = (reference: string, members = '') =>
  `<Ntry><Amt Ccy="EUR">12.30</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-02-01</Dt></BookgDt>${reference && `<AcctSvcrRef>${reference}</AcctSvcrRef>`}${members}</Ntry>`;

describe('ledgerline import, camt.053', () => {
  it('takes entries by the bank’s own reference, and the transactions of a batch booking one by one', async () => {
    const id = await newIndividual();
    const details = (reference: string, amount: string) =>
      `<TxDtls><Refs><AcctSvcrRef>${reference}</AcctSvcrRef><EndToEndId>NOTPROVIDED</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><Dbtr><Pty><Nm>Ada &amp; Co</Nm></Pty></Dbtr><Cdtr><Nm>Bo</Nm></Cdtr></RltdPties><RmtInf><Ustrd>Invoice</Ustrd><Ustrd>42</Ustrd></RmtInf></TxDtls>`;
    const text = camt(
      [
        entry('A1', `<NtryDtls>${details('ignored', '12.30')}</NtryDtls>`),
        entry('A2', `<NtryDtls>${details('B1', '5.00')}${details('B2', '7.30')}</NtryDtls>`),
        entry('A3')
          .replace('BOOK', 'PDNG')
          .replace('DBIT', 'CRDT')
          .replace('<Dt>2026-02-01</Dt>', '<DtTm>2026-02-01T10:00:00+01:00</DtTm>'),
      ].join('\n'),
    );
    const { stdout } = await runHere(
      ['import', await file('a.xml', text), '--accounts', `DE89370400440532013000=${id}`],
      env,
    );
    expect(stdout).toMatch(/4 created/);
    expect(await stored(id)).toMatchObject([
      {
        id: 'A1',
        amount: '12.30',
        category: 'Debit',
        status: 'Accepted',
        sender: 'Ada & Co',
        receiver: 'Bo',
        notes: 'Invoice 42',
      },
      { id: 'B1', amount: '5.00' },
      { id: 'B2', amount: '7.30' },
      { id: 'A3', category: 'Credit', status: 'Pending', time: '2026-02-01T09:00:00' },
    ]);
  });

  it('splits a batch booking also where a transaction has no reference, or the same one as another', async () => {
    const id = await newIndividual();
    const details = (refs: string, amount: string) =>
      `<TxDtls><Refs>${refs}</Refs><Amt Ccy="EUR">${amount}</Amt></TxDtls>`;
    const text = camt(
      [
        entry(
          'D',
          `<NtryDtls>${details('<AcctSvcrRef>D1</AcctSvcrRef>', '5.00')}${details('<EndToEndId>rent</EndToEndId>', '7.30')}</NtryDtls>`,
        ),
        entry(
          'E',
          `<NtryDtls>${details('<AcctSvcrRef>E</AcctSvcrRef>', '1.00')}${details('<AcctSvcrRef>E</AcctSvcrRef>', '1.00')}</NtryDtls>`,
        ),
      ].join('\n'),
    );
    const importAgain = async () =>
      (await runHere(['import', await file('batch.xml', text), '--individual', String(id)], env)).stdout;
    expect(await importAgain()).toMatch(/4 created/);
    const ids = (await stored(id)).map(({ id: transactionId, amount }) => [transactionId, amount]);
    expect(ids).toEqual([
      ['D1', '5.00'],
      [expect.stringMatching(/^camt-[0-9a-f]{32}$/), '7.30'],
      [expect.stringMatching(/^camt-[0-9a-f]{32}$/), '1.00'],
      [expect.stringMatching(/^camt-[0-9a-f]{32}-2$/), '1.00'],
    ]);
    expect(await importAgain()).toMatch(/0 created.*4 duplicate/);
  });

  it('knows an entry without AcctSvcrRef by the next unique reference, or else by its content', async () => {
    const id = await newIndividual();
    const text = camt(
      [
        entry('', '<NtryDtls><TxDtls><Refs><UETR>u-1</UETR><TxId>t-1</TxId></Refs></TxDtls></NtryDtls>'),
        // A return keeps the reference of the payment, in the other direction.
        entry('', '<NtryDtls><TxDtls><Refs><UETR>u-1</UETR></Refs></TxDtls></NtryDtls>').replace('DBIT', 'CRDT'),
        // One standing order in two months: the payer's EndToEndId is the same.
        entry('', '<NtryDtls><TxDtls><Refs><EndToEndId>rent</EndToEndId></Refs></TxDtls></NtryDtls>'),
        entry('', '<NtryDtls><TxDtls><Refs><EndToEndId>rent</EndToEndId></Refs></TxDtls></NtryDtls>').replace(
          '-02-',
          '-03-',
        ),
        // Two equal coffees on one day.
        entry('', '<NtryRef>1</NtryRef><AddtlNtryInf>coffee</AddtlNtryInf>'),
        entry('', '<NtryRef>2</NtryRef><AddtlNtryInf>coffee</AddtlNtryInf>'),
      ].join('\n'),
    );
    const importFile = async (content: string) =>
      (await runHere(['import', await file('refs.xml', content), '--individual', String(id)], env)).stdout;
    expect(await importFile(text)).toMatch(/6 created/);
    expect((await stored(id)).slice(0, 2).map(({ id: transactionId }) => transactionId)).toEqual([
      'u-1/DBIT',
      'u-1/CRDT',
    ]);
    expect(await importFile(text)).toMatch(/0 created.*6 duplicate/);
    // A statement that overlaps counts its entries differently.
    const overlapping = camt(entry('', '<NtryRef>7</NtryRef><AddtlNtryInf>coffee</AddtlNtryInf>'));
    expect(await importFile(overlapping)).toMatch(/0 created.*1 duplicate/);
  });

  it('takes pending entries that their booking can replace, and leaves out what has not moved money', async () => {
    const id = await newIndividual();
    const pending = (text: string) => text.replace('BOOK', 'PDNG');
    const importFile = async (content: string) =>
      runHere(['import', await file('pending.xml', camt(content)), '--individual', String(id)], env);
    const one = await importFile(
      [pending(entry('P1')), pending(entry('')), entry('P2').replace('BOOK', 'INFO')].join('\n'),
    );
    expect(one.stdout).toMatch(/1 created.*2 rejected/);
    expect(one.stderr).toMatch(/line 4: rejected, \$: Entry 2 is pending and has no reference/);
    expect(one.stderr).toMatch(/line 5: rejected, \$: Entry 3 has the status INFO/);
    expect(await stored(id)).toMatchObject([{ id: 'P1', status: 'Pending' }]);
    expect((await importFile(entry('P1').replace('12.30', '12.90'))).stdout).toMatch(/1 updated/);
    expect(await stored(id)).toMatchObject([{ id: 'P1', status: 'Accepted', amount: '12.90' }]);
  });

  it('cuts notes to the limit, between characters', async () => {
    const id = await newIndividual();
    const notes = `${'x'.repeat(1999)}🙂`;
    await runHere(
      [
        'import',
        await file('notes.xml', camt(entry('N1', `<AddtlNtryInf>${notes}</AddtlNtryInf>`))),
        '--individual',
        String(id),
      ],
      env,
    );
    expect(await stored(id)).toMatchObject([{ notes: 'x'.repeat(1999) }]);
  });

  it('refuses an entry of an unknown account, and a DOCTYPE, with the line', async () => {
    const id = await newIndividual();
    await runHere(['import', await file('b.xml', camt(entry('C1'))), '--individual', String(id)], env);
    const two = await runHere(['import', await file('c.xml', camt(entry('C2')))], env);
    expect(two.stderr).toMatch(
      /No individual is known for the account DE89370400440532013000 of entry 1; give --individual or --accounts\./,
    );
    const three = await runHere(
      [
        'import',
        await file('d.xml', camt(entry('C3')).replace('\n', '\n<!DOCTYPE x [<!ENTITY a "b">]>\n')),
        '--individual',
        String(id),
      ],
      env,
    );
    expect(three.stderr).toMatch(
      /line 2: rejected, \$: The file has a DOCTYPE, which is refused\. No entry was read\./,
    );
    expect(await stored(id)).toHaveLength(1);
  });

  it('takes the entries before the place where a file is broken or cut off', async () => {
    const id = await newIndividual();
    const text = camt(`${entry('T1')}\n${entry('T2')}\n${entry('T3')}`);
    const { stderr, stdout } = await runHere(
      ['import', await file('e.xml', text.slice(0, text.indexOf('T3'))), '--individual', String(id)],
      env,
    );
    expect(stdout).toMatch(/2 created.*1 rejected/);
    expect(stderr).toMatch(/line 5: rejected, \$: .*Nothing after entry 2 was read\./);
    const broken = await runHere(
      ['import', await file('f.xml', text.replace('</Ntry>\n', '</Wrong>\n')), '--individual', String(id)],
      env,
    );
    expect(broken.stderr).toMatch(/line 3: rejected, \$: /);
  });

  it('reads UTF-16, with and without a byte order mark', async () => {
    const text = camt(entry('U1', '<AddtlNtryInf>Bäcker €</AddtlNtryInf>')).replace('UTF-8', 'UTF-16');
    for (const start of ['\uFEFF', '']) {
      const little = Buffer.from(start + text, 'utf16le');
      const big = Buffer.from(little).swap16();
      for (const content of [little, big]) {
        const [row] = await readRows(content, { individual: '7' }, 'x.xml');
        expect(row!.reading).toMatchObject({ row: { individualId: 7, transactionId: 'U1' } });
        expect(JSON.stringify(row)).toContain('Bäcker €');
      }
    }
  });

  it('says which entry it refused, also if the file is one line', async () => {
    const entries = [entry('O1'), entry('O2').replace('BOOK', 'INFO'), entry('').replace('BOOK', 'PDNG')];
    const text = camt(entries.join('')).replaceAll('\n', '');
    const rows = await readRows(text.replace('</Stmt>', ''), { individual: '7' }, 'x.xml');
    expect(individualsOf(rows)).toEqual([
      7,
      { $: [expect.stringMatching(/^Entry 2 has the status INFO/)] },
      { $: [expect.stringMatching(/^Entry 3 is pending and has no reference/)] },
      { $: [expect.stringMatching(/ Nothing after entry 3 was read\.$/)] },
    ]);
  });
});
