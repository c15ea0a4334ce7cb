/** The header Error-Reason: one stable name for each error, on every answer that is one. */
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorReference } from '../../src/http/openapi/error-reference.ts';
import { expectDefects } from '../harness/checked-answers.ts';
import {
  newPhone,
  row,
  serviceForTest,
  startService,
  wrongCode,
  type Answer,
  type Service,
} from '../harness/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ LEDGERLINE_CORS_ORIGINS: 'https://app.example' });
});
afterAll(() => service.stop());

const reasonOf = ({ status, headers }: Answer) => [status, headers.get('error-reason')];
const get = (path: string) => service.call(path, undefined, { method: 'GET' });

/** Sends bytes as they are and reads the whole answer. */
async function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  return text(socket);
}

describe('errors of a request', () => {
  it('invalid-request for a member that is missing, out of range or of the wrong type', async () => {
    for (const body of [{}, { id: 0, code: '1' }, { id: 'x', code: '1' }, [1]]) {
      expect(reasonOf(await service.call('/User/phone-number/verify', body))).toEqual([400, 'invalid-request']);
    }
    expect(reasonOf(await get('/operator/overview?days=0'))).toEqual([400, 'invalid-request']);
  });

  it('malformed-body for a body that is not JSON, or missing where one is required', async () => {
    const verify = '/User/phone-number/verify';
    for (const raw of ['{', '', 'null', '\xff']) {
      const answer = await service.call(verify, undefined, { raw, headers: { 'content-type': 'application/json' } });
      expect([raw, ...reasonOf(answer)]).toEqual([raw, 400, 'malformed-body']);
    }
    expect(reasonOf(await service.call(verify))).toEqual([400, 'malformed-body']);
  });

  it('unsupported-media-type and body-too-large', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(reasonOf(await service.call('/User', {}, { headers }))).toEqual([415, 'unsupported-media-type']);
    const raw = ' '.repeat(1024 * 1024 + 1);
    expect(reasonOf(await service.call('/User', undefined, { raw }))).toEqual([413, 'body-too-large']);
  });

  it('not-found for an unknown path and method-not-allowed for a wrong method', async () => {
    expect(reasonOf(await get('/nowhere'))).toEqual([404, 'not-found']);
    const wrong = await get('/User');
    expect([...reasonOf(wrong), wrong.headers.get('allow')]).toEqual([405, 'method-not-allowed', 'POST']);
  });

  it.each([
    ['GET / HTTP/1.1\r\n\r\n', 400],
    ['NOT HTTP AT ALL\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('malformed-request (case %#) for what is not HTTP', async (bytes, status) => {
    const answer = await exchange(bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^error-reason: malformed-request\r$/im);
  });
});

describe('errors of a token', () => {
  it('invalid-token for any 401', async () => {
    for (const token of [null, 'not-a-token']) {
      expect(reasonOf(await service.call('/User', {}, { token }))).toEqual([401, 'invalid-token']);
    }
  });

  it('missing-scope and not-this-user', async () => {
    const reader = await service.token('transactions:read');
    expect(reasonOf(await service.call('/User', {}, { token: reader }))).toEqual([403, 'missing-scope']);
    const bound = await service.token('phone', 1);
    const answer = await service.call('/User/2/phone-number/resend-code', undefined, { token: bound });
    expect(reasonOf(answer)).toEqual([403, 'not-this-user']);
  });

  it('the codes of RFC 6749 with hyphens on the token endpoint', async () => {
    const ask = (form: Record<string, string>) =>
      service.call('/connect/token', undefined, {
        token: null,
        raw: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const client = { client_id: 'sandbox', client_secret: 'sandbox' };
    const grant = { grant_type: 'client_credentials', ...client };
    expect(reasonOf(await ask({ ...grant, client_secret: 'wrong' }))).toEqual([401, 'invalid-client']);
    expect(reasonOf(await ask(client))).toEqual([400, 'invalid-request']);
    expect(reasonOf(await ask({ ...client, grant_type: 'password' }))).toEqual([400, 'unsupported-grant-type']);
    expect(reasonOf(await ask({ ...grant, scope: 'nothing' }))).toEqual([400, 'invalid-scope']);
    const large = await ask({ ...grant, scope: 'x'.repeat(2 * 1024 * 1024) });
    expect([...reasonOf(large), large.json.error]).toEqual([413, 'invalid-request', 'invalid_request']);
    expect(reasonOf(await get('/connect/token'))).toEqual([405, 'invalid-request']);
  });

  it.each(['/sandbox/clock', '/connect/token'])('sandbox-only for what the sandbox refuses: %s', async (path) => {
    const answer = await service.call(path, {}, { token: null, headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(reasonOf(answer)).toEqual([403, 'sandbox-only']);
  });
});

describe('errors of an operation', () => {
  it('names each refusal of send, resend and verify', async () => {
    const phone = newPhone();
    await service.verifiedUser(phone);
    const id = await service.createUser();
    const resend = `/User/${id}/phone-number/resend-code`;
    expect(reasonOf(await service.call(resend))).toEqual([400, 'nothing-to-resend']);
    expect(reasonOf(await service.sendCode(id, phone))).toEqual([400, 'phone-taken']);
    expect(reasonOf(await service.sendCode(2_147_483_647, newPhone()))).toEqual([404, 'unknown-user']);
    expect(reasonOf(await service.verify(id, '123456'))).toEqual([400, 'invalid-code']);
  });

  it('gives the first reason again for a repeated Idempotency-Key, and idempotency-conflict for another request', async () => {
    const phone = newPhone();
    await service.verifiedUser(phone);
    const id = await service.createUser();
    const headers = { 'idempotency-key': 'k-1' };
    const send = (phoneNumber: string) =>
      service.call('/User/phone-number/send-code', { id, phoneNumber }, { headers });
    for (let time = 0; time < 2; time += 1) expect(reasonOf(await send(phone))).toEqual([400, 'phone-taken']);
    expect(reasonOf(await send(newPhone()))).toEqual([400, 'idempotency-conflict']);
  });

  it('too-many-sends and too-many-failures', async () => {
    const strict = await serviceForTest({ LEDGERLINE_LIMITS: 'user-sends=1/10m' });
    const id = await strict.createUser();
    const phone = newPhone();
    expect((await strict.sendCode(id, phone)).status).toBe(204);
    expect(reasonOf(await strict.sendCode(id, phone))).toEqual([429, 'too-many-sends']);
    const wrong = wrongCode(await strict.lastCode(phone));
    for (let failures = 0; failures < 10; failures += 1) await strict.verify(id, wrong);
    expect(reasonOf(await strict.verify(id, wrong))).toEqual([429, 'too-many-failures']);
  });

  it('user-exists, unknown-user, unknown-individual, no-transactions, unknown-transaction, ambiguous-transaction', async () => {
    const [first, second] = [await service.createUser(), await service.createUser()];
    expect(reasonOf(await service.call('/User', { id: first }))).toEqual([400, 'user-exists']);
    for (const path of ['/User/2147483647/status', '/User/nobody/status']) {
      expect(reasonOf(await get(path))).toEqual([404, 'unknown-user']);
    }
    expect(reasonOf(await service.list({ individualId: 2_147_483_647 }))).toEqual([400, 'unknown-individual']);
    expect(reasonOf(await service.list({ individualId: first }))).toEqual([404, 'no-transactions']);
    const one = (transactionId: string) => service.call('/app/get-transaction', { transactionId });
    expect(reasonOf(await one('nowhere'))).toEqual([404, 'unknown-transaction']);
    await service.record([row(first, { transactionId: 'shared' }), row(second, { transactionId: 'shared' })]);
    expect(reasonOf(await one('shared'))).toEqual([400, 'ambiguous-transaction']);
  });

  it('internal for a defect, whose body is empty', async () => {
    expectDefects(1);
    await service.sql`alter table users rename to users_elsewhere`;
    const answer = await service.call('/User', {});
    await service.sql`alter table users_elsewhere rename to users`;
    expect([...reasonOf(answer), answer.text]).toEqual([500, 'internal', '']);
  });
});

it('a page of a configured origin may read the header', async () => {
  const answer = await service.call('/User', {}, { token: null, headers: { origin: 'https://app.example' } });
  expect(answer.headers.get('access-control-expose-headers')!.split(', ')).toEqual([
    'As-Of',
    'Retry-After',
    'Error-Reason',
    'WWW-Authenticate',
    'Code-Length',
    'Code-Expires-In',
    'Challenge',
    'Location',
    'Request-Id',
  ]);
});

it('docs/errors.md is generated from the catalogue; `npm run generate` updates it', async () => {
  expect(await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8')).toBe(errorReference());
});
