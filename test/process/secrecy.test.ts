/** Nothing in the log, ours and PostgreSQL's own, in a metric or an error holds a code, a token, a secret or a full phone number. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { dataFolder, startProcess } from '../harness/process.ts';
import { newPhone, row } from '../harness/service.ts';

it('a whole run leaves no secret and no personal data in logs, metrics and errors', async () => {
  const dataDir = await dataFolder();
  const service = await startProcess(dataDir, { LEDGERLINE_LOG_LEVEL: 'debug', LEDGERLINE_STATEMENT_SECONDS: '1' });
  const token = await service.token();
  const secrets = new Set([token, ...token.split('.')]);
  const errors: string[] = [];
  const call = async (method: string, pathname: string, bearer: string | null, body?: unknown) => {
    const answer = await service.call(method, pathname, bearer, body);
    if (answer.status >= 400) errors.push(JSON.stringify(answer.json ?? '') + JSON.stringify([...answer.headers]));
    return answer;
  };

  for (let index = 0; index < 5; index += 1) {
    const phone = newPhone();
    secrets.add(phone).add(phone.slice(1));
    const { json: user } = await call('POST', '/User', token, {
      email: 'person@secret.example',
      additionalData: { note: 'private-note' },
    });
    await call('POST', '/User/phone-number/send-code', token, { id: user.id, phoneNumber: phone });
    const { json: messages } = await call('GET', `/sandbox/messages?phoneNumber=${encodeURIComponent(phone)}`, null);
    secrets.add(messages[0].code);
    await call('POST', '/User/phone-number/verify', token, { id: user.id, code: '00000x' });
    await call('POST', '/User/phone-number/verify', token, { id: user.id, code: messages[0].code });
    // Refusals, malformed bodies and bad tokens are where a careless message would quote.
    const { json: other } = await call('POST', '/User', token, {});
    await call('POST', '/User/phone-number/send-code', token, { id: other.id, phoneNumber: phone });
    await call('POST', '/User/phone-number/send-code', token, { id: other.id, phoneNumber: `${phone}x` });
    await call('POST', `/User/${phone}/phone-number/resend-code`, token);
    await call('GET', `/${phone}?token=${token}`, null);
    await call('POST', '/User', `${token}x`, {});
    await call('POST', '/app/record-transactions', token, {
      transactions: [row(user.id, { senderName: 'Secret Person', paymentNotes: phone })],
    });
  }
  const wrong = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'hunter-id',
    client_secret: 'hunter2-secret',
  });
  await fetch(`${service.url}/connect/token`, { method: 'POST', body: wrong });

  // What PostgreSQL itself would quote: a duplicate key, a bad value, a cancelled statement.
  const password = await readFile(path.join(dataDir, 'postgres-password'), 'utf8');
  const port = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[3];
  const sql = postgres(`postgres://ledgerline:${password}@127.0.0.1:${port}/ledgerline`, {
    connection: { search_path: 'ledgerline' },
  });
  const phone = [...secrets].find((secret) => secret.startsWith('+'))!;
  await expect(sql`insert into phone_links (phone, user_id, linked_at) values (${phone}, 1, now())`).rejects.toThrow();
  await expect(sql.unsafe(`select '${phone}'::date`)).rejects.toThrow();
  await sql.begin(async (transaction) => {
    await transaction`lock table transactions in access exclusive mode`;
    const cancelled = await call('POST', '/app/get-all-transactions', token, {
      individualId: 1,
      dataBatch: 1,
      search: phone,
    });
    expect(cancelled.status).toBe(503);
  });
  await sql.end();

  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  await service.end('SIGTERM');
  const keys = await Promise.all(
    ['keys/digest.key', 'keys/signing.pem'].map((file) => readFile(path.join(dataDir, file), 'utf8')),
  );
  for (const line of keys.flatMap((key) => key.split('\n'))) if (line.length > 20) secrets.add(line);
  secrets
    .add(password)
    .add('person@secret.example')
    .add('private-note')
    .add('Secret Person')
    .add('hunter2-secret')
    .add('hunter-id');

  const written = {
    log: service.output.stdout + service.output.stderr,
    postgres: await readFile(path.join(dataDir, 'postgres.log'), 'utf8'),
    metrics,
    errors: errors.join('\n'),
  };
  expect(written.log).toContain('"msg":"code-sent"');
  expect(written.errors).toContain('Phone already registered');
  for (const [where, text] of Object.entries(written)) {
    // A trace id may hold six digits by chance.
    const readable = text.replaceAll(/00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]/g, '').replaceAll(/"time":"[^"]+"/g, '');
    for (const secret of secrets) expect([where, secret, holds(readable, secret)]).toEqual([where, secret, false]);
  }
});

/** Six digits may stand inside a longer number by chance, such as a count of bytes. */
function holds(text: string, secret: string): boolean {
  return /^\d+$/.test(secret) ? new RegExp(`(?<!\\d)${secret}(?!\\d)`).test(text) : text.includes(secret);
}
