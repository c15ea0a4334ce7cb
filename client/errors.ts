/** The errors of the client: one class, whose `kind` says what to do. */
import type { ErrorReason, ProblemDetails } from './types.ts';

export type FailureKind =
  /** A field is wrong; `errors` says which. */
  | 'invalid'
  /** A rule refuses it: a wrong code, a phone that is taken. */
  | 'refused'
  /** The token is missing or no longer valid. */
  | 'unauthorized'
  /** The token does not allow the operation. */
  | 'forbidden'
  | 'not-found'
  /** A limit is reached, in the client or in the service. `retryAfterSeconds` says for how long. */
  | 'too-many'
  /** The service failed, even after retries. */
  | 'unavailable'
  /** The service could not be reached. */
  | 'offline'
  /** The caller's signal was aborted. */
  | 'aborted';

export interface FailureDetails {
  status?: number | undefined;
  reason?: ErrorReason | undefined;
  problem?: Partial<ProblemDetails> | undefined;
  retryAfterSeconds?: number | undefined;
  challenge?: string | undefined;
  /** From the header Request-Id, for an answer without a body. */
  requestId?: string | undefined;
  location?: string | undefined;
  cause?: unknown;
}

export class LedgerlineError extends Error {
  readonly kind: FailureKind;
  /** Absent if there was no answer. */
  readonly status: number | undefined;
  /** The stable name of the error, from the header Error-Reason; docs/errors.md lists them. New ones may be added. */
  readonly reason: ErrorReason | undefined;
  /** From a field, or `Error` for a refusal by a rule, to its messages. */
  readonly errors: Record<string, string[]>;
  /** The same id is in the service's log, and in the header Request-Id. */
  readonly traceId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The challenge that must be solved before the call is made again, from the header Challenge. */
  readonly challenge: string | undefined;
  /** The path of what was created although the call failed, from the header Location. */
  readonly location: string | undefined;

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    const { status, reason, problem, retryAfterSeconds, challenge, location, requestId, cause } = details;
    super(message, { cause });
    this.name = 'LedgerlineError';
    this.kind = kind;
    this.status = status;
    this.reason = reason;
    this.errors = problem?.errors ?? {};
    this.traceId = problem?.traceId ?? requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.challenge = challenge;
    this.location = location;
  }
}

/** The error of a call that got no answer, or only a part of one. */
export function noAnswer(cause: unknown, signal?: AbortSignal): LedgerlineError {
  return signal?.aborted
    ? new LedgerlineError('aborted', 'The call was aborted.', { cause })
    : new LedgerlineError('offline', 'The service could not be reached.', { cause });
}

/** The error itself if it is one of the client's, otherwise the one that is made of it. */
export function asFailure(error: unknown, make: () => LedgerlineError): LedgerlineError {
  return error instanceof LedgerlineError ? error : make();
}

export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('request-id') ?? undefined;
}

/** The body of an answer. */
export async function textOf(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw noAnswer(cause, signal);
  }
}

export async function errorOf(response: Response): Promise<LedgerlineError> {
  const problem = await readProblem(response);
  const { status } = response;
  const reason = (response.headers.get('error-reason') ?? undefined) as ErrorReason | undefined;
  const message = Object.values(problem.errors ?? {}).flat()[0] ?? problem.title ?? reason ?? `HTTP ${status}`;
  return new LedgerlineError(kindOf(status, reason), message, {
    status,
    reason,
    problem,
    requestId: requestIdOf(response.headers),
    retryAfterSeconds: retryAfterSeconds(response.headers),
    challenge: response.headers.get('challenge') ?? undefined,
    location: response.headers.get('location') ?? undefined,
  });
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

interface WireProblem extends Partial<ProblemDetails> {
  /** RFC 6749 section 5.2, of the token endpoint. */
  error_description?: string;
}

/** Some answers have no body (401, 500), and that of a proxy may not be JSON. */
async function readProblem(response: Response): Promise<Partial<ProblemDetails>> {
  const text = await response.text().catch(() => '');
  try {
    const body = Object(JSON.parse(text)) as WireProblem;
    return body.error_description ? { ...body, title: body.error_description } : body;
  } catch {
    return {};
  }
}

/** Reasons that say the request itself is wrong, whatever the service's data. */
const invalidReasons: ReadonlySet<ErrorReason | undefined> = new Set([
  undefined,
  'invalid-request',
  'malformed-body',
  'malformed-request',
  'method-not-allowed',
  'body-too-large',
  'unsupported-media-type',
  'request-timeout',
]);

function kindOf(status: number, reason: ErrorReason | undefined): FailureKind {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 429) return 'too-many';
  if (status >= 500) return 'unavailable';
  return invalidReasons.has(reason) ? 'invalid' : 'refused';
}
