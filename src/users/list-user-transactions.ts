/** A customer's transactions, for operators. */
import type { Operator } from '../audit/operator-actions.ts';
import type { RecordLookup } from './find-users.ts';

/** Every page is audited, before it is read. */
export function createListUserTransactions<Request extends { individualId: number }, Reply>(
  list: (request: Request) => Promise<Reply>,
  recordLookup: RecordLookup,
) {
  return async function listUserTransactions(who: Operator, request: Request): Promise<Reply> {
    await recordLookup(who, 'list-transactions', { userId: request.individualId });
    return list(request);
  };
}

/** One of them, with its details. It is audited too. */
export function createReadUserTransaction(
  get: (transactionId: string, individualId: number) => Promise<string>,
  recordLookup: RecordLookup,
) {
  return async function readUserTransaction(who: Operator, userId: number, transactionId: string): Promise<string> {
    await recordLookup(who, 'list-transactions', { userId });
    return get(transactionId, userId);
  };
}
