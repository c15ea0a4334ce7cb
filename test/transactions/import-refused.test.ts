/** record-transactions as a stream of lines that is refused before its end. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { row, serviceForTest, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** The answer to the start of a stream whose remaining lines never come; '' if the connection is closed without one. */
async function sendStart(service: Service, text: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const token = await service.token();
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /app/record-transactions HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/x-ndjson\r\nContent-Length: ${text.length + 1_000_000}\r\n\r\n${text}`,
      ),
    );
    socket.on('data', (chunk) => {
      received += chunk;
      if (received.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => resolve(received)).on('close', () => resolve(received));
  });
}

it('imports that wait for a lock too long are answered with 503, and the service goes on', async () => {
  const service = await serviceForTest({ LEDGERLINE_STATEMENT_SECONDS: '3' });
  const id = await service.createUser();
  const text = Array.from({ length: 5000 }, () => `${JSON.stringify(row(id))}\n`).join('');
  const answers = await service.sql.begin(async (sql) => {
    await sql`select from users where id = ${id} for update`;
    return Promise.all(Array.from({ length: 4 }, () => sendStart(service, text)));
  });
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer.toLowerCase()).toContain('retry-after: ');
  }
  expect((await service.record([row(id)])).json.results).toMatchObject([{ result: 'created' }]);
  await until(() => service.logLines.filter((line) => line.includes('"status":503')).length === 4);
});
