/** The HTTP server: every request takes the same way through here. */
import { Readable } from 'node:stream';
import cors from '@fastify/cors';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import { TokenError } from '../auth/issuer.ts';
import type { Verifier } from '../auth/verifier.ts';
import {
  bodyTooLarge,
  notTheirs,
  Problem,
  scopeMissing,
  tokenInvalid,
  tokenMissing,
  unknownPath,
  unknownUser,
  unsupportedMediaType,
  wrongMethod,
  type ProblemDetails,
} from '../errors.ts';
import type { Observer } from '../observe.ts';
import { jsonType, noStore, type AnyOperation, type Context, type Reply } from './operation.ts';
import { hasBody, problemBody, problemHeaders, problemType } from './problem.ts';
import { bodyMissing, isJson, mediaTypeOf, parseBody } from './read-body.ts';
import { traceIdFor } from './trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    traceId: string;
    caller: Caller | undefined;
  }
}

export interface ServerOptions {
  operations: AnyOperation[];
  verifier: Verifier;
  observer: Observer;
  /** What an error from below means to a caller, where it is none of ours. */
  translate(error: unknown): Problem | undefined;
  /** Refuses a request before anything else is looked at. */
  guard?(operation: AnyOperation, request: FastifyRequest): void;
  corsOrigins: string[];
}

const largestBody = 1024 * 1024;

/** A connection on which nothing moves for so long is closed. */
const idleMilliseconds = 75_000;

export function createServer(options: ServerOptions): FastifyInstance {
  const app = Fastify({
    logger: false as unknown as FastifyBaseLogger,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: false },
    bodyLimit: largestBody,
    connectionTimeout: idleMilliseconds,
    keepAliveTimeout: idleMilliseconds,
    // Requests that are already on their way when a stop begins are still answered.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
  });

  app.decorateRequest('traceId', '');
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.traceId = traceIdFor(request.headers.traceparent as string | undefined);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    options.observer.observeRequest({
      method: request.method,
      operation: request.routeOptions.config.operation ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 100) / 100,
      traceId: request.traceId,
      client: request.caller?.client,
    });
    done();
  });

  // Bodies are read as bytes; `parseBody` alone knows what they mean.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
  const streamed = new Set(options.operations.flatMap(({ streams }) => streams?.mediaTypes ?? []));
  app.addContentTypeParser([...streamed], (_request, payload, done) => done(null, payload));

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    request.traceId ||= traceIdFor(undefined);
    if (error instanceof TokenError) return sendTokenError(reply, error);
    const problem = asProblem(error) ?? options.translate(error);
    if (!problem) options.observer.observeDefect(error, request.traceId);
    return sendProblem(reply, problem?.details ?? { status: 500 }, request.traceId);
  }

  app.setErrorHandler(fail);
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?')[0]!;
    const allowed = options.operations
      .filter(({ path: pattern }) => matches(pattern, path))
      .map(({ method }) => method);
    throw allowed.length > 0 ? wrongMethod(withHead(allowed)) : unknownPath();
  });

  if (options.corsOrigins.length > 0) {
    void app.register(cors, {
      origin: options.corsOrigins,
      methods: ['GET', 'POST', 'DELETE'],
      exposedHeaders: ['As-Of', 'Retry-After', 'WWW-Authenticate'],
      maxAge: 600,
    });
  }
  void app.register(async (scope) => {
    for (const operation of options.operations) mount(scope, operation, options);
  });
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
  }
}

function mount(app: FastifyInstance, operation: AnyOperation, { verifier, guard }: ServerOptions): void {
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: operation.largestBody ?? largestBody,
    config: { operation: operation.name },
    // In this order: who calls, whether they may, and only then what they sent.
    onRequest(request, _reply, done) {
      guard?.(operation, request);
      const next = (caller?: Caller) => {
        request.caller = caller;
        checkScope(operation, caller);
        if (!operation.rawBody) checkMediaType(operation, request);
        done();
      };
      if (!operation.scopes) return next();
      const caller = verifier(bearerToken(request.headers.authorization));
      if (!(caller instanceof Promise)) return next(caller);
      caller.then(next).catch(done);
    },
    async handler(request, reply) {
      if (operation.streams && request.body instanceof Readable) {
        const { caller } = request;
        return sendReply(reply, await operation.streams.handle({ id: 0, caller: caller!, request }, request.body));
      }
      const context = contextOf(operation, request);
      const { userId } = context.caller ?? {};
      const named = operation.namesUser?.(context);
      if (userId !== undefined && named !== undefined && named !== userId) throw notTheirs();
      return sendReply(reply, await operation.handle(context));
    },
  });
}

const plainToken = /^Bearer [\w.-]+$/;

function bearerToken(header: string | undefined): string {
  if (!header) throw tokenMissing();
  if (header.startsWith('Bearer ') && plainToken.test(header)) return header.slice(7);
  const match = /^Bearer +([\w.~+/=-]+) *$/i.exec(header);
  if (!match) throw /^Bearer\b/i.test(header) ? tokenInvalid('the token is malformed') : tokenMissing();
  return match[1]!;
}

function checkScope({ scopes }: AnyOperation, caller: Caller | undefined): void {
  if (scopes && !scopes.some((scope) => caller!.scopes.has(scope))) throw scopeMissing(scopes);
}

/** Before the body is read, since what is refused need not arrive. */
function checkMediaType({ streams }: AnyOperation, { headers }: FastifyRequest): void {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)) return;
  const type = mediaTypeOf(headers['content-type']);
  const encoding = headers['content-encoding'];
  const known = type && (isJson(type) || streams?.mediaTypes.includes(type.name));
  if (!known || (encoding !== undefined && encoding !== 'identity')) throw unsupportedMediaType();
}

function contextOf<T>(operation: AnyOperation, request: FastifyRequest): Context<T> {
  const id = pathId(request.params);
  const body = operation.input ? readInput(operation, request) : undefined;
  return { id, body: body as T, caller: request.caller!, request };
}

/** A malformed id in a path names nobody, just as an unknown one does. */
function pathId(params: unknown): number {
  const { id } = params as { id?: string };
  if (id === undefined) return 0;
  const number = /^\d{1,10}$/.test(id) ? Number(id) : 0;
  if (number < 1 || number > 2_147_483_647) throw unknownUser();
  return number;
}

function readInput({ input, inputRequired }: AnyOperation, request: FastifyRequest): unknown {
  const json = parseBody(request.body as Buffer | undefined, request.headers['content-type']);
  if (json !== undefined && json !== null) return input!.read(json);
  if (inputRequired) throw bodyMissing();
  return {};
}

function sendReply(reply: FastifyReply, { status, body, contentType, headers }: Reply): FastifyReply {
  reply.code(status);
  if (headers) reply.headers(headers);
  if (contentType) reply.header('content-type', contentType);
  return reply.send(body);
}

function sendProblem(reply: FastifyReply, details: ProblemDetails, traceId: string): FastifyReply {
  reply.code(details.status).headers(problemHeaders(details));
  return hasBody(details.status) ? reply.send(problemBody(details, traceId)) : reply.send();
}

/** RFC 6749 section 5.2. */
function sendTokenError(reply: FastifyReply, { status, code, message }: TokenError): FastifyReply {
  reply.code(status).headers({ ...noStore, 'content-type': jsonType });
  if (status === 401) reply.header('www-authenticate', 'Basic realm="ledgerline"');
  return reply.send(JSON.stringify({ error: code, error_description: message }));
}

function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge();
  // What the framework found wrong with a request, such as a path that cannot be decoded.
  return statusCode !== undefined && statusCode < 500 ? new Problem({ status: statusCode }) : undefined;
}

function matches(pattern: string, path: string): boolean {
  const expression = pattern.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.');
  return new RegExp(`^${expression}/?$`, 'i').test(path);
}

function withHead(methods: string[]): string[] {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

const unreadable: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What is no HTTP at all still gets an answer, if there is anybody left to hear it. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = unreadable[error.code ?? ''] ?? 400;
  const body = problemBody({ status }, traceIdFor(undefined));
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nContent-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
