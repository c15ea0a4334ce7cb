/** An operation of the API: one file each in `routes/`, one line each in `routes/index.ts`. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../auth/caller.ts';
import type { Scope } from '../config/settings/tokens.ts';
import type { ClientAddress, Origin } from '../guard/source.ts';
import type { Body, Schema } from '../formats/shape.ts';

export interface Reply {
  status: number;
  /** Text that is passed on as it is. */
  body?: string | Buffer | Readable;
  contentType?: string;
  headers?: Record<string, string>;
}

export interface Context<T> {
  body: T;
  /** The user the path names. */
  id: number;
  caller: Caller;
  request: Request;
}

/** What an operation may want to know of its request beyond the input. */
export interface Request {
  headers: IncomingHttpHeaders;
  /** Path and query, as they were sent. */
  address: string;
  /** The body of an operation that reads it itself. */
  bytes: Buffer | undefined;
  /** Looked up when it is asked for. */
  clientAddress(): ClientAddress | undefined;
}

/** Whom a call counts for. */
export function callOrigin({ client, subject, userId }: Caller, request: Request): Origin {
  return { client, subject, bound: userId !== undefined, address: request.clientAddress() };
}

/** What stands behind the question mark. */
export function queryOf({ address }: Request): URLSearchParams {
  const mark = address.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : address.slice(mark + 1));
}

/** Scheme and authority, as the caller spelled them. */
export function originOf({ host = '' }: IncomingHttpHeaders): string {
  return `http://${host}`;
}

export interface ResponseDoc {
  about: string;
  schema?: Schema;
  contentType?: string;
  headers?: Record<string, string>;
}

interface Described {
  /** In the log, in metrics, and as operationId. */
  name: string;
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  tag: string;
  summary: string;
  about?: string;
  /** Statuses the operation answers with, besides those every operation has. */
  responses: Record<number, ResponseDoc>;
  /** An example request body, for the reference. */
  example?: unknown;
  query?: Record<string, string>;
}

/** Any of the scopes opens it; an open operation has none. */
interface Guarded {
  scopes: readonly Scope[];
}

export interface Operation<T = undefined> extends Described, Partial<Guarded> {
  input?: Body<T>;
  /** Whether at least a member is required, and so a body. */
  inputRequired?: boolean;
  largestBody?: number;
  /** Reads the body itself, in its own media types. */
  rawBody?: boolean;
  /** Its errors are those of RFC 6749 section 5.2 instead of problem details. */
  oauthErrors?: boolean;
  /** Takes bodies of other media types too, as they arrive and without an end. */
  streams?: { mediaTypes: string[]; handle(context: Omit<Context<T>, 'body'>, body: Readable): Promise<Reply> };
  /** Refuses tokens that are bound to a user, also about that user. */
  serviceTokensOnly?: boolean;
  /** The user whom the input names, for tokens that may name only one. */
  namesUser?(context: Context<T>): number | undefined;
  handle(context: Context<T>): Promise<Reply> | Reply;
}

// oxlint-disable-next-line no-explicit-any -- a table of operations holds bodies of every type
export type AnyOperation = Operation<any>;

export function operation<T = undefined>(definition: Operation<T>): Operation<T> {
  return definition;
}

export const jsonType = 'application/json; charset=utf-8';

export function json(status: number, value: unknown, headers?: Record<string, string>): Reply {
  return { status, body: JSON.stringify(value), contentType: jsonType, ...(headers && { headers }) };
}

export function empty(status: number): Reply {
  return { status };
}

/** For answers that hold a secret. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };
