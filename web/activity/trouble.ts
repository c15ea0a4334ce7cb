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
  | {
      kind: 'error';
      message: string;
      traceId: string | undefined;
      isTemporary: boolean;
      /** The Retry-After of the answer. */
      retryAfterSeconds: number | undefined;
    };

export function troubleOf(error: unknown): Trouble {
  // A failed fetch of the host page's getToken is a TypeError.
  const isUnreachable = error instanceof LedgerlineError ? error.kind === 'offline' : error instanceof TypeError;
  if (isUnreachable) return { kind: navigator.onLine ? 'unreachable' : 'offline' };
  if (!(error instanceof LedgerlineError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'error', message, traceId: undefined, isTemporary: false, retryAfterSeconds: undefined };
  }
  if (error.kind === 'unauthorized') return { kind: 'expired' };
  const isTemporary = error.kind === 'unavailable' || error.kind === 'too-many';
  const { message, traceId, retryAfterSeconds } = error;
  return { kind: 'error', message, traceId, isTemporary, retryAfterSeconds };
}

/** Whether waiting can help. An apparent refusal by CORS may be the answer of a proxy while the service restarts. */
export function isTemporary(trouble: Trouble): boolean {
  return trouble.kind === 'error' ? trouble.isTemporary : trouble.kind !== 'expired';
}

/** Whether the service refuses the token that pins a list (`asOf`). It is valid for a day. */
export function isListOutdated(error: unknown): boolean {
  return error instanceof LedgerlineError && error.errors.AsOf !== undefined;
}
