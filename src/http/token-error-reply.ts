/** The errors of the token endpoint as replies: RFC 6749 section 5.2. */
import { reasonOfTokenError, TokenError } from '../auth/token-error.ts';
import type { ErrorReason, Problem } from '../errors.ts';
import { jsonType, noStore, type Reply } from './operation.ts';
import { reasonHeader, titleOf } from './problem.ts';

export function tokenErrorReply({ status, code, message }: TokenError, headers?: Record<string, string>): Reply {
  return {
    status,
    body: JSON.stringify({ error: code, error_description: message }),
    contentType: jsonType,
    headers: {
      [reasonHeader]: reasonOfTokenError(code),
      ...headers,
      ...noStore,
      ...(status === 401 && { 'www-authenticate': 'Basic realm="ledgerline"' }),
    },
  };
}

/** The sandbox's refusal of remote callers is not part of RFC 6749: it has the same reason on every path. */
const remoteCallerReason: ErrorReason = 'sandbox-only';

/** A request for a token that was refused before the issuer saw it. */
export function tokenProblemReply({ details }: Problem): Reply {
  const { reason, status, errors, headers, retryAfterSeconds } = details;
  const code = status === 503 ? 'temporarily_unavailable' : 'invalid_request';
  const error = new TokenError(code, errors?.Error?.[0] ?? `${titleOf(status)}.`, status);
  return tokenErrorReply(error, {
    ...headers,
    ...(reason === remoteCallerReason && { [reasonHeader]: reason }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
}
