/** What an error means to an operator, in one sentence. */
import { LedgerlineError } from '../../client/index.ts';
import { t } from './texts.ts';

const reasonSentence = (reason: string | undefined): string | undefined =>
  ({
    'missing-scope': t.common.missingScope,
    'unknown-user': t.common.unknownUser,
    'unknown-individual': t.common.unknownUser,
    'not-found': t.common.gone,
    'database-unavailable': t.common.databaseAway,
    'query-too-slow': t.common.querySlow,
    overloaded: t.common.busy,
  })[reason ?? ''];

export function sentenceOf(error: unknown): string {
  if (!(error instanceof LedgerlineError)) return error instanceof Error ? error.message : String(error);
  if (error.kind === 'offline' || error.kind === 'aborted') return t.common.noAnswer;
  if (error.kind === 'unauthorized') return t.common.tokenRefused;
  return reasonSentence(error.reason) ?? error.message;
}
