/** How every call of the client behaves: tokens, time limits, retries, reports, streams. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientCredentials, createClient, LedgerlineError, parseExact, type AnswerReport } from '../../client/index.ts';
import { createPhoneClient } from '../../client/phone-client.ts';
import { createTransactionsClient } from '../../client/transactions-client.ts';
import { failure } from '../harness/client.ts';
import { until } from '../harness/until.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const status = '{"isPhoneNumberVerified":false,"phoneNumber":null,"verifiedAt":null}';

describe('tokens', () => {
  it('twenty calls that are refused with one token ask for one new token', async () => {
    const baseUrl = await serve(({ headers }, response) => {
      if (headers.authorization === 'Bearer new') response.end(status);
      else response.writeHead(401).end();
    });
    const asked: boolean[] = [];
    const token = async (refused: boolean) => {
      asked.push(refused);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return refused ? 'new' : 'old';
    };
    const client = createClient({ baseUrl, token });
    await Promise.all(Array.from({ length: 20 }, () => client.userStatus(1)));
    expect(asked.filter(Boolean)).toHaveLength(1);
  });

  it('an abort ends a call that waits for its token, and one hung token request blocks no call for ever', async () => {
    let asked = 0;
    const token = () => {
      asked += 1;
      return new Promise<string>(() => {});
    };
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', token, retries: 0 });
    const controller = new AbortController();
    const call = failure(client.userStatus(1, { signal: controller.signal }));
    await until(() => asked === 1);
    controller.abort();
    expect((await call).kind).toBe('aborted');
    const late = await failure(client.userStatus(1, { timeoutSeconds: 0.05 }));
    expect([late.kind, late.cause]).toEqual(['offline', 'no answer within 0.05 s']);
  });

  it('a request for a token is repeated as often as the call may be, which is sent once', async () => {
    const paths: string[] = [];
    const baseUrl = await serve((request, response) => {
      paths.push(request.url!);
      if (request.url === '/User') response.end('{"id":1}');
      else if (paths.length === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (paths.length === 2) request.socket.destroy();
      else response.end('{"access_token":"t","expires_in":600}');
    });
    const client = () =>
      createClient({ baseUrl, token: clientCredentials({ baseUrl, clientId: 'a', clientSecret: 'b' }) });
    expect((await failure(client().createUser({}, { retries: 0 }))).kind).toBe('unavailable');
    paths.length = 0;
    expect(await client().createUser()).toEqual({ id: 1 });
    expect(paths).toEqual(['/connect/token', '/connect/token', '/connect/token', '/User']);
  });

  it('a token function that fails makes a LedgerlineError with its cause', async () => {
    const cause = new Error('signed out');
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: () => Promise.reject(cause) });
    const error = await failure(client.userStatus(1));
    expect(error).toBeInstanceOf(LedgerlineError);
    expect([error.kind, error.cause]).toEqual(['unauthorized', cause]);
  });
});

describe('each call', () => {
  it('has its own time limit and number of retries', async () => {
    let requests = 0;
    const baseUrl = await serve(() => (requests += 1));
    const client = createClient({ baseUrl, token: 't' });
    const error = await failure(client.userStatus(1, { timeoutSeconds: 0.1, retries: 1 }));
    expect(error.kind).toBe('offline');
    expect(requests).toBe(2);
  });

  it('reports every answer with its request id, also those that are repeated', async () => {
    let requests = 0;
    const baseUrl = await serve((_request, response) => {
      requests += 1;
      response.writeHead(requests === 1 ? 503 : 200, { 'request-id': `r${requests}`, 'retry-after': '0' }).end(status);
    });
    const reports: AnswerReport[] = [];
    const client = createClient({ baseUrl, token: 't', onAnswer: (report) => reports.push(report) });
    await client.userStatus(1);
    expect(reports).toMatchObject([
      { method: 'GET', path: '/User/1/status', status: 503, requestId: 'r1' },
      { status: 200, requestId: 'r2' },
    ]);
  });

  it('fails with what onAnswer throws, and is not repeated', async () => {
    let requests = 0;
    const baseUrl = await serve((_request, response) => {
      requests += 1;
      response.end(status);
    });
    const fault = new Error('a defect of the app');
    const onAnswer = () => {
      throw fault;
    };
    const client = createClient({ baseUrl, token: 't', onAnswer });
    await expect(client.userStatus(1)).rejects.toBe(fault);
    await expect(client.live(1).next()).rejects.toBe(fault);
    expect(requests).toBe(2);
  });

  it('isReady makes one request, and takes the options of a call', async () => {
    let requests = 0;
    const stopping = { 'error-reason': 'stopping', 'retry-after': '0' };
    const away = await serve((_request, response) => {
      requests += 1;
      response.writeHead(503, stopping).end();
    });
    const reports: AnswerReport[] = [];
    const onAnswer = (report: AnswerReport) => reports.push(report);
    expect(await createClient({ baseUrl: away }).isReady({ onAnswer })).toBe(false);
    expect([requests, reports.length]).toEqual([1, 1]);
    const hung = createClient({ baseUrl: await serve(() => undefined) });
    expect(await hung.isReady({ timeoutSeconds: 0.05 })).toBe(false);
  });

  it('an error without a body has the id of its request; an answer that is no JSON is an error too', async () => {
    const refused = await serve((_request, response) => response.writeHead(401, { 'request-id': 'r7' }).end());
    expect((await failure(createClient({ baseUrl: refused, token: 't' }).userStatus(1))).traceId).toBe('r7');
    const broken = await serve((_request, response) => response.writeHead(200, { 'request-id': 'r8' }).end('<html>'));
    const error = await failure(createClient({ baseUrl: broken, token: 't' }).userStatus(1));
    expect([error.kind, error.traceId]).toEqual(['unavailable', 'r8']);
  });

  it('frees the connection of an answer that is repeated', async () => {
    let requests = 0;
    let closed = 0;
    const baseUrl = await serve((request, response) => {
      requests += 1;
      if (requests > 1) return response.end(status);
      request.socket.once('close', () => (closed += 1));
      // A body without an end.
      response.writeHead(503, { 'retry-after': '0' }).write('x');
    });
    await createClient({ baseUrl, token: 't' }).userStatus(1);
    await until(() => closed === 1);
  });
});

describe('sending', () => {
  it('a new number is not held up by the pause of the old one', async () => {
    const headers = { 'code-length': '6', 'code-expires-in': '600' };
    const baseUrl = await serve((_request, response) => response.writeHead(204, headers).end());
    const client = createPhoneClient({ baseUrl, token: 't', resendSeconds: 60 });
    const sent = await client.sendCode({ id: 1, phoneNumber: '+447400123456' });
    expect(sent).toEqual({ alreadyVerified: false, codeLength: 6, expiresInSeconds: 600 });
    expect((await failure(client.sendCode({ id: 1, phoneNumber: '+447400123456' }))).kind).toBe('too-many');
    await client.sendCode({ id: 1, phoneNumber: '+447400123457' });
    expect(client.secondsUntilResend(1)).toBeGreaterThan(50);
  });

  it('says that the user is verified already, and then there is nothing to wait for', async () => {
    const baseUrl = await serve((_request, response) => response.writeHead(204).end());
    const client = createPhoneClient({ baseUrl, token: 't' });
    expect(await client.sendCode({ id: 1, phoneNumber: '+447400123456' })).toEqual({ alreadyVerified: true });
    expect(client.secondsUntilResend(1)).toBe(0);
  });
});

describe('streams', () => {
  it('a message with U+2028 arrives whole', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: changed\ndata: {"sequence":1,"transactionCount":2,"note":"a\u2028b"}\n\n');
    });
    const controller = new AbortController();
    const client = createTransactionsClient({ baseUrl, token: 't' });
    for await (const state of client.live(1, { signal: controller.signal })) {
      expect(state).toEqual({ sequence: 1, transactionCount: 2, note: 'a\u2028b' });
      controller.abort();
    }
    expect.assertions(1);
  });

  it('following events goes on after the service was away', async () => {
    let requests = 0;
    const baseUrl = await serve((_request, response) => {
      requests += 1;
      if (requests <= 2) response.writeHead(503, { 'retry-after': '0' }).end();
      else response.end('{"events":[{"id":"e1"}],"next":"c1"}');
    });
    const client = createClient({ baseUrl, token: 't', retries: 0 });
    for await (const page of client.events.follow()) {
      expect(page.next).toBe('c1');
      break;
    }
    expect(requests).toBe(3);
  });

  it('following waits when an answer asks for longer than a timer runs', async () => {
    let requests = 0;
    const baseUrl = await serve((_request, response) => {
      requests += 1;
      response.writeHead(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }).end();
    });
    const options = () => ({ signal: AbortSignal.timeout(300), retries: 0 });
    const read = async (stream: AsyncIterable<unknown>) => {
      for await (const _ of stream) expect.fail();
    };
    await read(createClient({ baseUrl, token: 't' }).events.follow(options()));
    await read(createTransactionsClient({ baseUrl, token: 't' }).live(1, options()));
    expect(requests).toBeLessThanOrEqual(2);
  });

  it('a call without a limit of its time gets its answer', async () => {
    const baseUrl = await serve((_request, response) => void response.end(status));
    const client = createClient({ baseUrl, token: 't', timeoutSeconds: Infinity });
    expect(await client.userStatus(1)).toMatchObject({ isPhoneNumberVerified: false });
  });

  it('following events takes the options of a call, and sends only the filter', async () => {
    const paths: string[] = [];
    const baseUrl = await serve(({ url }, response) => {
      paths.push(url!);
      response.end('{"events":[{"id":"e1"}],"next":"c1"}');
    });
    const reports: AnswerReport[] = [];
    const onAnswer = (report: AnswerReport) => reports.push(report);
    const options = { type: 'user.created', userId: 1, retries: 0, timeoutSeconds: 5, onAnswer } as const;
    for await (const _ of createClient({ baseUrl, token: 't' }).events.follow(options)) break;
    expect(paths).toEqual(['/events?type=user.created&userId=1']);
    expect(reports).toHaveLength(1);
  });
});

describe('sync and mirror', () => {
  const page = JSON.stringify({ added: [{ transactionId: 'a' }], modified: [], nextCursor: 'c1', hasMore: false });

  /** A service with a stream of one state. `answer` answers the requests for changes, which are numbered from 1. */
  async function serveChanges(answer: (response: ServerResponse, number: number) => void): Promise<string> {
    let requests = 0;
    return serve(({ url }, response) => {
      if (url!.startsWith('/app/live')) response.write('data: {"sequence":1,"transactionCount":1}\n\n');
      else answer(response, (requests += 1));
    });
  }

  it('take the options of a call', async () => {
    const baseUrl = await serveChanges((response) => response.end(page));
    const client = createTransactionsClient({ baseUrl, token: 't' });
    const paths: string[] = [];
    const onAnswer = ({ path }: AnswerReport) => paths.push(path);
    for await (const _ of client.sync(1, { onAnswer })) break;
    for await (const _ of client.mirror(1, { onAnswer })) break;
    expect(paths).toEqual(['/app/sync-transactions', '/app/live?individualId=1', '/app/sync-transactions']);
    const hung = createTransactionsClient({ baseUrl: await serve(() => undefined), token: 't' });
    const late = await failure(hung.sync(1, { timeoutSeconds: 0.05, retries: 0 }).next());
    expect([late.kind, late.cause]).toEqual(['offline', 'no answer within 0.05 s']);
  });

  it('a mirror goes on after the service was away, and throws what another try does not solve', async () => {
    const baseUrl = await serveChanges((response, number) => {
      if (number === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else response.end(page);
    });
    const mirror = createTransactionsClient({ baseUrl, token: 't', retries: 0 }).mirror(1);
    for await (const { added } of mirror) {
      expect(added).toHaveLength(1);
      break;
    }
    expect.assertions(3);
    const forbidding = await serveChanges((response) => response.writeHead(403).end());
    const refused = createTransactionsClient({ baseUrl: forbidding, token: 't' }).mirror(1);
    expect((await failure(refused[Symbol.asyncIterator]().next())).kind).toBe('forbidden');
  });

  it('a mirror ends if it is aborted while it reads the changes', async () => {
    const controller = new AbortController();
    const baseUrl = await serveChanges(() => controller.abort());
    const mirror = createTransactionsClient({ baseUrl, token: 't' }).mirror(1, { signal: controller.signal });
    expect(await mirror[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });
});

it('amounts inside a customer’s additional data are left as they are', () => {
  const text = '{"amount":1.50,"additionalData":{"amount":2.50,"list":[{"amount":3}]},"other":4.0}';
  expect(parseExact(text)).toEqual({
    amount: 1.5,
    amountText: '1.50',
    additionalData: { amount: 2.5, list: [{ amount: 3 }] },
    other: 4,
    otherText: '4.0',
  });
});
