/** An operation of the API: one file each in `routes/`, one line each in `routes/index.ts`. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../auth/caller.ts';
import type { Scope } from '../config/settings/tokens.ts';
import type { ErrorReason, Problem } from '../errors.ts';
import type { Owner } from '../sharing/slots.ts';
import type { Body, Schema, Shape } from '../formats/shape.ts';
import type { ClientAddress } from '../values/network.ts';
import type { Query } from './query-shape.ts';

export interface Reply {
  status: number;
  /** Sent unchanged. */
  body?: string | Buffer | Readable;
  contentType?: string;
  headers?: Record<string, string>;
}

export interface Context<T, Q = undefined> {
  body: T;
  query: Q;
  /** The id in the path: of a user, or of another thing that the operation is about. */
  id: number;
  /** All parameters in the path, in lower case. */
  parameters: Readonly<Record<string, string>>;
  caller: Caller;
  /** The caller for whom the work is done. */
  owner: Owner;
  request: Request;
}

/** What an operation may need of its request besides the input. */
export interface Request {
  headers: IncomingHttpHeaders;
  /** Path and query, as they were sent. */
  address: string;
  /** The body of an operation that reads it itself. */
  bytes: Buffer | undefined;
  traceId: string;
  /** Computed when it is called. */
  clientAddress(): ClientAddress | undefined;
}

/** The query string of the request. */
export function queryOf(address: string): URLSearchParams {
  const mark = address.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : address.slice(mark + 1));
}

export interface ResponseDoc {
  about: string;
  /** The shape of the body. */
  shape?: Shape<unknown>;
  /** The schema of a body that no shape describes. */
  schema?: Schema;
  /** Media types of a body that no shape describes. */
  contentType?: string | readonly string[];
  /** An example of the JSON body, if the one that is derived from its schema is not good enough. */
  example?: unknown;
  /** Examples of other bodies, by media type. */
  examples?: Record<string, string>;
  /** Response headers, with what they mean. */
  headers?: Record<string, string>;
}

interface Operation<T = undefined, Q = undefined> {
  /** The name in logs and metrics, and the operationId. */
  name: string;
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  tag: string;
  summary: string;
  about?: string;
  /** The answers other than errors. */
  responses: Record<number, ResponseDoc>;
  /** The errors of this operation, in addition to those of every operation of its kind. */
  errors?: readonly ErrorReason[];
  /** Request headers of this operation, with what they mean. */
  requestHeaders?: Readonly<Record<string, string>>;
  /** An example request body, for the reference. */
  example?: unknown;
  /** The schema of a form-encoded body that the operation reads itself. */
  formSchema?: Schema;
  /** One of these is enough. An operation without scopes needs no token. */
  scopes?: readonly Scope[];
  input?: Body<T>;
  query?: Query<Q>;
  /** A body is required although no member is. */
  inputRequired?: true;
  largestBody?: number;
  /** Whether it answers even if the service has no room for other requests. */
  isVital?: boolean;
  /** The operation reads the body itself, in media types of its own. */
  rawBody?: boolean;
  /** Its errors are those of RFC 6749 section 5.2 instead of problem details. */
  oauthErrors?: boolean;
  /** Answers only programs on this machine when the service is a sandbox. */
  isLocalInSandbox?: boolean;
  /** The error for an unknown id in the path; unknown-user if not given. */
  unknownId?: ErrorReason;
  /** Other media types that are accepted as a stream of any length. */
  streams?: {
    mediaTypes: string[];
    example: string;
    handle(context: Omit<Context<T, Q>, 'body' | 'query'>, body: AsyncIterable<Buffer>): Promise<Reply>;
  };
  /** Refuses tokens that are bound to a user, even for that user's own data. */
  serviceTokensOnly?: boolean;
  /** The refusal if there is no room for the work of the operation. Called before the body is read. */
  findRefusal?(owner: Owner): Problem | undefined;
  /** Throws if a header that belongs to the input is invalid. */
  checkHeaders?(headers: IncomingHttpHeaders): void;
  /** The user that the input names, for tokens that are bound to one user. Without it, the user whose id is in the path. */
  namesUser?(context: Context<T, Q>): number | undefined;
  handle(context: Context<T, Q>): Promise<Reply> | Reply;
}

// oxlint-disable-next-line no-explicit-any -- a table of operations holds bodies of every type
export type AnyOperation = Operation<any, any>;

export function operation<T = undefined, Q = undefined>(definition: Operation<T, Q>): Operation<T, Q> {
  return definition;
}

/** What the operations for operators have in common. */
export const operatorRead = { tag: 'Operator', scopes: ['operator:read'] } as const;
export const operatorWrite = { tag: 'Operator', scopes: ['operator:write'] } as const;

/** Whether there must be a body. */
export function needsBody({ input, inputRequired }: AnyOperation): boolean {
  return inputRequired ?? input?.schema.required !== undefined;
}

export const jsonType = 'application/json; charset=utf-8';

export function json(status: number, value: unknown, headers?: Record<string, string>): Reply {
  return { status, body: JSON.stringify(value), contentType: jsonType, ...(headers && { headers }) };
}

/** A JSON body whose value has the type that its shape describes. */
export function reply<T>(status: number, _shape: Shape<T>, value: NoInfer<T>, headers?: Record<string, string>): Reply {
  return json(status, value, headers);
}

/** A JSON body that is text already. */
export function jsonText(status: number, text: string | Buffer, headers?: Record<string, string>): Reply {
  return { status, body: text, contentType: jsonType, ...(headers && { headers }) };
}

/** A list whose items are JSON from the database, with their count. */
export function jsonList(name: string, items: string, count: number, asOf: string): Reply {
  return jsonText(200, `{"${name}":[${items}],"transactionCount":${count}}`, { 'as-of': asOf });
}

/** An answer without a body, when the work is done. */
export async function emptyAfter(status: number, work: Promise<unknown>): Promise<Reply> {
  await work;
  return { status };
}

/** For answers that contain a secret. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };
