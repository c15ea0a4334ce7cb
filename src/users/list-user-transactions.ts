/** A customer's transactions, for operators. */
import type { Audit, Operator } from './find-users.ts';

/** Every page is audited, before it is read. */
export function createListUserTransactions<Request extends { individualId: number }, Reply>(
  list: (request: Request) => Promise<Reply>,
  audit: Audit,
) {
  return async function listUserTransactions(who: Operator, request: Request): Promise<Reply> {
    await audit(who, 'list-transactions', { userId: request.individualId });
    return list(request);
  };
}
