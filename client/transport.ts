/** Makes one call: adds the token, limits its time, retries, and reads errors. */
import { asFailure, errorOf, LedgerlineError, noAnswer, requestIdOf, retryAfterSeconds } from './errors.ts';
import { timerMilliseconds } from './timer.ts';
import type { TokenSource } from './token.ts';

/** An answer of the service, for logs and metrics of the app. */
export interface AnswerReport {
  method: string;
  path: string;
  status: number;
  /** The same id is in the service's log. */
  requestId: string | undefined;
  headers: Headers;
  milliseconds: number;
}

/** What each call may set for itself, and a client for all its calls. */
export interface CallSettings {
  /** How often a call is repeated if the service fails. Default 3. */
  retries?: number;
  /** How long each try may take until the answer begins, its token included. Default 30. */
  timeoutSeconds?: number;
  /** Called for every answer, also for those that are repeated. The call fails with what it throws. */
  onAnswer?: (report: AnswerReport) => void;
}

export interface TransportOptions extends CallSettings {
  /** The URL of the service. In a browser it defaults to the origin of the page. */
  baseUrl?: string;
  /** A token, or a function that returns one. */
  token?: string | TokenSource;
  fetch?: typeof fetch;
}

export interface Call extends CallSettings {
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

/** What the tries of a call share. */
interface Sent {
  /** The token of the last try. */
  token: string | undefined;
  /** Whether the last try has no token yet, so that nothing was sent. */
  isWaitingForToken: boolean;
}

export type Transport = (call: Call) => Promise<Response>;

const usualRetries = 3;
const usualTimeoutSeconds = 30;
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
  const { baseUrl = '', token } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const tokens = createTokens(typeof token === 'function' ? token : () => token ?? '');

  async function attempt(call: Call, sent: Sent, refused: boolean): Promise<Response> {
    const { timeoutSeconds = options.timeoutSeconds ?? usualTimeoutSeconds } = call;
    const startedAt = Date.now();
    const limit = new TryLimit(timeoutSeconds, call.signal);
    let response: Response;
    sent.isWaitingForToken = !call.open;
    try {
      const headers = headersOf(call);
      if (!call.open) {
        sent.token = await limit.race(tokens.get(refused ? sent.token : undefined));
        sent.isWaitingForToken = false;
        headers.authorization = `Bearer ${sent.token}`;
      }
      response = await send(base + call.path, {
        method: call.method,
        headers,
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        signal: limit.signal,
      });
    } catch (cause) {
      throw asFailure(cause, () =>
        noAnswer(limit.isOver ? `no answer within ${timeoutSeconds} s` : cause, call.signal),
      );
    } finally {
      limit.stop();
    }
    const { method, path } = call;
    const { status, headers } = response;
    const report = { method, path, status, headers, requestId: requestIdOf(headers) };
    (call.onAnswer ?? options.onAnswer)?.({ ...report, milliseconds: Date.now() - startedAt });
    return response;
  }

  return async function transport(call) {
    const { retries = options.retries ?? usualRetries } = call;
    // What is known to have expired is the last token.
    const sent: Sent = { token: call.refreshToken ? tokens.latest() : undefined, isWaitingForToken: false };
    let refused = call.refreshToken ?? false;
    let unknownOutcomes = 0;
    for (let failures = 0; ;) {
      let waitSeconds = firstDelaySeconds * 2 ** failures * (1 + Math.random() / 2);
      try {
        const response = await attempt(call, sent, refused);
        if (response.ok) return response;
        // The first token may have expired in transit. If a second one is refused too, that is not the reason.
        if (response.status === 401 && !call.open && typeof token === 'function' && !refused) {
          refused = true;
          await discard(response);
          continue;
        }
        const askedSeconds = retryAfterSeconds(response.headers);
        const reason = response.headers.get('error-reason');
        if (reason === outcomeUnknown) unknownOutcomes += 1;
        const isRepeatable = call.repeatable ? response.status >= 500 : isRefusedUndone(response);
        const mayRepeat = isRepeatable && (reason !== tooSlow || call.idempotencyKey !== undefined);
        const isFinal = !mayRepeat || failures >= retries || unknownOutcomes > outcomeUnknownRetries;
        if (isFinal || (askedSeconds ?? 0) > longestWaitSeconds) throw await errorOf(response);
        await discard(response);
        waitSeconds = askedSeconds ?? waitSeconds;
      } catch (error) {
        if (!mayRepeatAfter(error, call, sent) || failures >= retries) throw error;
        if ((error.retryAfterSeconds ?? 0) > longestWaitSeconds) throw error;
        waitSeconds = error.retryAfterSeconds ?? waitSeconds;
      }
      failures += 1;
      await wait(waitSeconds, call.signal);
    }
  };
}

/** A request for a token may be repeated whatever the call is: the call itself was not sent. */
function mayRepeatAfter(error: unknown, { repeatable }: Call, { isWaitingForToken }: Sent): error is LedgerlineError {
  if (!(error instanceof LedgerlineError)) return false;
  if (isWaitingForToken && error.kind === 'unavailable') return true;
  return error.kind === 'offline' && (isWaitingForToken || repeatable === true);
}

function headersOf(call: Call): Record<string, string> {
  return {
    accept: call.accept ?? 'application/json',
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
    ...(call.challengeSolution !== undefined && { 'challenge-solution': call.challengeSolution }),
    ...(call.attestation !== undefined && { attestation: call.attestation }),
    ...(call.lastEventId !== undefined && { 'last-event-id': call.lastEventId }),
  };
}

/** Calls that were refused with the same token wait for the same new one. */
function createTokens(source: TokenSource) {
  let latest: string | undefined;
  let refreshing: Promise<string> | undefined;

  async function ask(refused: boolean): Promise<string> {
    try {
      return (latest = await source(refused));
    } catch (cause) {
      // A fetch that fails is a TypeError.
      throw asFailure(cause, () =>
        cause instanceof TypeError
          ? noAnswer(cause)
          : new LedgerlineError('unauthorized', 'No token could be obtained.', { cause }),
      );
    }
  }

  return {
    latest: () => latest,

    /** `refused`: the token that the service has refused. */
    get(refused: string | undefined): Promise<string> {
      if (refused === undefined) return refreshing ?? ask(false);
      if (refused !== latest && latest !== undefined) return Promise.resolve(latest);
      refreshing ??= ask(true).finally(() => (refreshing = undefined));
      return refreshing;
    },
  };
}

/** Ends a try when its time is over or its caller's signal is aborted. Only the latter also ends the body of the answer. */
class TryLimit {
  readonly #late = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly signal: AbortSignal;

  constructor(seconds: number, outer: AbortSignal | undefined) {
    this.signal = outer ? AbortSignal.any([outer, this.#late.signal]) : this.#late.signal;
    this.#timer = setTimeout(() => this.#late.abort(), timerMilliseconds(seconds));
  }

  get isOver(): boolean {
    return this.#late.signal.aborted;
  }

  /** The result, or a rejection if this ends first. */
  race<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason);
      if (this.signal.aborted) stop();
      this.signal.addEventListener('abort', stop, { once: true });
      result.then(resolve, reject);
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Frees the connection of an answer that nobody reads. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/**
 * Reasons of a 503 that say that nothing was done: `overloaded` is a refusal before the work, or a transaction that was
 * rolled back; `stopping` and `issuer-unavailable` are refusals before the work. `query-too-slow` is rolled back too, but
 * not repeated. Not `database-unavailable`: the connection may break after the COMMIT. The reasons of a send (`send-…`)
 * do not matter here: a send has a key, so it may always be repeated.
 */
const undoneReasons: ReadonlySet<string | null> = new Set(['overloaded', 'stopping', 'issuer-unavailable']);

/** Whether the service itself says that nothing was done. A proxy may send a 5xx after the work was done. */
function isRefusedUndone({ status, headers }: Response): boolean {
  return status === 503 && undoneReasons.has(headers.get('error-reason'));
}

function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw noAnswer(signal.reason, signal);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, timerMilliseconds(seconds));
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
