/** Checks a request, in the order of the contract, and runs its operation. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '../sharing/admission.ts';
import type { Caller } from '../auth/caller.ts';
import type { Verifier } from '../auth/verifier.ts';
import { notForUsers, notTheirs, overloaded, scopeMissing, wrongMethod, type Problem } from '../errors.ts';
import { Slots } from '../sharing/slots.ts';
import { anonymousBodyMilliseconds, bodyMilliseconds, type ArrivingBodies } from './connections/arriving-bodies.ts';
import { createClientAddress, type TrustedProxies } from './client-address.ts';
import type { ConnectionTable } from './connections/connections.ts';
import {
  bearerToken,
  checkHost,
  checkMediaType,
  hasBody,
  mayBeEmpty,
  isStreamed,
  pathId,
  readBody,
  readInput,
  takeAddress,
} from './incoming.ts';
import { queryOf, type AnyOperation, type Context, type Reply } from './operation.ts';
import type { PendingAnswers } from './pending-answers.ts';
import { RequestOwner } from './request-owner.ts';
import type { RequestRecord } from './request-record.ts';
import { createRouting, type PathParameters } from './routing.ts';

export interface PipelineOptions {
  operations: AnyOperation[];
  verifier: Verifier;
  admission: Admission;
  /** Refuses remote callers of an operation that is local in the sandbox, before the token is checked. */
  refuseRemote?(headers: IncomingHttpHeaders): void;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: TrustedProxies;
}

/** The size limit of a body, if the operation has no limit of its own. */
const maxBodyBytes = 1024 * 1024;

/** Maximum number of streams of rows that are read at the same time. Each keeps some batches in memory. */
const maxStreams = 16;

/**
 * Maximum number of bodies above `maxBodyBytes` that are read at the same time. A body of 32 MiB uses about 150 MiB
 * until it is answered.
 */
const maxLargeBodies = 3;

/** One object for all refusals, as in `sharing/admission.ts`. */
const noConnection = overloaded(1);

export type Answer = Reply | Problem;

/** A request whose operation is known. */
interface Routed {
  request: IncomingMessage;
  response: ServerResponse;
  record: RequestRecord;
  operation: AnyOperation;
  parameters: PathParameters;
}

export function createPipeline(
  { operations, verifier, admission, refuseRemote, trustedProxies }: PipelineOptions,
  pendingAnswers: PendingAnswers,
  bodies: ArrivingBodies,
  connections: Pick<ConnectionTable, 'isSpare'>,
) {
  const route = createRouting(operations);
  const clientAddressOf = createClientAddress(trustedProxies);
  const streamSlots = new Slots({ slots: maxStreams, waiting: 0, waitMilliseconds: 0, retrySeconds: 10 });
  const largeBodySlots = new Slots({ slots: maxLargeBodies, waiting: 64, waitMilliseconds: 10_000, retrySeconds: 1 });

  /**
   * Throws if the request is wrong; returns a refusal if there is no room for it, since then there may be many. Fills in
   * the record meanwhile.
   */
  return function answer(
    request: IncomingMessage,
    response: ServerResponse,
    record: RequestRecord,
  ): Answer | Promise<Answer> {
    checkHost(request);
    takeAddress(request);
    const { operation, allowed, parameters } = route(request.method!, request.url!);
    const { headers } = request;
    record.oauthErrors = operation.oauthErrors ?? false;
    record.needsToken = operation.scopes !== undefined;
    if (allowed) throw wrongMethod(allowed);
    record.operation = operation.name;
    record.route = operation.path;
    const refusal = operation.isVital ? undefined : findEarlyRefusal(request);
    if (refusal) return refusal;
    if (operation.isLocalInSandbox) refuseRemote?.(headers);
    const routed = { request, response, record, operation, parameters };
    const verified = operation.scopes ? verifier(bearerToken(headers.authorization)) : undefined;
    return verified instanceof Promise
      ? verified.then((caller) => answerCaller(routed, caller))
      : answerCaller(routed, verified);
  };

  function findEarlyRefusal({ socket }: IncomingMessage): Problem | undefined {
    return connections.isSpare(socket) ? noConnection : admission.findRefusal();
  }

  /** The checks that need the caller, and not the body. */
  function answerCaller(routed: Routed, caller: Caller | undefined): Answer | Promise<Answer> {
    const { response, record, operation } = routed;
    const { headers } = routed.request;
    record.caller = caller;
    if (operation.scopes) checkScope(operation, caller!);
    if (!operation.rawBody && hasBody(headers) && !mayBeEmpty(headers)) checkMediaType(operation, headers);
    const owner = new RequestOwner(caller, response);
    if (caller) record.owner = owner;
    // Again, since now the caller is known: the body of a refused request is not read.
    return findRefusal(operation, owner) ?? run(routed, owner);
  }

  function findRefusal(operation: AnyOperation, owner: RequestOwner): Problem | undefined {
    const refusal = operation.isVital ? undefined : (admission.findRefusal(owner) ?? pendingAnswers.findRefusal(owner));
    return refusal ?? operation.findRefusal?.(owner);
  }

  async function run(
    { request, response, record, operation, parameters }: Routed,
    owner: RequestOwner,
  ): Promise<Reply> {
    const { headers } = request;
    const caller = record.caller!;
    const asked = {
      headers,
      address: request.url!,
      bytes: undefined,
      traceId: record.traceId,
      clientAddress: () => clientAddressOf(request),
    };
    const isBodySent = hasBody(headers);
    if (isBodySent && isStreamed(operation, headers)) {
      const context = { id: 0, parameters, caller, owner, request: asked };
      const release = await streamSlots.take(owner);
      // Its answer may be a large file, which stays in memory until it has been read.
      response.once('close', release);
      // A loop over the request itself would destroy it on a failure, and the rest of the body would never be read.
      return operation.streams!.handle(context, request.iterator({ destroyOnReturn: false }));
    }
    const release = isBodySent && mayBeLarge(operation, headers) ? await largeBodySlots.take(owner) : undefined;
    try {
      const limit = operation.scopes ? bodyMilliseconds : anonymousBodyMilliseconds;
      const largest = operation.largestBody ?? maxBodyBytes;
      const sent = isBodySent ? await readBody(request, largest, bodies, limit) : undefined;
      if (!operation.rawBody && sent && sent.length > 0 && mayBeEmpty(headers)) checkMediaType(operation, headers);
      // Awaited immediately: if something threw before that, the rejection would be unhandled and would end the
      // process.
      const input = operation.rawBody ? undefined : readInput(operation, sent, headers['content-type']);
      const body = input instanceof Promise ? await input : input;
      const context: Context<unknown, unknown> = {
        body,
        id: pathId(parameters.id, operation.unknownId),
        parameters,
        query: operation.query?.read(queryOf(request.url!)),
        caller,
        owner,
        request: operation.rawBody ? { ...asked, bytes: sent?.toBuffer() } : asked,
      };
      operation.checkHeaders?.(headers);
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
}

/**
 * Whether the operation accepts large bodies, and this may be one: its length is announced as large, or not announced.
 */
function mayBeLarge({ largestBody: limit = 0 }: AnyOperation, headers: IncomingHttpHeaders): boolean {
  return limit > maxBodyBytes && Number(headers['content-length'] ?? Infinity) > maxBodyBytes;
}

function checkScope({ scopes }: AnyOperation, caller: Caller): void {
  if (!scopes!.some((scope) => caller.scopes.has(scope))) throw scopeMissing(scopes!);
}

/** Whether the operation is about all users, and so refuses tokens that are bound to one. */
function concernsEverybody({ scopes }: AnyOperation): boolean {
  return scopes?.every((scope) => /^(operator|events):/.test(scope)) ?? false;
}

function checkUser(operation: AnyOperation, context: Context<unknown, unknown>): void {
  const userId = context.caller?.userId;
  if (userId === undefined) return;
  if (operation.serviceTokensOnly) throw notForUsers();
  const named = operation.namesUser ? operation.namesUser(context) : userInPath(operation, context);
  if (named === undefined && concernsEverybody(operation)) throw notForUsers();
  if (named !== undefined && named !== userId) throw notTheirs();
}

/** Of an operation that does not say which user it is about. */
function userInPath({ path, unknownId }: AnyOperation, { id }: Context<unknown, unknown>): number | undefined {
  return path.includes('{id}') && unknownId === undefined ? id : undefined;
}
