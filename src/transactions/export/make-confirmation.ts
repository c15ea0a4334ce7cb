/** A confirmation: a document about one transaction of an individual. */
import { unknownIndividual, unknownTransaction } from '../../errors.ts';
import type { DocumentHead } from '../../statements/statement.ts';
import { openWriter } from '../../statements/statement-writer.ts';
import type { DocumentParts, StatementReply, StatementRequest } from './make-statement.ts';

export interface ConfirmationRequest extends Pick<StatementRequest, 'individualId' | 'timeZone' | 'locale' | 'owner'> {
  transactionId: string;
}

export function createMakeConfirmation(parts: DocumentParts) {
  const { store, clock, pageTokens, extraFont, brand, desk } = parts;
  return async function makeConfirmation(request: ConfirmationRequest): Promise<StatementReply> {
    const { individualId, transactionId, timeZone, locale, owner } = request;
    const total = await store.countAll(individualId);
    if (total === undefined) throw unknownIndividual();
    const [found] = await store.findTransactions(transactionId, individualId);
    if (found === undefined) throw unknownTransaction();
    const now = clock.now();
    const head: DocumentHead = { individualId, locale, timeZone, madeAt: now.toISOString(), brand, extraFont };
    return {
      chunks: await desk.make({
        owner,
        rowCount: 1,
        bodies: [[found]],
        open: () => openWriter({ kind: 'confirmation', head }),
      }),
      asOf: pageTokens.issue(individualId, total, now),
    };
  };
}
