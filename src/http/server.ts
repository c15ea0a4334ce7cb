/** The HTTP server: every request takes the same way through here. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Caller } from '../auth/caller.ts';
import { reasonOfTokenError, TokenError } from '../auth/token-error.ts';
import type { Verifier } from '../auth/verifier.ts';
import {
  internalError,
  malformedRequest,
  notTheirs,
  Problem,
  requestTimedOut,
  scopeMissing,
  wrongMethod,
  type ErrorReason,
  CallerGone,
} from '../errors.ts';
import type { Observer } from '../observe.ts';
import type { RequestSpan, RequestTracing, TracedRequest } from '../tracing/tracing.ts';
import type { Admission } from '../admission.ts';
import { Slots } from '../slots.ts';
import { createClientAddress, type TrustedProxies } from './client-address.ts';
import { createCors, isPreflight } from './cors.ts';
import {
  bearerToken,
  checkHost,
  checkMediaType,
  hasBody,
  isStreamed,
  pathId,
  readBytes,
  readInput,
  takeAddress,
} from './incoming.ts';
import { allowSlowReading, limitConnections, limitRest, type ConnectionLimits } from './connections.ts';
import { linger } from './linger.ts';
import { RequestOwner } from './request-owner.ts';
import { jsonType, noStore, queryOf, type AnyOperation, type Context, type Reply } from './operation.ts';
import { problemBody, problemReply, problemType, reasonHeader, titleOf } from './problem.ts';
import { createRouting, type Found } from './routing.ts';
import { traceIdFor } from './trace.ts';

export interface ServerOptions {
  operations: AnyOperation[];
  verifier: Verifier;
  observer: Observer;
  admission: Admission;
  connections: ConnectionLimits;
  /** What an error from below means to a caller, where it is none of ours. */
  translate(error: unknown): Problem | undefined;
  /** Refuses a request to an operation that is local in the sandbox, before anything else is looked at. */
  guard?(headers: IncomingHttpHeaders): void;
  corsOrigins: string[];
  /** Whether callers should open their next connection elsewhere. */
  isStopping(): boolean;
  /** Absent while tracing is off. */
  tracing?: RequestTracing | undefined;
  /** Proxies whose word on the client's address is taken. */
  trustedProxies: TrustedProxies;
}

const largestBody = 1024 * 1024;

/** Streams of rows that are read at once. Each holds some batches in memory. */
const maxStreams = 16;

/** Bodies above `largestBody` that are read at once. One of 32 MiB takes about 150 MiB until it is answered. */
const maxLargeBodies = 3;

/** A connection on which nothing moves for so long is closed. */
const idleMilliseconds = 75_000;

/** The head of a request arrives within this. Its body has a time limit of its own, and a stream of rows none. */
const headersMilliseconds = 30_000;

/** What is known of a request by the time its answer is logged. */
interface Course {
  traceId: string;
  operation: string;
  /** The path of the operation, with its parameters' names. */
  route?: string;
  caller: Caller | undefined;
  oauthErrors: boolean;
  /** Why the request was refused. */
  refusal?: Refusal;
  /** Where the connection outlives the answer. */
  answeredAt?: number;
}

export function createServer(options: ServerOptions): Server {
  const { verifier, observer, guard, admission } = options;
  const streamSlots = new Slots({ slots: maxStreams, waiting: 0, waitMilliseconds: 0, retrySeconds: 10 });
  const largeBodySlots = new Slots({
    slots: maxLargeBodies,
    waiting: 64,
    waitMilliseconds: 10_000,
    retrySeconds: 1,
  });
  const route = createRouting(options.operations);
  const cors = createCors(options.corsOrigins);
  const clientAddressOf = createClientAddress(options.trustedProxies);

  /** In this order: who calls, whether they may, and only then what they sent. */
  async function answer(request: IncomingMessage, response: ServerResponse, course: Course): Promise<Reply> {
    checkHost(request);
    takeAddress(request);
    const { operation, allowed, id }: Found = route(request.method!, request.url!);
    const { headers } = request;
    course.oauthErrors = operation.oauthErrors ?? false;
    if (allowed) throw wrongMethod(allowed);
    course.operation = operation.name;
    course.route = operation.path;
    if (!operation.isVital) admission.check();
    if (operation.isLocalInSandbox) guard?.(headers);
    if (operation.scopes) {
      const verified = verifier(bearerToken(headers.authorization));
      course.caller = verified instanceof Promise ? await verified : verified;
      checkScope(operation, course.caller);
    }
    const sent = hasBody(headers);
    if (sent && !operation.rawBody) checkMediaType(operation, headers);
    const caller = course.caller!;
    const owner = new RequestOwner(caller, response);
    const asked = { headers, address: request.url!, bytes: undefined, clientAddress: () => clientAddressOf(request) };
    if (sent && isStreamed(operation, headers)) {
      const context = { id: 0, caller, owner, request: asked };
      return streamSlots.run(owner, () => operation.streams!.handle(context, request));
    }
    const release = sent && mayBeLarge(operation, headers) ? await largeBodySlots.take(owner) : undefined;
    try {
      const bytes = sent ? await readBytes(request, operation.largestBody ?? largestBody) : undefined;
      const input = operation.rawBody ? undefined : readInput(operation, bytes, headers['content-type']);
      const context: Context<unknown, unknown> = {
        id: pathId(id, operation.unknownId),
        body: input instanceof Promise ? await input : input,
        query: operation.query?.read(queryOf(request.url!)),
        caller,
        owner,
        request: { ...asked, bytes },
      };
      checkUser(operation, context);
      return await handle(operation, context);
    } finally {
      release?.();
    }
  }

  async function handle(operation: AnyOperation, context: Context<unknown, unknown>): Promise<Reply> {
    if (operation.isVital) return operation.handle(context);
    admission.enter(context.owner);
    try {
      return await operation.handle(context);
    } finally {
      admission.leave(context.owner);
    }
  }

  function failure(error: unknown, course: Course): Reply {
    const { traceId, oauthErrors } = course;
    if (error instanceof TokenError) return tokenErrorReply(error);
    // Nobody reads this answer: the connection is closed.
    if (error instanceof CallerGone) return problemReply(malformedRequest().details, traceId);
    const problem = error instanceof Problem ? error : options.translate(error);
    if (!problem) observer.observeDefect(error, traceId);
    else course.refusal = refusalOf(problem);
    if (problem && oauthErrors) return tokenProblemReply(problem);
    return problemReply((problem ?? internalError()).details, traceId);
  }

  function headersOf(request: IncomingMessage, reply: Reply): Record<string, string | number> {
    const headers: Record<string, string | number> = { ...reply.headers };
    if (reply.contentType !== undefined) headers['content-type'] = reply.contentType;
    if (options.corsOrigins.length > 0) {
      const { vary, ...shared } = cors(request.method!, request.headers);
      Object.assign(headers, shared, { vary: headers.vary === undefined ? vary : `${headers.vary}, ${vary}` });
    }
    // After too much was sent there is no telling where the next request would begin. A server that stops sends its
    // callers elsewhere.
    if (reply.status === 413 || reply.status === 408 || options.isStopping()) headers.connection = 'close';
    return headers;
  }

  function send(request: IncomingMessage, response: ServerResponse, reply: Reply, course: Course): void {
    const { status, body } = reply;
    const headers = headersOf(request, reply);
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
      if (status !== 204) headers['content-length'] = body === undefined ? 0 : Buffer.byteLength(body);
      response.writeHead(status, headers);
      if (status === 413 && body !== undefined && !request.complete) {
        course.answeredAt = performance.now();
        linger(request, response, body, () => !server.listening);
      } else {
        limitRest(request);
        response.end(body);
      }
      return;
    }
    if (reply.contentType?.startsWith('text/event-stream')) allowSlowReading(response);
    // Until its first part is there, it can still become another answer; after that a caller only sees it break off.
    once(body, 'readable').then(
      () => pipeline(body, response.writeHead(status, headers), () => {}),
      (error) => send(request, response, failure(error, course), course),
    );
  }

  const server = createHttpServer(
    {
      keepAliveTimeout: idleMilliseconds,
      headersTimeout: headersMilliseconds,
      requestTimeout: 0,
      // Ours to refuse: Node would do so without a body.
      requireHostHeader: false,
    },
    (request, response) =>
      options.tracing
        ? options.tracing.run(request as TracedRequest, (span) => serve(request, response, span))
        : serve(request, response),
  );

  function serve(request: IncomingMessage, response: ServerResponse, span?: RequestSpan): void {
    const begun = performance.now();
    const course: Course = {
      traceId: span ? formatTraceId(span) : traceIdFor(request.headers.traceparent as string | undefined),
      operation: 'none',
      caller: undefined,
      oauthErrors: false,
    };
    response.on('close', () => {
      observer.observeRequest({
        method: request.method!,
        operation: course.operation,
        status: response.statusCode,
        milliseconds: Math.round(((course.answeredAt ?? performance.now()) - begun) * 100) / 100,
        traceId: course.traceId,
        client: course.caller?.client,
        ...course.refusal,
      });
      span?.end({ route: course.route, status: response.statusCode });
    });
    if (options.corsOrigins.length > 0 && isPreflight(request.method!, request.headers)) {
      return send(request, response, { status: 204 }, course);
    }
    answer(request, response, course).then(
      (reply) => send(request, response, reply, course),
      (error) => send(request, response, failure(error, course), course),
    );
  }
  server.setTimeout(idleMilliseconds);
  limitConnections(server, options.connections);
  server.on('clientError', answerUnreadable);
  // RFC 9110 section 10.1.1 lets a server ignore an unknown expectation; Node's own 417 would have no Error-Reason.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

export interface Refusal {
  reason: string;
  /** What was wrong with a token. */
  detail?: string;
}

/** For the log: an operator must be able to tell an expired token from one of another audience. */
function refusalOf({ details: { reason, headers } }: Problem): Refusal {
  const detail = /error_description="([^"]+)"/.exec(headers?.['www-authenticate'] ?? '')?.[1];
  return detail === undefined ? { reason } : { reason, detail };
}

function formatTraceId({ traceId, spanId, isSampled }: RequestSpan): string {
  return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;
}

/** Whether the operation takes large bodies, and this may be one: it is announced as large, or not announced. */
function mayBeLarge({ largestBody: limit = 0 }: AnyOperation, headers: IncomingHttpHeaders): boolean {
  return limit > largestBody && Number(headers['content-length'] ?? Infinity) > largestBody;
}

function checkScope({ scopes }: AnyOperation, caller: Caller): void {
  if (!scopes!.some((scope) => caller.scopes.has(scope))) throw scopeMissing(scopes!);
}

/** What concerns everybody is not for a token that may name one user. */
function concernsEverybody({ scopes }: AnyOperation): boolean {
  return scopes?.every((scope) => /^(operator|events):/.test(scope)) ?? false;
}

function checkUser(operation: AnyOperation, context: Context<unknown, unknown>): void {
  const userId = context.caller?.userId;
  if (userId === undefined) return;
  if (operation.serviceTokensOnly) throw notTheirs();
  const named = operation.namesUser?.(context);
  if (named === undefined ? concernsEverybody(operation) : named !== userId) throw notTheirs();
}

/** RFC 6749 section 5.2. */
function tokenErrorReply({ status, code, message }: TokenError, headers?: Record<string, string>): Reply {
  return {
    status,
    body: JSON.stringify({ error: code, error_description: message }),
    contentType: jsonType,
    headers: {
      [reasonHeader]: reasonOfTokenError(code),
      ...headers,
      ...noStore,
      ...(status === 401 && { 'www-authenticate': 'Basic realm="ledgerline"' }),
    },
  };
}

/** What is wrong with a request for a token before the issuer sees it. */
function tokenProblemReply({ details: { reason, status, errors, headers, retryAfterSeconds } }: Problem): Reply {
  const code = status === 503 ? 'temporarily_unavailable' : 'invalid_request';
  const error = new TokenError(code, errors?.Error?.[0] ?? `${titleOf(status)}.`, status);
  // A refusal before the body was read keeps the reason it has on every other path.
  const own: ErrorReason[] = ['sandbox-only', 'method-not-allowed'];
  return tokenErrorReply(error, {
    ...headers,
    ...(own.includes(reason) && { [reasonHeader]: reason }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
}

const unreadable: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: malformedRequest(431),
  ERR_HTTP_REQUEST_TIMEOUT: requestTimedOut(),
};

/** What is no HTTP at all still gets an answer, if there is anybody left to hear it. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { details } = unreadable[error.code ?? ''] ?? malformedRequest();
  const body = problemBody(details, traceIdFor(undefined));
  const head = [
    `HTTP/1.1 ${details.status} ${titleOf(details.status)}`,
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Error-Reason: ${details.reason}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
