/** What an error means to an operator, in one sentence. */
import { LedgerlineError } from '../../client/index.ts';

const reasonSentence = (reason: string | undefined): string | undefined =>
  ({
    'missing-scope': 'This token may not do that: reading needs the scope operator:read, changing operator:write.',
    'unknown-user': 'There is no user with this id.',
    'unknown-individual': 'There is no user with this id.',
    'not-found': 'It is no longer there.',
    'database-unavailable': 'The service cannot reach its database.',
    'query-too-slow': 'The query took too long. Narrow the filter, or try again later.',
    overloaded: 'The service is busy. Try again shortly.',
  })[reason ?? ''];

export function sentenceOf(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline' || error.kind === 'aborted') return 'The service does not answer.';
  if (error.kind === 'unauthorized') return 'The token has expired or was refused.';
  return reasonSentence(error.reason) ?? error.message;
}
