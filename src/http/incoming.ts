/** Reads and checks the parts of a request before its operation runs. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  bodyMissing,
  bodyTooLarge,
  CallerGone,
  malformedRequest,
  requestTimedOut,
  tokenInvalid,
  tokenMissing,
  problem,
  unsupportedMediaType,
  type ErrorReason,
} from '../errors.ts';
import type { ArrivingBodies } from './connections/arriving-bodies.ts';
import { BodyChunks } from './body/body-chunks.ts';
import { needsBody, type AnyOperation } from './operation.ts';
import { JsonObject, type Json } from '../formats/json.ts';
import { largestInOneGo } from '../formats/large-json.ts';
import { parseId } from '../values/id.ts';
import { isJson, mediaTypeOf, parseBody, parseLargeBody } from './body/parse-body.ts';

/** RFC 9112 section 3.2: HTTP/1.1 needs a Host header, and nobody may send two: a proxy may have used the other one. */
export function checkHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined) {
    if (httpVersion === '1.1') throw malformedRequest();
    return;
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw malformedRequest();
}

/** RFC 9112 section 3.2.2: the request line may contain a full URL. Its host then replaces the Host header. */
export function takeAddress(request: IncomingMessage): void {
  const whole = request.url!.startsWith('/') ? undefined : /^https?:\/\/([^/?#]+)(.*)$/is.exec(request.url!);
  if (!whole) return;
  request.headers.host = whole[1]!;
  request.url = whole[2]!.startsWith('/') ? whole[2]! : `/${whole[2]}`;
}

export function bearerToken(header: string | undefined): string {
  if (!header) throw tokenMissing();
  // Only the form is checked here; the verifier checks the token.
  if (header.startsWith('Bearer ') && !header.includes(' ', 7)) return header.slice(7);
  const match = /^Bearer +([\w.~+/=-]+) *$/i.exec(header);
  if (!match) throw /^Bearer\b/i.test(header) ? tokenInvalid('the token is malformed') : tokenMissing();
  return match[1]!;
}

/** A malformed id in a path is answered like an unknown one. */
export function pathId(id: string | undefined, unknownId: ErrorReason = 'unknown-user'): number {
  if (id === undefined) return 0;
  const number = parseId(id);
  if (number === undefined) throw problem(unknownId);
  return number;
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Only reading shows whether there is a body: it has no length, and no type. */
export function mayBeEmpty(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] === undefined && headers['content-type'] === undefined;
}

/** Runs before the body is read, if it certainly has one: a refused body need not arrive. */
export function checkMediaType({ streams }: AnyOperation, headers: IncomingHttpHeaders): void {
  const type = mediaTypeOf(headers['content-type']);
  const encoding = headers['content-encoding'];
  const known = type && (isJson(type) || streams?.mediaTypes.includes(type.name));
  if (!known || (encoding !== undefined && encoding !== 'identity')) throw unsupportedMediaType();
}

export function isStreamed({ streams }: AnyOperation, headers: IncomingHttpHeaders): boolean {
  return streams !== undefined && streams.mediaTypes.includes(mediaTypeOf(headers['content-type'])?.name ?? '');
}

export function readBody(
  request: IncomingMessage,
  largest: number,
  bodies: ArrivingBodies,
  limitMilliseconds: number,
): Promise<BodyChunks> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > largest) return reject(bodyTooLarge());
    const body = new BodyChunks();
    const endWatch = bodies.watch(request, {
      limitMilliseconds,
      bytes: () => body.length,
      giveUp: () => reject(requestTimedOut()),
    });
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length <= largest) return body.add(chunk);
      body.clear();
      reject(bodyTooLarge());
    });
    request.on('end', () => {
      endWatch();
      resolve(body);
    });
    // An aborted request is closed before it is complete. node:http emits an error only if there is a listener.
    request.on('close', () => {
      endWatch();
      if (!request.complete) reject(new CallerGone());
    });
  });
}

/** A missing body if none is required: all members have their defaults. */
const noMembers = JsonObject.of({});

/** Operations without input refuse a malformed body too. A large body is read in steps, and so asynchronously. */
export function readInput(
  operation: AnyOperation,
  sent: BodyChunks | undefined,
  contentType: string | undefined,
): unknown {
  const { input } = operation;
  function read(json: Json | undefined): unknown {
    if (!input) return undefined;
    if (json !== undefined && json !== null) return input.read(json);
    if (needsBody(operation)) throw bodyMissing();
    return input.read(noMembers);
  }
  if (sent && sent.length > largestInOneGo) {
    return parseLargeBody(sent.chunks, contentType, input?.kept ?? {}).then(read);
  }
  return read(parseBody(sent?.toBuffer(), contentType));
}
