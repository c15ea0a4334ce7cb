import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runHere } from '../harness/command.ts';
import { importDatabase } from '../harness/database/import-database.ts';
import { readPdf } from '../harness/pdf.ts';
import { dataFolder, run, startProcess } from '../harness/process.ts';
import { row } from '../harness/service.ts';

const database = importDatabase();
const { env, newIndividual, file, stored } = database;

describe('ledgerline import, NDJSON', () => {
  it('records a file, says how it went, and finds only duplicates the second time', async () => {
    const id = await newIndividual();
    const target = await file('a.ndjson', Array.from({ length: 3000 }, () => JSON.stringify(row(id))).join('\n'));
    const first = await runHere(['import', target], env);
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^3,000 rows in [\d.]+ s \([\d,]+ rows\/s\): 3,000 created, 0 duplicate, 0 updated, 0 conflict, 0 rejected\.\n$/,
      ),
    ]);
    const second = await runHere(['import', target], env);
    expect(second.stdout).toMatch(/: 0 created, 3,000 duplicate,/);
    const [{ count }] =
      (await database.sql`select transaction_count as count from users where id = ${id}`) as unknown as [
        { count: number },
      ];
    expect(count).toBe(3000);
  });

  it('reads standard input, reports refused rows with line and reason, and exits with 2', async () => {
    const id = await newIndividual();
    const report = await file('report.ndjson', '');
    const main = fileURLToPath(new URL('../../dist/ledgerline.js', import.meta.url));
    const child = spawn(process.execPath, [main, 'import', '-', '--report', report], {
      env: { PATH: process.env.PATH!, ...env },
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.stdin.end(`${JSON.stringify(row(id))}\nnonsense\n${JSON.stringify(row(id, { amount: 'x' }))}\n`);
    expect((await once(child, 'exit'))[0]).toBe(2);
    expect(stderr).toMatch(
      /line 2: rejected, \$: 'nonsense' is an invalid JSON literal\. Expected the literal 'null'\./,
    );
    expect(stderr).toMatch(/line 3, transaction "[^"]+": rejected, Amount: The field Amount must be/);
    const lines = (await readFile(report, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ line, result }) => [line, result])).toEqual([
      [2, 'rejected'],
      [3, 'rejected'],
    ]);
  });

  it('writes nothing in a dry run', async () => {
    const id = await newIndividual();
    const target = await file(
      'dry.ndjson',
      `${JSON.stringify(row(id))}\n${JSON.stringify(row(id, { currency: 'x' }))}`,
    );
    const { stdout, code } = await runHere(['import', target, '--dry-run'], env);
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/^Dry run, nothing was written: 2 rows .*1 created.*1 rejected/),
    ]);
    expect(await stored(id)).toHaveLength(0);
  });

  it('says that a file has no rows', async () => {
    const { code, stdout } = await runHere(['import', await file('blank.ndjson', '\n \n')], env);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^0 rows in .* 0 rejected\. The input has no rows\.\n$/)]);
    const other = await runHere(['import', await file('page.xml', '<html/>')], env);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringMatching(/page\.xml, line 1: the file is not a camt\.053 statement: .*\.\n$/),
    ]);
  });

  it('says what is wrong with a missing file, and with unknown options', async () => {
    expect((await runHere(['import', '/nowhere/x.ndjson'], env)).stderr).toBe(
      '/nowhere/x.ndjson cannot be read (ENOENT).\n',
    );
    expect((await runHere(['import', '/tmp'], env)).stderr).toBe('/tmp is not a file.\n');
    const target = await file('x.csv', 'a\n');
    const wrong = async (...options: string[]) => (await runHere(['import', target, ...options], env)).stderr;
    expect(await wrong('--format', 'xls')).toMatch(/^There is no format xls; the formats are/);
    expect(await wrong('--map', 'nope=A')).toMatch(/^--map names nope, which is no field; the fields are individualId/);
    expect(await wrong('--map', 'amount')).toMatch(/^--map has "amount"; write it as/);
    expect(await wrong('--encoding', 'klingon')).toMatch(/^There is no encoding klingon/);
    expect(await wrong('--dates', 'ymd')).toMatch(/^--dates must be iso, dmy or mdy/);
  });
});

describe('ledgerline import, CSV', () => {
  it('takes our own columns in any case and order', async () => {
    const id = await newIndividual();
    const target = await file(
      'own.csv',
      `Currency,AMOUNT,transactionid,timeStamp,individualId,ignored,paymentNotes\r\nEUR,1.50,c1,2026-01-01T10:00:00Z,${id},zzz,"a ""quoted"", note\nwith a line"\r\n`,
    );
    expect((await runHere(['import', target], env)).stdout).toMatch(/1 created/);
    expect(await stored(id)).toMatchObject([{ id: 'c1', amount: '1.50', notes: 'a "quoted", note\nwith a line' }]);
  });

  it('takes a map, a dialect, a decimal comma, signed amounts, German dates and Latin letters', async () => {
    const id = await newIndividual();
    const text =
      'Buchung;Betrag;Referenz;Empf\u00e4nger\n31.12.2025;-1.234,56;r1;B\u00e4cker\n01.01.2026 08:30;0,50;r2;M\u00fcller\n';
    const target = await file('bank.csv', Buffer.from(text, 'latin1'));
    const { stdout } = await runHere(
      [
        'import',
        target,
        '--delimiter',
        ';',
        '--encoding',
        'windows-1252',
        '--decimal-comma',
        '--signed',
        '--dates',
        'dmy',
        '--individual',
        String(id),
        '--map',
        'timeStamp=Buchung,amount=Betrag,transactionId=Referenz,receiverName=Empf\u00e4nger',
        '--set',
        'currency=EUR,transactionStatus=Accepted',
      ],
      env,
    );
    expect(stdout).toMatch(/2 created/);
    expect(await stored(id)).toMatchObject([
      {
        id: 'r1',
        amount: '1234.56',
        time: '2025-12-31T00:00:00',
        category: 'Debit',
        receiver: 'B\u00e4cker',
        status: 'Accepted',
      },
      { id: 'r2', amount: '0.50', time: '2026-01-01T08:30:00', category: 'Credit', receiver: 'M\u00fcller' },
    ]);
  });

  it('gives a line-numbered answer to each bad row and takes the good ones', async () => {
    const id = await newIndividual();
    const good = (n: number) => `${id},g${n},1.00,EUR,2026-01-01`;
    const text = [
      '\uFEFFindividualId,transactionId,amount,currency,timeStamp',
      good(1),
      `${id},b1,1,000.00,EUR,2026-01-01`,
      `${id},b2,abc,EUR,2026-01-01`,
      `${id},b3,1,EUR,32.01.2026`,
      `${id},b4`,
      good(2),
      `${id},b5,1,"EU"R,2026-01-01`,
      good(3),
      '',
    ].join('\r\n');
    const { stderr, stdout, code } = await runHere(['import', await file('bad.csv', text)], env);
    expect(code).toBe(2);
    expect(stdout).toMatch(/3 created.*5 rejected/);
    expect(stderr).toMatch(/line 3: rejected, \$: The line has 6 columns, the first line has 5\./);
    expect(stderr).toMatch(/line 4, transaction "b2": rejected, Amount: /);
    expect(stderr).toMatch(/line 5, transaction "b3": rejected, TimeStamp: /);
    expect(stderr).toMatch(/line 6: rejected, \$: The line has 2 columns/);
    expect(stderr).toMatch(/line 8: rejected, \$: There is text behind the closing quote of column 4\./);
    expect((await stored(id)).map((each) => each.id)).toEqual(['g1', 'g2', 'g3']);
  });

  it('refuses rows in another encoding, and keeps the others', async () => {
    const id = await newIndividual();
    const text = Buffer.concat([
      Buffer.from(`individualId,transactionId,amount,currency,timeStamp,senderName\n${id},e1,1,EUR,2026-01-01,B`),
      Buffer.from([0xe4]),
      Buffer.from(`cker\n${id},e2,1,EUR,2026-01-01,Plain\n`),
    ]);
    const { stderr, stdout } = await runHere(['import', await file('enc.csv', text)], env);
    expect(stderr).toMatch(/line 2: rejected, \$: The text is not valid utf-8; another --encoding may be\./);
    expect(stdout).toMatch(/1 created/);
  });

  it('says which columns are missing, and what the file has instead', async () => {
    const wrong = async (text: string, ...options: string[]) =>
      (await runHere(['import', await file('cols.csv', text), ...options], env)).stderr;
    expect(await wrong('a;b;c\n1;2;3\n')).toMatch(
      /, line 1: there is no column for individualId, transactionId, amount, currency, timeStamp; the columns are a;b;c\./,
    );
    expect(await wrong('a,b\n', '--map', 'amount=Betrag')).toMatch(
      /there is no column "Betrag" for amount; the columns are a \| b\./,
    );
  });

  it('refuses only the line of a quote that is never closed, however long the file is', async () => {
    const id = await newIndividual();
    const good = (n: number) => `${id},q${n},1,EUR,2026-01-01`;
    const text = [
      'individualId,transactionId,amount,currency,timeStamp',
      good(1),
      `${id},"q2,1,EUR,2026-01-01`,
      good(3),
      'x'.repeat(3 * 1024 * 1024),
      good(4),
      `${id},"q5`,
    ].join('\n');
    const { stderr, stdout } = await runHere(['import', await file('quote.csv', text)], env);
    expect(stderr).toMatch(/line 3: rejected, \$: A quote is opened here and never closed\./);
    expect(stderr).toMatch(/line 5: rejected, \$: The line is longer than 1048576 characters\./);
    expect(stderr).toMatch(/line 7: rejected, \$: A quote is opened here and never closed\./);
    expect(stdout).toMatch(/3 created.*3 rejected/);
    expect((await stored(id)).map((each) => each.id)).toEqual(['q1', 'q3', 'q4']);
  });
});

describe('ledgerline import-users', () => {
  it('imports users and their verified phones, once, and reports which users it refused and why', async () => {
    const text =
      'id,phone,verified\n70001,+447911190001,true\n70002,+447911190002,false\n70003,,\n70004,nonsense,true\nx,,\n70005,+447911190001,yes\n70006,,true\n';
    const target = await file('users.csv', text);
    const { stdout, stderr, code } = await runHere(['import-users', target], env);
    expect([code, stdout]).toEqual([2, '4 created, 0 known already, of which 1 without the phone, 3 refused.\n']);
    expect(stderr).toMatch(/line 5: refused, Phone: The Phone field is not a valid phone number\./);
    expect(stderr).toMatch(/line 6: refused, \$\.id: The JSON value could not be converted to System\.Int32/);
    expect(stderr).toMatch(/line 7: without-phone, Phone: The phone is verified by another user\./);
    expect(stderr).toMatch(/line 8: refused, Phone: The Phone field is required for a verified user\./);
    expect([
      ...(await database.sql`select user_id, verified_phone from verifications where verified_phone is not null`),
    ]).toEqual([{ user_id: 70_001, verified_phone: '+447911190001' }]);
    expect((await runHere(['import-users', target], env)).stdout).toBe(
      '0 created, 4 known already, of which 1 without the phone, 3 refused.\n',
    );
  });

  it('counts a refused user once, and reports every field that is wrong', async () => {
    const target = await file('users.csv', 'id,phone,verified\n-1,nonsense,maybe\n70030,,\n');
    const { stdout, stderr } = await runHere(['import-users', target], env);
    expect(stdout).toBe('1 created, 0 known already, 1 refused.\n');
    expect(stderr.match(/line 2: .*/g)).toEqual([
      'line 2: refused, Id: The field Id must be between 1 and 2147483647.; ' +
        'Phone: The Phone field is not a valid phone number.; Verified: The field Verified must be true or false.',
    ]);
  });

  it('refuses a file that has one column twice, or lines that end with a carriage return alone', async () => {
    const refused = async (text: string) =>
      (await runHere(['import-users', await file('users.csv', text)], env)).stderr;
    expect(await refused('id,phone,ID\n70020,,70021\n')).toBe('line 1: there are several columns id.\n');
    expect(await refused('id,phone,verified\r70020,,\r')).toMatch(
      /^line 1: the lines end with a carriage return alone/,
    );
    const empty = await runHere(['import-users', await file('users.csv', 'id,phone\n')], env);
    expect([empty.code, empty.stdout]).toEqual([0, '0 created, 0 known already, 0 refused. The input has no users.\n']);
  });

  it('takes NDJSON too, and keeps a phone that the user verified here', async () => {
    const target = await file(
      'users.ndjson',
      '{"id":70010,"phone":"+4407911190010","verified":true}\n{"id":70001,"phone":"+447911190099","verified":true}\n{broken\n',
    );
    const { stdout, stderr } = await runHere(['import-users', target], env);
    expect(stdout).toBe('1 created, 1 known already, of which 1 without the phone, 1 refused.\n');
    expect(stderr).toMatch(/line 2: without-phone, Phone: The user has verified another phone\./);
    expect(stderr).toMatch(/line 3: refused, \$: 'b' is an invalid start of a property name/);
    expect([...(await database.sql`select user_id from phone_links where phone = '+447911190010'`)]).toEqual([
      { user_id: 70_010 },
    ]);
  });

  it('links one phone to a user who is on several lines, the first of them', async () => {
    const phones = ['+447911190021', '+447911190022', '+447911190021', '+447911190023'];
    const target = await file(
      'twice.csv',
      `id,phone,verified\n${phones.map((phone) => `70020,${phone},true\n`).join('')}`,
    );
    const { stdout, stderr } = await runHere(['import-users', target], env);
    expect(stdout).toBe('1 created, 3 known already, of which 2 without the phone, 0 refused.\n');
    expect(stderr.match(/^ {2}line .*$/gm)).toEqual(
      [3, 5].map((line) => `  line ${line}: without-phone, Phone: An earlier line has another phone for this user.`),
    );
    expect([...(await database.sql`select phone from phone_links where user_id = 70020`)]).toEqual([
      { phone: '+447911190021' },
    ]);
    const [user] = await database.sql`select verified_phone from verifications where user_id = 70020`;
    expect(user!.verified_phone).toBe('+447911190021');
  });
});

describe('ledgerline export', () => {
  it('writes what the list would give, to standard output or a file', async () => {
    const id = await newIndividual();
    await runHere(
      [
        'import',
        await file(
          'x.ndjson',
          [1, 2, 3]
            .map((n) =>
              JSON.stringify(row(id, { transactionId: `x${n}`, amount: `${n}.10`, timeStamp: `2026-01-0${n}` })),
            )
            .join('\n'),
        ),
      ],
      env,
    );
    const all = await runHere(['export', String(id)], env);
    expect(all.stdout.split('\r\n').map((line) => line.split(',')[0])).toEqual(['transactionId', 'x3', 'x2', 'x1', '']);
    const target = path.join(path.dirname(await dataFolder()), 'out.ndjson');
    expect(
      (
        await runHere(
          ['export', String(id), '--format', 'ndjson', '--amount-from', '2', '--to', '2026-01-02', '--output', target],
          env,
        )
      ).code,
    ).toBe(0);
    expect(
      (await readFile(target, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).transactionId),
    ).toEqual(['x2']);
    expect((await runHere(['export', '999999'], env)).stderr).toBe('There is no individual 999999.\n');
    expect((await runHere(['export', String(id), '--from', 'x'], env)).stderr).toBe(
      'The field TimestampFrom must be an ISO 8601 date-time.\n',
    );
  });
});

it('commands find the embedded PostgreSQL of a running service, and start it where none runs', async () => {
  const dataDir = await dataFolder();
  const service = await startProcess(dataDir);
  const target = await file('s.ndjson', JSON.stringify(row(1, { transactionId: 'beside' })));
  expect((await run(['import', target], { DATA_DIR: dataDir })).stdout).toMatch(/1 created/);
  await service.end('SIGTERM');
  expect((await run(['import', target], { DATA_DIR: dataDir })).stdout).toMatch(/1 duplicate/);
  expect((await run(['export', '1', '--search', 'beside'], { DATA_DIR: dataDir })).stdout).toMatch(
    /^transactionId.*\r\nbeside,/,
  );
});

describe('ledgerline statement', () => {
  it('writes the rows as a PDF, oldest first, in the language and time zone it is given', async () => {
    const id = await newIndividual();
    const rows = [1, 2, 3].map((n) => row(id, { transactionId: `s${n}`, timeStamp: `2026-01-0${n}T23:30:00Z` }));
    await runHere(['import', await file('s.ndjson', rows.map((each) => JSON.stringify(each)).join('\n'))], env);
    const target = path.join(path.dirname(await dataFolder()), 'statement.pdf');
    const options = ['--from', '2026-01-03', '--locale', 'de', '--time-zone', 'Europe/Berlin', '--output', target];
    expect(await run(['statement', String(id), ...options], env)).toMatchObject({ code: 0, stderr: '' });
    const lines = (await readPdf(await readFile(target))).pages.flat();
    expect(lines.slice(0, 2)).toEqual(['Ledgerline', 'Kontoauszug']);
    expect(lines.flatMap((line) => line.match(/\bs\d\b/) ?? [])).toEqual(['s2', 's3']);
    expect(lines.join('\n')).toContain('03.01.2026, 00:30');
  });

  it('covers the days of its time zone, and prints these', async () => {
    const id = await newIndividual();
    const times = ['11-29T19:59:59.999999', '11-29T20:00:00', '11-30T19:59:59.999999', '11-30T20:00:00'];
    const rows = times.map((time, n) => row(id, { transactionId: `d${n}`, timeStamp: `2026-${time}Z` }));
    await runHere(['import', await file('d.ndjson', rows.map((each) => JSON.stringify(each)).join('\n'))], env);
    const target = path.join(path.dirname(await dataFolder()), 'statement.pdf');
    const options = ['--from', '2026-11-30', '--to', '2026-11-30', '--time-zone', 'Asia/Dubai', '--output', target];
    expect(await runHere(['statement', String(id), ...options], env)).toMatchObject({ code: 0, stderr: '' });
    const lines = (await readPdf(await readFile(target))).pages.flat();
    expect(lines.flatMap((line) => line.match(/\bd\d\b/) ?? [])).toEqual(['d1', 'd2']);
    expect(lines).toContain('Period: Nov 30, 2026 – Nov 30, 2026');
  });

  it('says what is wrong with an option', async () => {
    const refused = await runHere(['statement', '1', '--time-zone', 'Mars'], env);
    expect(refused).toMatchObject({ code: 1, stderr: 'There is no time zone Mars.\n' });
  });
});
