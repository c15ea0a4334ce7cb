/** One transaction by its id, and by its individual if several individuals have a transaction with that id. */
import { severalIndividuals, unknownTransaction } from '../errors.ts';
import type { TransactionsStore } from './transactions.store.ts';

export function createGetTransaction(store: TransactionsStore) {
  /** The transaction's JSON. */
  return async function getTransaction(transactionId: string, individualId?: number): Promise<string> {
    const [found, another] = await store.findTransactions(transactionId, individualId);
    if (found === undefined) throw unknownTransaction();
    if (another !== undefined) throw severalIndividuals();
    return found;
  };
}
