/** How long the largest and the most awkward bodies hold up the event loop of the service. */
import { ndjsonRow, randomSource, round } from './harness.js';

const individualId = 500_001;
const mebibyte = 1024 * 1024;

export function bodies() {
  const random = randomSource(3);
  const rows = Array.from({ length: 10_000 }, (_, number) =>
    ndjsonRow(random, individualId, number, 1_700_000_000_000 + number).trim(),
  );
  const fill = (start, part, end) =>
    start + part.repeat(Math.floor((32 * mebibyte - start.length - end.length) / part.length)) + end;
  return [
    ['10,000 good rows', `{"transactions":[${rows.join(',')}]}`],
    ['the same rows again', `{"transactions":[${rows.join(',')}]}`],
    ['10,000 empty rows', `{"transactions":[${Array(10_000).fill('{}').join(',')}]}`],
    ['32 MiB of numbers as rows', fill('{"transactions":[', '0,', '0]}')],
    ['32 MiB of empty arrays as rows', fill('{"transactions":[', '[],', '0]}')],
    ['32 MiB in an unknown member of a row', fill('{"transactions":[{"x":[', '{"a":1},', '0]}]}')],
    ['32 MiB of escapes in one text', fill('{"transactions":[{"paymentNotes":"', '\\n', '"}]}')],
    [
      '32 MiB of two-byte characters in one text',
      fill('{"transactions":[{"paymentNotes":"', 'é'.repeat(2), '"}]}').slice(0, 16 * mebibyte),
    ],
    ['32 MiB of digits as an individual', fill('{"transactions":[{"individualId":"', '1', '"}]}')],
    ['32 MiB of white space', fill('', ' ', '{}')],
    ['32 MiB, malformed at the end', fill('{"transactions":[', '0,', '0}')],
    ['1 MiB of values in additionalData', `{"additionalData":{"a":[${'0,'.repeat(mebibyte / 2 - 40)}0]}}`, '/User'],
    ['2 MiB of one-byte lines', 'x\n'.repeat(mebibyte), '/app/record-transactions', 'application/x-ndjson'],
    [
      '1 MiB of empty objects as lines',
      '{}\n'.repeat(mebibyte / 3),
      '/app/record-transactions',
      'application/x-ndjson',
    ],
    [
      '100,000 good rows as lines',
      Array.from({ length: 100_000 }, (_, number) =>
        ndjsonRow(random, individualId, 20_000 + number, 1_700_000_000_000 + number),
      ).join(''),
      '/app/record-transactions',
      'application/x-ndjson',
    ],
  ];
}

export async function benchBodies(bench) {
  await bench.sql`insert into users (id, created_at) values (${individualId}, now())`;
  const service = await bench.service();
  const rows = [];
  for (const [what, body, path = '/app/record-transactions', type = 'application/json'] of bodies()) {
    await longestDelay(service);
    const begun = performance.now();
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': type },
      body,
    });
    await response.arrayBuffer();
    const took = performance.now() - begun;
    rows.push({
      what: `${what}: ${response.status}`,
      delay: round((await longestDelay(service)) * 1000, 1),
      took: round(took),
    });
  }
  await service.stop();
  return {
    title: 'Bodies that could hold up the event loop',
    columns: { delay: 'longest delay, ms', took: 'answered after, ms' },
    rows,
    notes: [
      'The delay is the longest that `monitorEventLoopDelay` saw in the service, with its resolution of 10 ms, which it includes.',
    ],
    goals: [
      {
        what: 'ms that any one body holds up the event loop',
        is: Math.max(...rows.map(({ delay }) => delay)),
        most: 50,
      },
    ],
  };
}

/** Since it was last asked. */
async function longestDelay({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds ([\d.e-]+)/m.exec(text)[1]);
}
