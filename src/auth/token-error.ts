/** The errors of the token endpoint: RFC 6749 section 5.2, and the one for a busy server from section 4.1.2.1. */

export const tokenErrorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'temporarily_unavailable',
] as const;

type TokenErrorCode = (typeof tokenErrorCodes)[number];

export class TokenError extends Error {
  readonly code: TokenErrorCode;
  readonly status: number;

  constructor(code: TokenErrorCode, description: string, status = 400) {
    super(description);
    this.name = 'TokenError';
    this.code = code;
    this.status = status;
  }
}

/** The spelling of a code in the header Error-Reason. */
export function reasonOfTokenError(code: TokenErrorCode): string {
  return code.replaceAll('_', '-');
}
