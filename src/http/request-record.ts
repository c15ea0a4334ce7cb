/** What is known about a request when its answer is logged. */
import type { Readable } from 'node:stream';
import type { Caller } from '../auth/caller.ts';
import type { RequestObservation } from '../monitoring/observe.ts';
import type { Owner } from '../sharing/slots.ts';

export interface RequestRecord {
  traceId: string;
  /** The operation's name. */
  operation: string;
  /** The path of the operation, with the names of its parameters. */
  route?: string;
  caller: Caller | undefined;
  /** The caller; undefined until it is known, and for operations that need no token. */
  owner?: Owner;
  /** Whether errors have the form of RFC 6749 section 5.2. */
  oauthErrors: boolean;
  /** Why the request was refused. */
  refusal?: Refusal;
  /** The answer, if it is a stream. */
  body?: Readable | undefined;
  /** Whether the operation needs a token, so that its answers are for this caller only. */
  needsToken: boolean;
  /** When the answer was sent, if the connection stays open after it. */
  answeredAt?: number;
}

export type Refusal = Required<Pick<RequestObservation, 'reason'>> & Pick<RequestObservation, 'detail'>;

/** Of a request that no operation is for. */
export const noOperation = 'none';

export function newRecord(traceId: string): RequestRecord {
  return { traceId, operation: noOperation, caller: undefined, oauthErrors: false, needsToken: false };
}
