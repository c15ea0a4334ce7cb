/** The HTTP server: accepts connections, and sends and observes every answer. The checks are in `pipeline.ts`. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { Problem } from '../errors.ts';
import type { Observer } from '../monitoring/observe.ts';
import { eventStreamType } from '../formats/event-stream.ts';
import type { RequestSpan, RequestTracing, TracedRequest } from '../tracing/tracing.ts';
import { ArrivingBodies } from './connections/arriving-bodies.ts';
import { createProxyCheck } from './client-address.ts';
import { allowSlowReading, ConnectionTable, type ConnectionLimits } from './connections/connections.ts';
import { createCors, isPreflight } from './cors.ts';
import { acceptsEncoding, compressAnswer, compressedFromBytes } from './encoding.ts';
import { createFailureReply } from './failure.ts';
import { linger } from './connections/linger.ts';
import { notFoundPage } from './not-found-page.ts';
import type { Reply } from './operation.ts';
import { PendingAnswers } from './pending-answers.ts';
import { createPipeline, type Answer, type PipelineOptions } from './pipeline.ts';
import { newRecord, noOperation, type RequestRecord } from './request-record.ts';
import { traceIdFor } from './trace.ts';
import { createUnreadableAnswer } from './body/unreadable.ts';

export interface ServerOptions extends PipelineOptions {
  observer: Observer;
  connections: ConnectionLimits;
  /** The entry of the catalogue for an error of the database; undefined if it is a defect. */
  translate(error: unknown): Problem | undefined;
  corsOrigins: string[];
  /** Whether callers should open their next connection elsewhere. */
  isStopping(): boolean;
  /** Absent while tracing is off. */
  tracing?: RequestTracing | undefined;
}

/** In logs and metrics only: the caller left before the answer. Other servers use the same number. */
const callerGoneStatus = 499;

/** A connection without any traffic for this long is closed. */
const idleMilliseconds = 75_000;

/** Time limit for the head of a request. The body has its own time limit, and a stream of rows has none. */
const headersMilliseconds = 30_000;

export function createServer(options: ServerOptions): Server {
  const { observer } = options;
  const hasCors = options.corsOrigins.length > 0;
  const cors = createCors(options.corsOrigins);
  const pendingAnswers = new PendingAnswers();
  const bodies = new ArrivingBodies();
  const connections = new ConnectionTable({
    ...options.connections,
    bodies,
    isProxy: createProxyCheck(options.trustedProxies),
    report: (error) => observer.observeDefect(error, 'connections'),
  });
  const answer = createPipeline(options, pendingAnswers, bodies, connections);
  const failureReply = createFailureReply({ translate: options.translate, observeDefect: observer.observeDefect });

  /** Names and values in turn: Node takes a list as it is, and would copy an object. */
  function headersOf(request: IncomingMessage, reply: Reply, record: RequestRecord): (string | number)[] {
    const own = reply.headers ?? {};
    const headers: (string | number)[] = ['request-id', record.traceId];
    for (const name in own) headers.push(name, own[name]!);
    if (reply.contentType !== undefined) {
      headers.push('content-type', reply.contentType, 'x-content-type-options', 'nosniff');
    }
    // What a token opens is not kept by a browser or a proxy.
    if (record.needsToken && own['cache-control'] === undefined) headers.push('cache-control', 'no-store');
    if (hasCors) headers.push(...Object.entries(cors(request.method!, request.headers)).flat());
    // After a body that was not read to its end, the start of the next request is unknown. A server that is stopping
    // sends its callers to another one.
    const isLast = reply.status === 413 || reply.status === 408 || connections.isSpare(request.socket);
    if (isLast || options.isStopping()) headers.push('connection', 'close');
    return headers;
  }

  /** Whether an answer is compressed before it is sent. Answers without a token are short, or files. */
  function isCompressed(request: IncomingMessage, { body, contentType, headers }: Reply, record: RequestRecord) {
    return (
      (typeof body === 'string' || Buffer.isBuffer(body)) &&
      body.length >= compressedFromBytes &&
      record.needsToken &&
      contentType?.startsWith('application/json') === true &&
      headers?.['content-encoding'] === undefined &&
      acceptsEncoding(request.headers, 'gzip')
    );
  }

  async function sendCompressed(
    request: IncomingMessage,
    response: ServerResponse,
    reply: Reply,
    record: RequestRecord,
  ): Promise<void> {
    const body = await compressAnswer(reply.body as string | Buffer);
    const headers = { ...reply.headers, vary: 'accept-encoding', 'content-encoding': 'gzip' };
    send(request, response, { ...reply, body, headers }, record);
  }

  function send(request: IncomingMessage, response: ServerResponse, reply: Reply, record: RequestRecord): void {
    const { status, body } = reply;
    if (isCompressed(request, reply, record)) {
      sendCompressed(request, response, reply, record).catch((error: unknown) => giveUp(error, response, record));
      return;
    }
    const headers = headersOf(request, reply, record);
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
      const length = body === undefined ? 0 : Buffer.byteLength(body);
      // In a 304 it would be the length of the answer that the caller has (RFC 9110 section 8.6).
      if (status !== 204 && status !== 304) headers.push('content-length', length);
      response.writeHead(status, headers);
      if (status === 413 && body !== undefined && !request.complete) {
        record.answeredAt = performance.now();
        linger(request, response, body, options.isStopping);
      } else {
        bodies.drop(request);
        // ASCII text is the same in Latin-1, which takes less time to write.
        response.end(body, length === body?.length ? 'latin1' : 'utf8');
        if (record.owner) pendingAnswers.note(response, record.owner, length);
      }
      return;
    }
    if (request.method === 'HEAD') {
      body.destroy();
      return void response.writeHead(status, headers).end();
    }
    // An event stream has no fixed end, so the request counts as answered when the stream begins.
    if (reply.contentType === eventStreamType) {
      record.answeredAt = performance.now();
      allowSlowReading(response);
    }
    // The caller of a pipelined request may have left before this answer was due. Then the body would be neither read
    // nor closed.
    if (response.destroyed) return void body.destroy();
    record.body = body;
    // `pipeline` adds more listeners than Node's default limit.
    response.setMaxListeners(20);
    // Until the first chunk is there, an error can still become an error answer. After that the connection is closed.
    once(body, 'readable')
      .then(
        () => {
          if (response.destroyed) return;
          // How it ended is observed when the response is closed.
          pipeline(body, response.writeHead(status, headers), ignoreEnd);
        },
        (error) => {
          record.body = undefined;
          send(request, response, failureReply(error, record), record);
        },
      )
      .catch((error: unknown) => giveUp(error, response, record));
  }

  /** The caller has the status already, and sees an answer without an end. The log and the metrics have the error. */
  function cutOff(error: Error, record: RequestRecord): number {
    const { status } = failureReply(error, record);
    record.refusal = { reason: 'internal', ...record.refusal, detail: 'The answer was cut off.' };
    return status;
  }

  function statusOf(response: ServerResponse, record: RequestRecord): number {
    // If the caller left, the body has no error yet.
    if (record.body?.errored) return cutOff(record.body.errored, record);
    const { answeredAt } = record;
    const isAnswered = response.writableFinished || (answeredAt !== undefined && response.headersSent);
    return isAnswered ? response.statusCode : callerGoneStatus;
  }

  /** An answer that cannot be sent is a defect. The caller sees that the connection is closed. */
  function giveUp(error: unknown, response: ServerResponse, record: RequestRecord): void {
    observer.observeDefect(error, record.traceId);
    response.destroy();
  }

  function serve(request: IncomingMessage, response: ServerResponse, span?: RequestSpan): void {
    const startedAt = performance.now();
    const record = newRecord(span?.traceparent ?? traceIdFor(request.headers.traceparent as string | undefined));
    // Newer versions of Node also close an answer that was never sent, after we have: see connections.ts.
    response.once('close', () => {
      const status = statusOf(response, record);
      record.body?.destroy();
      observer.observeRequest({
        method: request.method!,
        operation: record.operation,
        status,
        milliseconds: Math.round(((record.answeredAt ?? performance.now()) - startedAt) * 100) / 100,
        traceId: record.traceId,
        client: record.caller?.client,
        ...record.refusal,
      });
      span?.end({ route: record.route, status });
    });
    const trySend = (make: () => Reply) => {
      try {
        send(request, response, make(), record);
      } catch (error) {
        giveUp(error, response, record);
      }
    };
    response.on('error', (error) => giveUp(error, response, record));
    if (hasCors && isPreflight(request.method!, request.headers)) return trySend(() => ({ status: 204 }));
    const refuse = (error: unknown) =>
      trySend(() => {
        const reply = failureReply(error, record);
        return reply.status === 404 && record.operation === noOperation ? notFoundPage(request, reply) : reply;
      });
    const settle = (answered: Answer) => (answered instanceof Problem ? refuse(answered) : trySend(() => answered));
    let answered;
    try {
      answered = answer(request, response, record);
    } catch (error) {
      return refuse(error);
    }
    if (answered instanceof Promise) answered.then(settle, refuse);
    else settle(answered);
  }

  const server = createHttpServer(
    {
      keepAliveTimeout: idleMilliseconds,
      headersTimeout: headersMilliseconds,
      requestTimeout: 0,
      // Refused by us: Node's own 400 has no body.
      requireHostHeader: false,
    },
    (request, response) =>
      options.tracing
        ? options.tracing.run(request as TracedRequest, (span) => serve(request, response, span))
        : serve(request, response),
  );
  server.setTimeout(idleMilliseconds);
  // Their size is limited. With a limit on their number Node would leave out the last ones without a word: a caller could
  // send so many that those which a proxy adds, such as X-Forwarded-For, are not seen.
  server.maxHeadersCount = 0;
  connections.attach(server);
  server.on('clientError', createUnreadableAnswer(observer));
  // RFC 9110 section 10.1.1 lets a server ignore an unknown expectation; Node's own 417 would have no Error-Reason.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

function ignoreEnd(): void {}
