/** What can go wrong while the screen loads, from the viewer's point of view. */
import { LedgerlineError } from '../../client/index.ts';

export type Trouble =
  /** The device has no connection. */
  | { kind: 'offline' }
  /** The device has a connection, but the service does not answer. */
  | { kind: 'unreachable' }
  /** The service answers, but does not allow requests from this page's origin (CORS). */
  | { kind: 'not-allowed' }
  /** There is no valid token. */
  | { kind: 'expired' }
  /** The token is bound to somebody else. */
  | { kind: 'not-this-user' }
  /** There is nobody with this id. */
  | { kind: 'unknown' }
  /** The service is overloaded or fails; it is asked again. */
  | {
      kind: 'busy';
      traceId: string | undefined;
      /** The Retry-After of the answer. */ retryAfterSeconds: number | undefined;
    }
  | { kind: 'error'; traceId: string | undefined };

export function troubleOf(error: unknown): Trouble {
  // A failed fetch of the host page's getToken is a TypeError.
  const isUnreachable = error instanceof LedgerlineError ? error.kind === 'offline' : error instanceof TypeError;
  if (isUnreachable) return { kind: navigator.onLine ? 'unreachable' : 'offline' };
  if (!(error instanceof LedgerlineError)) return { kind: 'error', traceId: undefined };
  if (error.kind === 'unauthorized') return { kind: 'expired' };
  if (error.reason === 'not-this-user') return { kind: 'not-this-user' };
  if (error.reason === 'unknown-individual') return { kind: 'unknown' };
  const { traceId, retryAfterSeconds } = error;
  const isBusy = error.kind === 'unavailable' || error.kind === 'too-many';
  return isBusy ? { kind: 'busy', traceId, retryAfterSeconds } : { kind: 'error', traceId };
}

/** The id under which the log of the service has the failed request. */
export function traceIdOf(error: unknown): string | undefined {
  return error instanceof LedgerlineError ? error.traceId : undefined;
}

/** Whether waiting can help. An apparent refusal by CORS may be the answer of a proxy while the service restarts. */
export function isTemporary(trouble: Trouble): boolean {
  return !['error', 'expired', 'not-this-user', 'unknown'].includes(trouble.kind);
}

/** Whether the service refuses the token that pins a list (`asOf`). It is valid for a day. */
export function isListOutdated(error: unknown): boolean {
  return error instanceof LedgerlineError && error.errors.AsOf !== undefined;
}
