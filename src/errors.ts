/**
 * The catalogue of errors: every error that Ledgerline returns on purpose. Code throws an entry; `http/problem.ts`
 * alone turns it into a response. `docs/errors.md`, the OpenAPI document and the client's `ErrorReason` are generated
 * from this table.
 */

export interface ErrorEntry {
  status: number;
  /** The sentence under `Error` in the body. Absent: the body has no `errors`, or the thrower gives them. */
  message?: string;
  /** When a caller gets this error, for the reference. */
  when: string;
}

/** By name, which is sent as the header Error-Reason. A name never changes its meaning; new ones may be added. */
export const catalogue = {
  'invalid-request': {
    status: 400,
    when: 'A member or parameter is missing, has the wrong type or is out of range. `errors` names the field.',
  },
  'malformed-body': { status: 400, when: 'The body is not JSON, or it is empty and the operation requires one.' },
  'malformed-request': { status: 400, when: 'The request is not valid HTTP, or has no Host header.' },
  'invalid-code': {
    status: 400,
    message: 'Invalid code.',
    when: 'The code is wrong, expired, used or superseded, or no code was issued to this id; or a confirmation was checked with other terms.',
  },
  'phone-taken': {
    status: 400,
    message: 'Phone already registered',
    when: 'The phone number is linked to another user.',
  },
  'phone-not-supported': {
    status: 400,
    message: 'Phone number not supported.',
    when: 'Messages are never sent to this number: the rules exclude it, or the gateway refused the destination.',
  },
  'nothing-to-resend': {
    status: 400,
    message: 'No code has been sent to this user yet.',
    when: 'A resend was requested before the first send, or for a change or a confirmation that is no longer pending.',
  },
  'user-exists': { status: 400, message: 'User already exists.', when: 'The id that the caller chose is taken.' },
  'unknown-individual': { status: 400, message: 'Unknown individual.', when: 'No user has this individualId.' },
  'ambiguous-transaction': {
    status: 400,
    message: 'Several individuals have a transaction with this id. Give individualId too.',
    when: 'Several individuals have a transaction with this id, and the request names none of them.',
  },
  'idempotency-conflict': {
    status: 400,
    message: 'The Idempotency-Key was used for another request.',
    when: 'The Idempotency-Key was used for a different request.',
  },
  'too-many-endpoints': {
    status: 400,
    message: 'Too many webhook endpoints.',
    when: 'The maximum number of webhook endpoints exists already.',
  },
  'phone-not-verified': {
    status: 400,
    message: 'Phone number not verified.',
    when: 'The operation needs a user whose phone is verified.',
  },
  'confirmation-required': {
    status: 400,
    message: 'Confirmation required.',
    when: 'A change of number needs a `confirmationId`: a confirmation of the user with the purpose `change-phone`, approved at most ten minutes ago and not used for a change yet.',
  },
  'endpoint-disabled': {
    status: 400,
    message: 'The webhook endpoint is disabled.',
    when: 'A replay was requested to a disabled webhook endpoint.',
  },
  'invalid-token': {
    status: 401,
    when: 'The access token is missing, malformed, expired or not accepted. The body is empty.',
  },
  'missing-scope': { status: 403, when: 'The token has none of the scopes that the operation accepts.' },
  'not-this-user': {
    status: 403,
    message: 'The token is bound to another user.',
    when: 'The token is bound to one user, and the request names another one or concerns all of them.',
  },
  'sandbox-only': {
    status: 403,
    when: 'The sandbox refuses the request: its Host is not loopback or configured, it comes from a page of another origin, or it was forwarded.',
  },
  'receipt-refused': {
    status: 403,
    when: 'A delivery receipt is not authentic, or its message is unknown. Only gateways get this.',
  },
  'unknown-user': { status: 404, message: 'Unknown user.', when: 'No user has this id.' },
  'no-transactions': {
    status: 404,
    message: 'The individual has no transactions.',
    when: 'The individual has no transactions at all. A filter that matches nothing is a 200.',
  },
  'unknown-transaction': { status: 404, message: 'Unknown transaction.', when: 'The transaction does not exist.' },
  'not-found': { status: 404, when: 'The path, or what it names, does not exist.' },
  'method-not-allowed': {
    status: 405,
    when: 'The path exists, but not with this method. `Allow` lists the methods.',
  },
  'request-timeout': { status: 408, when: 'The request did not arrive completely in time.' },
  'body-too-large': { status: 413, when: 'The body exceeds the size limit of the operation.' },
  'unsupported-media-type': { status: 415, when: 'The operation does not accept the Content-Type of the body.' },
  'too-many-sends': {
    status: 429,
    message: 'Codes to this destination are limited at the moment. Try again later.',
    when: 'A limit on sends is reached. `Retry-After` is the number of seconds until one more fits.',
  },
  'too-many-failures': {
    status: 429,
    message: 'Too many failed attempts. Try again later.',
    when: 'Verification is blocked after too many failed attempts, until `Retry-After` has passed.',
  },
  'too-many-streams': {
    status: 429,
    message: 'Too many streams, exports or statements are open. Try again later.',
    when: 'The caller already has its share of event streams, exports or statements open.',
  },
  'too-many-replays': {
    status: 429,
    message: 'Too many replayed deliveries are still due. Try again later.',
    when: 'More than 10,000 deliveries of earlier replays to the webhook endpoint are still due.',
  },
  'challenge-required': {
    status: 429,
    message: 'A challenge must be solved before another code is sent.',
    when: 'The caller must first send a proof: the solution of the challenge in the header `Challenge`, sent as `Challenge-Solution`, or an `Attestation` (decisions/0008-challenge.md).',
  },
  internal: { status: 500, when: 'A defect of the service. The body is empty; the log has the traceId.' },
  'send-failed': {
    status: 503,
    message: 'The message could not be handed to a gateway. Try again shortly.',
    when: 'Every gateway failed for certain. No message was sent, and the budget is not used.',
  },
  'send-outcome-unknown': {
    status: 503,
    message: 'It is not known whether the message was sent. Wait for it, or try again shortly.',
    when: 'A gateway was reached but did not confirm. The message may arrive; its code works.',
  },
  'send-in-progress': {
    status: 503,
    message: 'The first request with this Idempotency-Key is still under way.',
    when: 'The first request with this Idempotency-Key has no answer yet.',
  },
  'database-unavailable': {
    status: 503,
    message: 'The database is not available. Try again shortly.',
    when: 'The database cannot be reached.',
  },
  'issuer-unavailable': {
    status: 503,
    message: "The token issuer's keys cannot be read. Try again shortly.",
    when: 'The keys of the token issuer cannot be fetched, so no token can be checked.',
  },
  overloaded: {
    status: 503,
    message: 'The service is busy. Try again shortly.',
    when: 'The service has no capacity for this request at the moment.',
  },
  'query-too-slow': {
    status: 503,
    message: 'The database took too long. Request less at a time, or try again later.',
    when: 'The database did not finish a statement in time. The same request is likely to be slow again.',
  },
  stopping: { status: 503, message: 'The service is stopping.', when: 'The process is shutting down.' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorReason = keyof typeof catalogue;

export type FieldErrors = Record<string, string[]>;

export interface ProblemDetails {
  reason: ErrorReason;
  status: number;
  /** Left out if the status says enough (an unknown path, a wrong method). */
  errors?: FieldErrors;
  /** The title that .NET gives to model validation, instead of the name of the status. */
  title?: string;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

export class Problem extends Error {
  readonly details: ProblemDetails;
  /** For the log only: what an operator can mend. */
  override cause?: string;

  constructor(details: ProblemDetails) {
    super(Object.values(details.errors ?? {}).flat()[0] ?? `HTTP ${details.status}`);
    this.name = 'Problem';
    this.details = details;
  }
}

export const isProblem = (error: unknown, reason: ErrorReason): boolean =>
  error instanceof Problem && error.details.reason === reason;

/** Why something outside a request failed, for the log: a code such as ECONNREFUSED, or the name of the problem. */
export function causeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code !== undefined) return String(code);
  if (error instanceof Problem) return error.details.reason;
  return error instanceof Error ? error.name : 'unknown';
}

/** Why the service did not start, in a sentence for the person who started it. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}

/** The caller has closed the connection, so there is nobody to answer. */
export class CallerGone extends Error {}

interface Particulars extends Partial<ProblemDetails> {
  /** In place of the catalogue's own sentence. */
  message?: string;
}

/** Makes an error from an entry of the catalogue. */
export function problem(reason: ErrorReason, { message, ...more }: Particulars = {}): Problem {
  const entry: ErrorEntry = catalogue[reason];
  const sentence = message ?? entry.message;
  const errors = sentence === undefined ? {} : { errors: { Error: [sentence] } };
  return new Problem({ reason, status: entry.status, ...errors, ...more });
}

function later(reason: ErrorReason, retryAfterSeconds: number, more: Particulars = {}): Problem {
  return problem(reason, { ...more, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) });
}

// What was sent.
const validation = (reason: ErrorReason, errors: FieldErrors) =>
  problem(reason, { title: 'One or more validation errors occurred.', errors });
export const invalidFields = (errors: FieldErrors) => validation('invalid-request', errors);
/** .NET gives these two the form of a validation error. */
export const bodyNotJson = (sentence: string) => validation('malformed-body', { $: [sentence] });
export const bodyMissing = () => validation('malformed-body', { '': ['A non-empty request body is required.'] });
export const unsupportedMediaType = () => problem('unsupported-media-type');
export const bodyTooLarge = () => problem('body-too-large');
/** `status` is given if HTTP has a special one: 431 for a header that is too large. */
export const malformedRequest = (status = 400) => problem('malformed-request', { status });
export const requestTimedOut = () => problem('request-timeout');
export const unknownPath = () => problem('not-found');
export const pageNotBuilt = () =>
  problem('not-found', { message: 'The pages have not been built. Run `npm run build`.' });
export const wrongMethod = (allowed: string[]) =>
  problem('method-not-allowed', { headers: { allow: allowed.join(', ') } });
export const internalError = () => problem('internal');

// Who sent it. RFC 6750 section 3: no error code if there is no token, invalid_token if it is not valid.
export const tokenMissing = () => problem('invalid-token', { headers: { 'www-authenticate': 'Bearer' } });
export const tokenInvalid = (why: string) =>
  problem('invalid-token', {
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${why}"` },
  });
export const scopeMissing = (scopes: readonly string[]) =>
  problem('missing-scope', {
    message: `The token lacks the scope ${scopes.join(' or ')}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` },
  });
export const notTheirs = () => problem('not-this-user');
export const notForUsers = () =>
  problem('not-this-user', { message: 'The token is bound to a user. This needs one that is not.' });
export const sandboxClosed = (why: string) => problem('sandbox-only', { message: why });

// Users and phones.
export const unknownUser = () => problem('unknown-user');
export const userExists = () => problem('user-exists');
export const phoneTaken = () => problem('phone-taken');
export const phoneUnsupported = () => problem('phone-not-supported');
/** The channel is unknown, or not allowed for the country of the phone. */
export const channelUnsupported = () => invalidFields({ Channel: ['Channel not supported.'] });
export const nothingToResend = (message?: string) => problem('nothing-to-resend', worded(message));
export const unknownConfirmation = () => problem('not-found', { message: 'Unknown confirmation.' });
export const invalidCode = () => problem('invalid-code');

const worded = (message: string | undefined): Particulars => (message === undefined ? {} : { message });
/** `message` names the kind of limit, but none of its counts. */
export const tooManySends = (seconds: number, message = 'Too many codes were requested. Try again later.') =>
  later('too-many-sends', seconds, { message });
export const tooManyFailures = (seconds: number, message: string) => later('too-many-failures', seconds, { message });
/** `challenge` is what the caller must solve, as the header Challenge gives it. */
export const challengeRequired = (seconds: number, challenge: string) =>
  later('challenge-required', seconds, { headers: { challenge } });
export const phoneNotVerified = () => problem('phone-not-verified');
export const confirmationRequired = () => problem('confirmation-required');
export const notDispatched = (seconds: number) => later('send-failed', seconds);
/** `location` is the path of what was created, if the send created something. */
export const sendOutcomeUnknown = (seconds: number, location?: string) =>
  later('send-outcome-unknown', seconds, location === undefined ? {} : { headers: { location } });
export const keyReused = () => problem('idempotency-conflict');
export const stillSending = () => later('send-in-progress', 1);
/** How the first answer to an Idempotency-Key is stored: its reason, and its message unless it is the catalogue's. */
export function asStored({ reason, errors }: ProblemDetails): string {
  const message = errors?.Error?.[0];
  const isUsual = message === undefined || message === (catalogue[reason] as ErrorEntry).message;
  return isUsual ? reason : `${reason} ${message}`;
}
export function repeated(stored: string): Problem {
  const [reason, ...words] = stored.split(' ');
  // No other error in a field is found as late as that.
  if (reason === 'invalid-request') return channelUnsupported();
  return problem(reason as ErrorReason, worded(words.length > 0 ? words.join(' ') : undefined));
}
export const receiptRefused = () => problem('receipt-refused');

// What operators ask for.
export const unknownBlock = () => problem('not-found', { message: 'There is no such block.' });
export const phoneNotHeld = () => problem('not-found', { message: 'The user does not have this number.' });
export const unknownSafeEntry = () => problem('not-found', { message: 'The safe list has no such entry.' });

// Transactions and events.
export const unknownIndividual = () => problem('unknown-individual');
export const noTransactions = () => problem('no-transactions');
export const unknownTransaction = () => problem('unknown-transaction');
export const severalIndividuals = () => problem('ambiguous-transaction');
export const tooManyStreams = (seconds: number) => later('too-many-streams', seconds);
export const unknownEndpoint = () => problem('not-found', { message: 'Unknown webhook endpoint.' });
export const tooManyEndpoints = () => problem('too-many-endpoints');
export const tooManyReplays = () => later('too-many-replays', 60);
export const endpointDisabled = () => problem('endpoint-disabled');

// What the service depends on.
export const databaseAway = () => later('database-unavailable', 2);
export const databaseContended = () =>
  later('overloaded', 1, { message: 'Too many requests change the same data at the same time. Try again shortly.' });
export const queryTooSlow = () => later('query-too-slow', 30);
export const overloaded = (seconds: number) => later('overloaded', seconds);
export const issuerAway = (message?: string) => later('issuer-unavailable', 5, worded(message));
export const serviceStopping = () => later('stopping', 2);
