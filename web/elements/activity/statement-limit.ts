/** How many rows a statement may have. */
import type { ActivityTexts } from '../../intl/languages/activity-texts.ts';

/** As many as the service allows. */
export const maxStatementRows = 10_000;

export function tooLongSentence(texts: ActivityTexts, locale: string): string {
  return texts.statementTooLong(maxStatementRows.toLocaleString(locale));
}
