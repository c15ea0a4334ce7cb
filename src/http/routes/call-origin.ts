/** The user, client and address that a call is counted against. */
import type { Caller } from '../../auth/caller.ts';
import type { Origin } from '../../guard/source.ts';
import type { Request } from '../operation.ts';

export function callOrigin({ client, subject, userId }: Caller, request: Request): Origin {
  return { client, subject, bound: userId !== undefined, address: request.clientAddress(), traceId: request.traceId };
}
