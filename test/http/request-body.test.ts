/** Bodies of requests on the wire, whatever the operation. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeBytes } from '../harness/raw-socket.ts';
import {
  expectTraceId,
  invalidField,
  newPhone,
  startService,
  type CallOptions,
  type Service,
} from '../harness/service.ts';

const run = promisify(execFile);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const verify = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.call('/User/phone-number/verify', undefined, { raw, headers });

const exchange = (bytes: string | Uint8Array, until?: RegExp) => exchangeBytes(service.url, bytes, until);

/** Announces a body of so many bytes, too many, and sends none of it yet. */
async function overlong(bytes: number, to = service) {
  const { hostname, port } = new URL(to.url);
  const token = await to.token();
  const socket = connect(Number(port), hostname);
  let received = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk;
      if (received.includes('}')) resolve();
    });
  });
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  await once(socket, 'connect');
  socket.write(
    `POST /User HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  return { socket, answered, answer };
}

describe('a body', () => {
  it.each([
    'application/json',
    'text/json',
    'application/vnd.api+json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/problem+JSON ; charset=us-ascii',
  ])('may be %s', async (type) => {
    expect((await verify('{"id":1,"code":""}', { 'content-type': type })).status).toBe(400);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/xml',
    'nonsense',
    ';',
    'application/json; charset=klingon',
  ])('is 415 as %s', async (type) => {
    const answer = await verify('{"id":1,"code":"1"}', { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.json).toEqual({
      type: 'https://tools.ietf.org/html/rfc7231#section-6.5.13',
      title: 'Unsupported Media Type',
      status: 415,
      traceId: expectTraceId,
    });
  });

  it('is 415 without a media type, and when compressed', async () => {
    const token = await service.token();
    const answer = await exchange(
      `POST /User HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect((await verify('x', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('may be empty, without a media type and without a length', async () => {
    const head = `POST /User HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await service.token()}\r\n`;
    const chunked = (body: string) => exchange(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body}`);
    expect(await chunked('0\r\n\r\n')).toMatch(/^HTTP\/1\.1 201 /);
    expect(await chunked('2\r\n{}\r\n0\r\n\r\n')).toMatch(/^HTTP\/1\.1 415 /);
  });

  it('is decoded by its charset, and a byte order mark is skipped', async () => {
    const text = '{"id":1,"code":""}';
    const utf16 = await verify(Buffer.from(text, 'utf16le'), { 'content-type': 'application/json; charset=utf-16le' });
    expect(utf16.json.errors).toEqual({ Code: ['The Code field is required.'] });
    expect((await verify(`\uFEFF${text}`)).json.errors).toEqual({ Code: ['The Code field is required.'] });
    const broken = await verify(Buffer.from([0x7b, 0xff, 0x7d]));
    expect([broken.status, Object.keys(broken.json.errors)]).toEqual([400, ['$']]);
  });

  it('that is large and wrong is refused like a small one, also if the path names no user', async () => {
    for (const body of [`{"url": "${'x'.repeat(100_000)}"`, `[${'0,'.repeat(50_000)}0]`]) {
      const answer = await service.call('/webhook-endpoints/none', undefined, { raw: body });
      expect(answer.status).toBe(400);
    }
    expect((await service.call('/webhook-endpoints/none', { description: 'x' })).status).toBe(404);
  });

  it('is required if a member is; the key of the error is empty', async () => {
    for (const answer of [await verify(''), await verify('null'), await service.call('/User/phone-number/verify')]) {
      expect(answer.json).toEqual(invalidField('', 'A non-empty request body is required.'));
    }
  });

  it('may be empty, of any type, if no member is required', async () => {
    expect(
      (await service.call('/User', undefined, { raw: '', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(201);
    expect((await service.call('/User')).status).toBe(201);
  });

  it.each([
    [
      '{',
      'Expected depth to be zero at the end of the JSON payload. There is an open JSON object or array that should be closed.',
    ],
    [
      '{"id":',
      'Expected depth to be zero at the end of the JSON payload. There is an open JSON object or array that should be closed.',
    ],
    [
      '{"id":1',
      'Expected depth to be zero at the end of the JSON payload. There is an open JSON object or array that should be closed.',
    ],
    [
      '{"id":1,}',
      'The JSON object contains a trailing comma at the end which is not supported in this mode. Change the reader options.',
    ],
    [
      '{"id":[1,]}',
      'The JSON array contains a trailing comma at the end which is not supported in this mode. Change the reader options.',
    ],
    ['{id:1}', "'i' is an invalid start of a property name. Expected a '\"'."],
    ["{'id':1}", "''' is an invalid start of a property name. Expected a '\"'."],
    ['{"id" 1}', "'1' is invalid after a property name. Expected a ':'."],
    ['{"id":x}', "'x' is an invalid start of a value."],
    ['{"id":1 2}', "'2' is invalid after a value. Expected either ',', '}', or ']'."],
    ['{"id":1}}', "'}' is invalid after a single JSON value. Expected end of data."],
    ['{"id":nul}', "'nul' is an invalid JSON literal. Expected the literal 'null'."],
    ['{"id":01}', "Invalid leading zero before '1'."],
    [
      '{"id":1.}',
      "'}' is invalid within a number, immediately after a decimal point ('.'). Expected a digit ('0'-'9').",
    ],
    [
      '{"id":-}',
      "'}' is invalid within a number, immediately after a sign character ('+' or '-'). Expected a digit ('0'-'9').",
    ],
    ['{"id":1x}', "'x' is an invalid end of a number. Expected a delimiter."],
    ['{"id":"a', 'Expected end of string, but instead reached end of data.'],
    ['{"id":"\n"}', "'0x0A' is invalid within a JSON string. The string should be correctly escaped."],
    [
      '{"id":"\\x"}',
      "'x' is an invalid escapable character within a JSON string. The string should be correctly escaped.",
    ],
    [
      '{"id":"\\u12G4"}',
      "'G' is not a hex digit following '\\u' within a JSON string. The string should be correctly escaped.",
    ],
    ['{"id":"\\ud800"}', 'Cannot read incomplete UTF-16 JSON text as string with missing low surrogate.'],
    [
      '   ',
      'The input does not contain any JSON tokens. Expected the input to start with a valid JSON token, when isFinalBlock is true.',
    ],
    ['['.repeat(70), 'The maximum configured depth of 64 has been exceeded. Cannot read next JSON array.'],
    ['// no', "'/' is an invalid start of a value."],
  ])('that is malformed JSON is reported in the words of .NET under $: %s', async (raw, sentence) => {
    const answer = await verify(raw);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.errors)).toEqual(['$']);
    expect(answer.json.errors.$[0]).toMatch(/ Path: \$ \| LineNumber: \d+ \| BytePositionInLine: \d+\.$/);
    expect(answer.json.errors.$[0].replace(/ Path: .*$/, '')).toBe(sentence);
    expect(answer.json.title).toBe('One or more validation errors occurred.');
  });

  it('must be an object', async () => {
    expect((await verify('[]')).json.errors.$[0]).toMatch(/^The JSON value could not be converted to VerifyRequest\./);
  });

  it('matches members in any case, uses the last of repeated ones, and ignores unknown ones', async () => {
    expect((await verify('{"ID":1,"cOdE":" ","other":{"a":[]}}')).json.errors).toEqual({
      Code: ['The Code field is required.'],
    });
    expect((await verify('{"id":"x","id":1,"code":"1","CODE":""}')).json.errors).toEqual({
      Code: ['The Code field is required.'],
    });
    expect((await verify('{"__proto__":{"code":"1"},"constructor":1,"id":1}')).json.errors).toEqual({
      Code: ['The Code field is required.'],
    });
  });

  it.each(['1', '"1"', '1.0', '1.000', '1e0', '10e-1', '"1.0"'])('may give an integer as %s', async (id) => {
    expect((await verify(`{"id":${id},"code":""}`)).json.errors).toEqual({ Code: ['The Code field is required.'] });
  });

  it.each(['1.5', '"1.5"', '"x"', '""', '" 1"', 'true', '[]', '{}', '"0x1"', '1e999'])(
    'may not give an integer as %s',
    async (id) => {
      const { errors } = (await verify(`{"id":${id},"code":"1"}`)).json;
      expect(Object.keys(errors)).toEqual(['$.id']);
      expect(errors['$.id'][0]).toMatch(/^The JSON value could not be converted to System\.Int32\./);
    },
  );

  it('is 413 above 1 MiB, announced or not, and the answer arrives', async () => {
    const large = `{"id":1,"code":"${'x'.repeat(1024 * 1024)}"}`;
    const answer = await verify(large);
    expect(answer.status).toBe(413);
    expect(answer.json).toEqual({
      type: 'https://tools.ietf.org/html/rfc7231#section-6.5.11',
      title: 'Payload Too Large',
      status: 413,
      traceId: expectTraceId,
    });
    const chunked = await fetch(`${service.url}/User/phone-number/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      ...{ duplex: 'half' },
    });
    expect(chunked.status).toBe(413);
    expect((await verify(`{"id":1,"code":"","pad":"${'x'.repeat(1024 * 1024 - 40)}"}`)).status).toBe(400);
  });

  it.each([4, 33])('of %i MiB is 413 for a caller that is still sending', async (mebibytes) => {
    // From a process of its own: in ours, caller and service would take turns.
    const script = `
      const [url, token, bytes] = process.argv.slice(1);
      const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
      (async () => {
        for (let round = 0; round < 10; round += 1) {
          const sent = fetch(url, { method: 'POST', headers, body: Buffer.alloc(Number(bytes), ' ') });
          console.log(await sent.then(({ status }) => status, (error) => error.cause?.code));
        }
      })()`;
    const bytes = String(mebibytes * 1024 * 1024);
    const { stdout } = await run(process.execPath, ['-e', script, `${service.url}/User`, await service.token(), bytes]);
    expect(stdout.trim().split('\n')).toEqual(Array(10).fill('413'));
  });

  it('of any size is 413 for a caller that reads only after it has sent everything', async () => {
    const { socket, answer } = await overlong(33 * 1024 * 1024);
    socket.pause();
    for (let sent = 0; sent < 33; sent += 1) {
      if (!socket.write(Buffer.alloc(1024 * 1024))) await once(socket, 'drain');
    }
    socket.resume();
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*"status":413/i);
  });

  it('without an end is not read forever, neither a large nor a slow one', async () => {
    const endless = await overlong(1024 ** 4);
    endless.socket.on('error', () => {});
    const closed = once(endless.socket, 'close').catch(() => {});
    const slow = await overlong(1024 ** 4);
    slow.socket.on('error', () => {});
    let sent = 0;
    while (!endless.socket.destroyed && sent < 500) {
      sent += 1;
      if (!endless.socket.write(Buffer.alloc(1024 * 1024))) {
        await Promise.race([once(endless.socket, 'drain'), closed]).catch(() => {});
      }
    }
    expect(sent).toBeGreaterThan(60);
    expect(sent).toBeLessThan(500);
    const drip = setInterval(() => slow.socket.write(' '), 200);
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 413 /);
    clearInterval(drip);
  }, 30_000);

  it('that is still arriving does not delay a stop', async () => {
    const own = await startService({ LEDGERLINE_STOP_SECONDS: '300' });
    const { socket, answered } = await overlong(1024 ** 4, own);
    socket.on('error', () => {});
    await answered;
    const closed = once(socket, 'close');
    const late = new Promise((resolve) => setTimeout(resolve, 40_000, 'late').unref());
    expect(await Promise.race([own.stop(), late])).toBeUndefined();
    await closed;
  });

  it.each([
    ['POST', '/phone-number/resend-code'],
    ['DELETE', '/phone-number'],
  ])('is checked by %s %s too, which uses none, and nothing is done', async (method, path) => {
    const phone = newPhone();
    const id = await (method === 'POST' ? service.createUser() : service.verifiedUser(phone));
    if (method === 'POST') await service.sendCode(id, phone);
    const status = async () => (await service.call(`/User/${id}/status`, undefined, { method: 'GET' })).text;
    const before = [await status(), await service.messages(phone)];
    const send = (raw: string, more: CallOptions = {}, user: number | string = id) =>
      service.call(`/User/${user}${path}`, undefined, { method, raw, ...more });
    const malformed = await send('{"a":');
    expect([malformed.status, Object.keys(malformed.json.errors)]).toEqual([400, ['$']]);
    expect((await send(' ')).status).toBe(400);
    expect((await send('{', {}, 'x')).status).toBe(400);
    expect((await send('{}', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await send(`{"a":"${'x'.repeat(1024 * 1024)}"}`)).status).toBe(413);
    expect((await send('{', { token: null })).status).toBe(401);
    expect((await send('{', { token: await service.token('transactions:read') })).status).toBe(403);
    expect([await status(), await service.messages(phone)]).toEqual(before);
    expect((await send('{"any":["thing"]}')).status).toBe(204);
  });

  it('is not read before the token: 401 comes at once', async () => {
    const answer = await exchange(
      'POST /User HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});
