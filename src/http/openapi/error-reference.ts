/** Generates `docs/errors.md` from the catalogue. */
import { reasonOfTokenError, tokenErrorCodes } from '../../auth/token-error.ts';
import { catalogue, type ErrorEntry } from '../../errors.ts';

export function errorReference(): string {
  const entries = Object.entries(catalogue) as [string, ErrorEntry][];
  const rows = entries.map(
    ([name, { status, message, when }]) => `| \`${name}\` | ${status} | ${when} | ${message ?? ''} |`,
  );
  return `# Errors

Generated from \`src/errors.ts\` by \`npm run generate\`.

Every error answer carries the header \`Error-Reason\`: the stable name of the error. Decide by it, not by the English
sentence in the body. New names may be added; none changes its meaning. An answer without the header did not come from
Ledgerline, but from a proxy in front of it.

The body is a problem-details object (RFC 7807) with \`type\`, \`title\`, \`status\`, \`traceId\` and, in most cases,
\`errors\`: from the name of a field, or \`Error\` for a refusal by a rule, to a list of sentences. The \`traceId\` is
also in the service's log. A 401 and a 500 have an empty body. A 429 and most 503 carry \`Retry-After\` in seconds.

| Error-Reason | status | when | sentence under \`Error\` |
|---|---|---|---|
${rows.join('\n')}

A header of a request that is too large has the reason \`malformed-request\` and the status 431.

\`/connect/token\` answers as RFC 6749 section 5.2 asks. Its reasons are the codes of that section with hyphens:
${tokenErrorCodes.map((code) => `\`${reasonOfTokenError(code)}\``).join(', ')}. A wrong method is \`invalid-request\`, too. Only the
sandbox's refusal of remote callers keeps its reason, \`sandbox-only\`.
`;
}
