/** Makes one call: adds the token, retries, and reads errors. */
import { errorOf, LedgerlineError, noAnswer, retryAfterSeconds } from './errors.ts';
import type { TokenSource } from './token.ts';

export interface TransportOptions {
  /** The URL of the service. In a browser it defaults to the origin of the page. */
  baseUrl?: string;
  /** A token, or a function that returns one. */
  token?: string | TokenSource;
  /** How often a call is repeated if the service fails. Default 3. */
  retries?: number;
  fetch?: typeof fetch;
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  accept?: string;
  /** The call needs no token. */
  open?: boolean;
  /** Whether the call is idempotent, so that it may be repeated if there was no answer, or a 5xx. */
  repeatable?: boolean;
  /** Lets the service recognise a repeated call. */
  idempotencyKey?: string;
  /** The proof of a send. */
  challengeSolution?: string | undefined;
  attestation?: string | undefined;
  /** The last event of a stream, to resume after it. */
  lastEventId?: string | undefined;
  /** Whether the last token is known to have expired. */
  refreshToken?: boolean;
  signal?: AbortSignal | undefined;
}

export type Transport = (call: Call) => Promise<Response>;

const firstDelaySeconds = 0.3;
/** A text may have been sent, and each further try may send another one: so there is only one more try. */
const outcomeUnknown = 'send-outcome-unknown';
const outcomeUnknownRetries = 1;
/**
 * The same query would most likely be too slow again. This does not apply to a send, which is slow only while it waits
 * for a lock.
 */
const tooSlow = 'query-too-slow';
/** If the service asks for a longer wait, the call fails with that time instead of waiting. */
const longestWaitSeconds = 30;

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl = '', token, retries = 3 } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const tokenOf: TokenSource = typeof token === 'function' ? token : () => token ?? '';

  async function attempt(call: Call, refused: boolean): Promise<Response> {
    const headers: Record<string, string> = { accept: call.accept ?? 'application/json' };
    if (!call.open) headers.authorization = `Bearer ${await tokenOf(refused)}`;
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
    if (call.challengeSolution !== undefined) headers['challenge-solution'] = call.challengeSolution;
    if (call.attestation !== undefined) headers.attestation = call.attestation;
    if (call.lastEventId !== undefined) headers['last-event-id'] = call.lastEventId;
    try {
      return await send(base + call.path, {
        method: call.method,
        headers,
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        ...(call.signal && { signal: call.signal }),
      });
    } catch (cause) {
      throw noAnswer(cause, call.signal);
    }
  }

  return async function transport(call) {
    let refused = call.refreshToken ?? false;
    let unknownOutcomes = 0;
    for (let failures = 0; ;) {
      let waitSeconds = firstDelaySeconds * 2 ** failures * (1 + Math.random() / 2);
      try {
        const response = await attempt(call, refused);
        if (response.ok) return response;
        // The first token may have expired in transit. If a second one is refused too, that is not the reason.
        if (response.status === 401 && !call.open && typeof token === 'function' && !refused) {
          refused = true;
          continue;
        }
        const askedSeconds = retryAfterSeconds(response.headers);
        const reason = response.headers.get('error-reason');
        if (reason === outcomeUnknown) unknownOutcomes += 1;
        const isRepeatable = call.repeatable ? response.status >= 500 : isRefusedUndone(response);
        const mayRepeat = isRepeatable && (reason !== tooSlow || call.idempotencyKey !== undefined);
        const isFinal = !mayRepeat || failures >= retries || unknownOutcomes > outcomeUnknownRetries;
        if (isFinal || (askedSeconds ?? 0) > longestWaitSeconds) throw await errorOf(response);
        waitSeconds = askedSeconds ?? waitSeconds;
      } catch (error) {
        const again = error instanceof LedgerlineError && error.kind === 'offline' && call.repeatable;
        if (!again || failures >= retries) throw error;
      }
      failures += 1;
      await wait(waitSeconds, call.signal);
    }
  };
}

/**
 * Whether the service itself refused the call before it did anything. A proxy may send a 5xx after the work was done.
 */
function isRefusedUndone({ status, headers }: Response): boolean {
  return status === 503 && headers.has('error-reason');
}

function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw noAnswer(signal.reason, signal);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    function stop(): void {
      clearTimeout(timer);
      reject(noAnswer(signal!.reason, signal));
    }
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits for a time, or until the signal is aborted. */
export async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(seconds, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
