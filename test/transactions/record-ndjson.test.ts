/** record-transactions as a stream of lines. */
import { request } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHttpAnswer } from '../harness/http-request.ts';
import { row, startService, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const type = { 'content-type': 'application/x-ndjson' };

async function send(raw: string | Uint8Array, headers: Record<string, string> = {}) {
  const answer = await service.call('/app/record-transactions', undefined, { raw, headers: { ...type, ...headers } });
  return {
    ...answer,
    lines: answer.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

const lines = (rows: unknown[]) => rows.map((each) => JSON.stringify(each)).join('\n');

describe('a stream of rows', () => {
  it('answers with a line for each row that was neither created nor a duplicate, then the totals', async () => {
    const id = await service.createUser();
    const first = row(id, { transactionId: 'a' });
    const answer = await send(
      lines([
        first,
        first,
        row(id, { transactionId: 'b', amount: '-1' }),
        { ...first, paymentNotes: 'new' },
        { ...first, amount: '99' },
        row(1_999_999_999, { transactionId: 'x' }),
      ]),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.lines.at(-1)).toEqual({ totals: { created: 1, duplicate: 1, updated: 1, conflict: 1, rejected: 2 } });
    const written = answer.lines.slice(0, -1).sort((a, b) => a.line - b.line);
    expect(written).toEqual([
      { line: 3, transactionId: 'b', individualId: id, result: 'rejected', errors: { Amount: [expect.any(String)] } },
      { line: 4, transactionId: 'a', individualId: id, result: 'updated' },
      { line: 5, transactionId: 'a', individualId: id, result: 'conflict' },
      {
        line: 6,
        transactionId: 'x',
        individualId: 1_999_999_999,
        result: 'rejected',
        errors: { IndividualId: ['Unknown individual.'] },
      },
    ]);
  });

  it('accepts CRLF, a byte order mark, empty lines and a last line without an end', async () => {
    const id = await service.createUser();
    const answer = await send(
      `\uFEFF${JSON.stringify(row(id))}\r\n\r\n\n${JSON.stringify(row(id))}\n   \n${JSON.stringify(row(id))}`,
    );
    expect(answer.lines).toEqual([{ totals: { created: 3, duplicate: 0, updated: 0, conflict: 0, rejected: 0 } }]);
  });

  it('keeps every digit of an amount', async () => {
    const id = await service.createUser();
    await send(
      `{"individualId":${id},"transactionId":"x","amount":9007199254740993.170,"currency":"EUR","timeStamp":"2026-01-01T00:00:00Z"}`,
    );
    expect((await service.list({ individualId: id })).text).toContain('"amount":9007199254740993.170,');
  });

  it('refuses a line that is no JSON, no object, not UTF-8 or too long, with its number, and takes the others', async () => {
    const id = await service.createUser();
    const body = Buffer.concat([
      Buffer.from(`${JSON.stringify(row(id))}\n{"a":\n[1]\n`),
      Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
      Buffer.from(`{"x":"${'y'.repeat(2 * 1024 * 1024)}"}\n`),
      Buffer.from(JSON.stringify(row(id))),
    ]);
    const answer = await send(body);
    expect(answer.lines.at(-1)).toEqual({ totals: { created: 2, duplicate: 0, updated: 0, conflict: 0, rejected: 4 } });
    expect(answer.lines.slice(0, -1).map(({ line, errors }) => [line, errors.$[0]])).toEqual([
      [2, expect.stringMatching(/^Expected depth to be zero/)],
      [3, expect.stringMatching(/^The JSON value could not be converted to TransactionRow/)],
      [4, 'The line is not valid UTF-8.'],
      [5, 'The line is longer than 65536 bytes.'],
    ]);
  });

  it('may be empty', async () => {
    expect((await send('\n')).lines).toEqual([
      { totals: { created: 0, duplicate: 0, updated: 0, conflict: 0, rejected: 0 } },
    ]);
  });

  it('applies rows of one key in order, over batches too', async () => {
    const id = await service.createUser();
    const pending = row(id, { transactionId: 'k', transactionStatus: 'Pending', amount: '1' });
    const filler = Array.from({ length: 1500 }, () => row(id));
    const answer = await send(lines([pending, ...filler, { ...pending, amount: '2', transactionStatus: 'Accepted' }]));
    expect(answer.lines[0]).toMatchObject({ line: 1502, result: 'updated' });
    expect((await service.call('/app/get-transaction', { individualId: id, transactionId: 'k' })).json.amount).toBe(2);
  });

  it('lets a bound token record rows of its user only', async () => {
    // The embedded issuer gives bound tokens no such scope; a service token may of course do both.
    const token = await service.token('', await service.createUser());
    expect(
      (await service.call('/app/record-transactions', undefined, { raw: '{}', token, headers: type })).status,
    ).toBe(403);
  });

  it('is read to its end even if the caller does not read the long answer', async () => {
    const id = await service.createUser();
    const token = await service.token();
    const bad =
      `${JSON.stringify(row(2_000_000_001, { transactionId: 'nobody', paymentNotes: 'n'.repeat(200) }))}\n`.repeat(500);
    const outgoing = request(`${service.url}/app/record-transactions`, {
      method: 'POST',
      headers: { ...type, authorization: `Bearer ${token}` },
    });
    const answered = once(outgoing, 'response') as Promise<[import('node:http').IncomingMessage]>;
    // 30,000 refused rows: about 5 MB of answer, more than any socket holds.
    for (let part = 0; part < 60; part += 1) if (!outgoing.write(bad)) await once(outgoing, 'drain');
    outgoing.end(JSON.stringify(row(id)));
    const [response] = await answered;
    let text = '';
    for await (const chunk of response) text += chunk;
    checkHttpAnswer(`${service.url}/app/record-transactions`, outgoing, response, text);
    const written = text.trim().split('\n');
    expect(written).toHaveLength(30_001);
    expect(JSON.parse(written.at(-1)!)).toEqual({
      totals: { created: 1, duplicate: 0, updated: 0, conflict: 0, rejected: 30_000 },
    });
  });

  it('keeps what was recorded when the client disconnects, and can be sent again', async () => {
    const id = await service.createUser();
    const token = await service.token();
    const rows = Array.from({ length: 3000 }, () => row(id));
    const outgoing = request(`${service.url}/app/record-transactions`, {
      method: 'POST',
      headers: { ...type, authorization: `Bearer ${token}` },
    });
    outgoing.on('error', () => {});
    outgoing.write(`${lines(rows.slice(0, 2500))}\n`);
    const kept = await until(
      async () => (await service.sql`select transaction_count as count from users where id = ${id}`)[0]!.count,
    );
    outgoing.destroy();
    const answer = await send(lines(rows));
    const { totals } = answer.lines.at(-1);
    expect(totals.duplicate).toBeGreaterThanOrEqual(Number(kept));
    expect(totals.created).toBeGreaterThan(0);
    expect(totals.created + totals.duplicate).toBe(3000);
    expect((await service.list({ individualId: id })).json.transactionCount).toBe(3000);
  });
});

it('other media types are 415', async () => {
  for (const other of ['application/jsonl', 'text/x-ndjson', 'application/x-ndjson+xml']) {
    expect(
      (await service.call('/app/record-transactions', undefined, { raw: '{}', headers: { 'content-type': other } }))
        .status,
    ).toBe(415);
  }
  expect((await service.call('/User', undefined, { raw: '{}', headers: type })).status).toBe(415);
});

describe('a line', () => {
  const padded = (id: number, bytes: number) => {
    const start = JSON.stringify(row(id)).slice(0, -1);
    return `${start},"pad":"${'x'.repeat(bytes - start.length - 10)}"}`;
  };

  it.each(['\n', '\r\n'])(
    'has at most 65,536 bytes without its end %j; the stream goes on after a longer one',
    async (end) => {
      const id = await service.createUser();
      const sent = [padded(id, 65_536), padded(id, 65_537), padded(id, 65_536)];
      expect(sent.map((line) => Buffer.byteLength(line))).toEqual([65_536, 65_537, 65_536]);
      const answer = await send(sent.join(end) + end);
      expect(answer.lines).toEqual([
        {
          line: 2,
          transactionId: null,
          individualId: null,
          result: 'rejected',
          errors: { $: ['The line is longer than 65536 bytes.'] },
        },
        { totals: { created: 2, duplicate: 0, updated: 0, conflict: 0, rejected: 1 } },
      ]);
    },
  );
});

describe('the answer', () => {
  it('has 100,000 lines for rows at most; after that only the totals follow', async () => {
    const answer = await send('x\n'.repeat(100_001));
    expect(answer.lines).toHaveLength(100_001);
    expect(answer.lines.at(-2)).toMatchObject({ line: 100_000, result: 'rejected' });
    expect(answer.lines.at(-1)).toEqual({
      totals: { created: 0, duplicate: 0, updated: 0, conflict: 0, rejected: 100_001 },
      truncated: true,
    });
    const whole = await send('x\n'.repeat(100_000));
    expect(whole.lines).toHaveLength(100_001);
    expect(whole.lines.at(-1)).not.toHaveProperty('truncated');
  });

  it('loses lines, and no row, when the temporary folder cannot be written', async () => {
    const id = await service.createUser();
    const folder = process.env.TMPDIR;
    process.env.TMPDIR = '/proc/none';
    try {
      const answer = await send(`${'x\n'.repeat(20_000)}${JSON.stringify(row(id))}\n`);
      expect(answer.status).toBe(200);
      expect(answer.lines.at(-1)).toEqual({
        totals: { created: 1, duplicate: 0, updated: 0, conflict: 0, rejected: 20_000 },
        truncated: true,
      });
      expect(service.logLines.some((line) => line.includes('answer-truncated'))).toBe(true);
    } finally {
      if (folder === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = folder;
    }
  });
});
