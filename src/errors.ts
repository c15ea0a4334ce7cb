/**
 * The catalogue of everything Ledgerline refuses or fails at on purpose.
 * Code throws an entry; `http/problem.ts` alone turns it into a response.
 */

export type FieldErrors = Record<string, string[]>;

export interface ProblemDetails {
  status: number;
  /** Left out where the status says enough (an unknown path, a wrong method). */
  errors?: FieldErrors;
  /** The summary .NET gives to model validation, instead of the status's own name. */
  title?: string;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

export class Problem extends Error {
  readonly details: ProblemDetails;

  constructor(details: ProblemDetails) {
    super(Object.values(details.errors ?? {}).flat()[0] ?? `HTTP ${details.status}`);
    this.name = 'Problem';
    this.details = details;
  }
}

/** Why the service did not start, in a sentence for the person who started it. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}

/** A refusal by a rule rather than by the shape of the input. */
function refusal(status: number, message: string, more: Partial<ProblemDetails> = {}): Problem {
  return new Problem({ status, errors: { Error: [message] }, ...more });
}

function later(status: number, message: string, retryAfterSeconds: number): Problem {
  return refusal(status, message, { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) });
}

// What was sent.
export const invalidFields = (errors: FieldErrors) =>
  new Problem({ status: 400, title: 'One or more validation errors occurred.', errors });
export const unsupportedMediaType = () => new Problem({ status: 415 });
export const bodyTooLarge = () => new Problem({ status: 413 });
export const hostMissing = () => new Problem({ status: 400 });
export const requestTimedOut = () => new Problem({ status: 408 });
export const unknownPath = () => new Problem({ status: 404 });
export const pageNotBuilt = () => refusal(404, 'The pages have not been built. Run `npm run build`.');
export const wrongMethod = (allowed: string[]) => new Problem({ status: 405, headers: { allow: allowed.join(', ') } });

// Who sent it. RFC 6750 section 3: no error code when no token came, invalid_token when a bad one did.
export const tokenMissing = () => new Problem({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
export const tokenInvalid = (why: string) =>
  new Problem({
    status: 401,
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${why}"` },
  });
export const scopeMissing = (scopes: readonly string[]) =>
  refusal(403, `The token lacks the scope ${scopes.join(' or ')}.`, {
    headers: {
      'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    },
  });
export const notTheirs = () => refusal(403, 'The token is bound to another user.');
export const sandboxClosed = (why: string) => refusal(403, why);

// Users and phones.
export const unknownUser = () => refusal(404, 'Unknown user.');
export const userExists = () => refusal(400, 'User already exists.');
export const phoneTaken = () => refusal(400, 'Phone already registered');
export const phoneUnsupported = () => refusal(400, 'Phone number not supported.');
export const nothingToResend = () => refusal(400, 'No code has been sent to this user yet.');
export const invalidCode = () => refusal(400, 'Invalid code.');

/** Which kind of limit, and nothing of its counts. */
const sendLimits: Record<string, string> = {
  'user-sends': 'Too many codes were requested. Try again later.',
  'phone-sends': 'Too many codes were requested for this phone number. Try again later.',
  'phone-users': 'Too many users requested codes for this phone number. Try again later.',
  'user-phones': 'Codes were requested for too many phone numbers. Try again later.',
  'address-sends': 'Too many codes were requested from this address. Try again later.',
  'token-sends': 'Too many codes were requested with this token. Try again later.',
};
const failureLimits: Record<string, string> = {
  'phone-failures': 'Too many failed attempts for this phone number. Try again later.',
  'address-failures': 'Too many failed attempts from this address. Try again later.',
  'token-failures': 'Too many failed attempts with this token. Try again later.',
};
export const tooManySends = (seconds: number, limit = 'user-sends') =>
  later(429, sendLimits[limit] ?? 'Codes to this destination are limited at the moment. Try again later.', seconds);
export const tooManyFailures = (seconds: number, limit = 'user-failures') =>
  later(429, failureLimits[limit] ?? 'Too many failed attempts. Try again later.', seconds);
export const notDispatched = (seconds: number) =>
  later(503, 'The message could not be handed to a gateway. Try again shortly.', seconds);
export const keyReused = () => refusal(400, 'The Idempotency-Key was used for another request.');
export const stillSending = () => later(503, 'The first request with this Idempotency-Key is still under way.', 1);
/** The first answer to an Idempotency-Key, once more. */
export const repeated = (status: number, message: string) => refusal(status, message);
export const receiptRefused = () => new Problem({ status: 403 });

// What operators ask for.
export const unknownBlock = () => refusal(404, 'Nothing is blocked by that name.');
export const unknownSafeEntry = () => refusal(404, 'The safe list has no such entry.');

// Transactions.
export const unknownIndividual = () => refusal(400, 'Unknown individual.');
export const noTransactions = () => refusal(404, 'The individual has no transactions.');
export const unknownTransaction = () => refusal(404, 'Unknown transaction.');
export const severalIndividuals = () =>
  refusal(400, 'Several individuals hold this transactionId. Give individualId too.');

// What we stand on.
export const databaseAway = () => later(503, 'The database is not available. Try again shortly.', 2);
export const databaseBusy = () => later(503, 'Too many exports are running. Try again shortly.', 10);
export const databaseContended = () => later(503, 'Too many calls for the same thing at once. Try again shortly.', 1);
export const queryTooLong = () => later(503, 'The query took too long. Narrow the filter, or try again later.', 30);
export const issuerAway = () => later(503, "The token issuer's keys cannot be read. Try again shortly.", 5);
