/** `ledgerline import` and `ledgerline export` of details. */
import { describe, expect, it } from 'vitest';
import { importDatabase } from '../harness/database/import-database.ts';
import { runHere } from '../harness/command.ts';

const database = importDatabase();
const { env, newIndividual, file } = database;

const details = async (id: number) => {
  const rows = await database.sql`
    select t.transaction_id as id, d.details::json as details from transactions t
    left join transaction_details d on d.individual_id = t.individual_id and d.seq = t.seq
    where t.individual_id = ${id} order by t.transaction_id`;
  return Object.fromEntries(rows.map((row) => [row.id, row.details]));
};

describe('CSV', () => {
  it('takes columns with the names of details, and gives the same back', async () => {
    const id = await newIndividual();
    const head = 'individualId,transactionId,amount,currency,timeStamp,SENDERIBAN,cardPan,balanceAfter,additionalData';
    const text = [
      head,
      `${id},a,1,EUR,2026-01-01,DE89 3704 0044 0532 0130 00,411111******1111,-1.50,"{""b"": 1, ""a"": [2]}"`,
      `${id},b,1,EUR,2026-01-01,,,,`,
      `${id},c,1,EUR,2026-01-01,DE00,,,`,
      `${id},d,1,EUR,2026-01-01,,,,no json`,
    ].join('\n');
    const report = await file('report.ndjson', '');
    const imported = await runHere(['import', await file('a.csv', text), '--report', report], env);
    expect(imported.stdout).toMatch(/2 created.*2 rejected/);
    const stored = {
      senderIban: 'DE89370400440532013000',
      cardPan: '411111******1111',
      balanceAfter: -1.5,
      additionalData: { b: 1, a: [2] },
    };
    expect(await details(id)).toEqual({ a: stored, b: null });

    const { stdout } = await runHere(['export', String(id), '--details'], env);
    const other = await newIndividual();
    const again = await runHere(['import', await file('b.csv', stdout), '--individual', String(other)], env);
    expect(again.stdout).toMatch(/2 created/);
    expect(await details(other)).toEqual({ a: stored, b: null });
    // An empty cell is an empty text: it removes the detail.
    const emptied = text.replace('-1.50', '').split('\n').slice(0, 2).join('\n');
    await runHere(['import', await file('c.csv', emptied)], env);
    expect((await details(id)).a).not.toHaveProperty('balanceAfter');
  });

  it('reads decimals with a comma', async () => {
    const id = await newIndividual();
    const text =
      'transactionId;amount;currency;timeStamp;transactionFee;balanceAfter\na;1,00;EUR;2026-01-01;0,35;-1.234,50\n';
    await runHere(
      ['import', await file('d.csv', text), '--individual', String(id), '--delimiter', ';', '--decimal-comma'],
      env,
    );
    expect(await details(id)).toEqual({ a: { transactionFee: 0.35, balanceAfter: -1234.5 } });
  });
});

describe('camt.053', () => {
  const own = 'DE89370400440532013000';
  const camt = (entries: string) =>
    `<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>${own}</IBAN></Id></Acct>${entries}</Stmt></BkToCstmrStmt></Document>`;
  const entry = (reference: string, direction: string, detail: string, more = '') =>
    `<Ntry><Amt Ccy="EUR">92.30</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
    `<BookgDt><Dt>2026-02-01</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>${more}` +
    `<NtryDtls><TxDtls>${detail}</TxDtls></NtryDtls></Ntry>`;
  const parties = (debtor: string, creditor: string) =>
    `<RltdPties><DbtrAcct><Id><IBAN>${debtor}</IBAN></Id></DbtrAcct><CdtrAcct><Id><IBAN>${creditor}</IBAN></Id></CdtrAcct></RltdPties>`;

  it('gives IBAN, BIC, reference, fee and original amount where the file has them', async () => {
    const id = await newIndividual();
    const text = camt(
      [
        entry(
          'A',
          'DBIT',
          '<Refs><EndToEndId>E2E-7</EndToEndId></Refs>' +
            '<AmtDtls><InstdAmt><Amt Ccy="USD">100.00</Amt></InstdAmt></AmtDtls>' +
            '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">1.50</TtlChrgsAndTaxAmt></Chrgs>' +
            parties(own, 'GB82WEST12345698765432') +
            '<RltdAgts><DbtrAgt><FinInstnId><BICFI>COBADEFFXXX</BICFI></FinInstnId></DbtrAgt><CdtrAgt><FinInstnId><BIC>NWBKGB2L</BIC></FinInstnId></CdtrAgt></RltdAgts>',
        ),
        entry(
          'B',
          'CRDT',
          '<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>',
          '<Chrgs><Rcrd><Amt Ccy="EUR">0.20</Amt></Rcrd><Rcrd><Amt Ccy="EUR">0.35</Amt></Rcrd></Chrgs>',
        ),
        // The row is worth more than a detail that is wrong.
        entry('C', 'DBIT', parties('DE00', 'nonsense')),
      ].join(''),
    );
    const { stdout } = await runHere(['import', await file('a.xml', text), '--accounts', `${own}=${id}`], env);
    expect(stdout).toMatch(/3 created/);
    expect(await details(id)).toEqual({
      A: {
        senderIban: own,
        receiverIban: 'GB82WEST12345698765432',
        senderBic: 'COBADEFFXXX',
        receiverBic: 'NWBKGB2L',
        reference: 'E2E-7',
        transactionFee: 1.5,
        originalAmount: 100,
        feeCurrency: 'EUR',
        originalCurrency: 'USD',
      },
      B: { receiverIban: own, transactionFee: 0.55, feeCurrency: 'EUR' },
      C: { senderIban: own },
    });
  });
});
