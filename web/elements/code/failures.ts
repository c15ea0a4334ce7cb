/** Why a request of a form failed, and how it is said. */
import { useLayoutEffect } from 'preact/hooks';
import { formatDuration } from '../../intl/duration.ts';

export interface Failure<Kind extends string = string> {
  kind: Kind;
  /** The time of the failure, in milliseconds. */
  at: number;
  /** The reason for the host page: the Error-Reason, or the kind if the service did not answer. */
  reason: string;
  /** When it ends, in milliseconds; undefined if waiting does not help. */
  endsAt: number | undefined;
  retryAfterSeconds: number | undefined;
}

/** The kinds that every form with a code can have. */
export const codeKinds = {
  'invalid-code': 'invalidCode',
  'too-many-failures': 'blocked',
  'too-many-sends': 'throttled',
  'send-failed': 'sendFailed',
  'send-in-progress': 'sendFailed',
  'invalid-token': 'sessionExpired',
} as const;

export function unreachableKind(): 'unreachable' | 'offline' {
  return navigator.onLine ? 'unreachable' : 'offline';
}

/** What a host page learns about a failure. An error of the client has a `traceId`, which is in the log of the service. */
export function reportOf({ reason, retryAfterSeconds }: Failure, error: unknown) {
  const { traceId } = Object(error) as { traceId?: unknown };
  return { reason, retryAfterSeconds, error, traceId: typeof traceId === 'string' ? traceId : undefined };
}

/** The text of each kind. A text that needs something gets the time until the failure ends. */
type Sentences<Kind extends string> = Record<Kind, string | ((time: string) => string)>;

export function sentenceOf<Kind extends string>(
  { kind, endsAt }: Failure<Kind>,
  texts: Sentences<Kind>,
  now: number,
): string {
  const sentence = texts[kind];
  if (typeof sentence === 'string') return sentence;
  return sentence(formatDuration(Math.max(0, Math.ceil(((endsAt ?? now) - now) / 1000))));
}

/** Once the browser is online again, the message that it is offline is removed. */
export function useClearWhenOnline(failure: Failure | undefined, clear: () => void): void {
  useLayoutEffect(() => {
    if (failure?.kind !== 'offline') return;
    if (navigator.onLine) return clear();
    addEventListener('online', clear);
    return () => removeEventListener('online', clear);
  }, [failure]);
}
