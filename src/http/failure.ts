/** Turns an error into the reply that the caller gets. */
import { reasonOfTokenError, TokenError } from '../auth/token-error.ts';
import { CallerGone, internalError, malformedRequest, Problem } from '../errors.ts';
import type { Reply } from './operation.ts';
import { problemReply } from './problem.ts';
import type { Refusal, RequestRecord } from './request-record.ts';
import { tokenErrorReply, tokenProblemReply } from './token-error-reply.ts';

interface FailureOptions {
  /** The entry of the catalogue for an error of the database; undefined if it is a defect. */
  translate(error: unknown): Problem | undefined;
  observeDefect(error: unknown, traceId: string): void;
}

export function createFailureReply({ translate, observeDefect }: FailureOptions) {
  return function failureReply(error: unknown, record: RequestRecord): Reply {
    const { traceId, oauthErrors } = record;
    if (error instanceof TokenError) {
      record.refusal = { reason: reasonOfTokenError(error.code) };
      return tokenErrorReply(error);
    }
    // This answer is not read by anybody: the connection is closed.
    const known = error instanceof CallerGone ? malformedRequest() : error;
    const problem = known instanceof Problem ? known : translate(known);
    if (!problem) {
      observeDefect(error, traceId);
      return problemReply(internalError().details, traceId);
    }
    record.refusal = refusalOf(problem);
    // RFC 6749 has no code for a server that is overloaded or unavailable: such an answer is the same on every path.
    const isOauthError = oauthErrors && problem.details.status < 500;
    return isOauthError ? tokenProblemReply(problem) : problemReply(problem.details, traceId);
  };
}

/** For the log: an operator must be able to distinguish an expired token from one for another audience, for example. */
function refusalOf({ cause, details: { reason, headers } }: Problem): Refusal {
  const detail = cause ?? /error_description="([^"]+)"/.exec(headers?.['www-authenticate'] ?? '')?.[1];
  return detail === undefined ? { reason } : { reason, detail };
}
