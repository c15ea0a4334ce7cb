/** `@ledgerline/client/transactions`: wallet activity alone, for an app that uses nothing else. */
import { createCalls } from './calls.ts';
import { transactionFunctions, type TransactionFunctions } from './transactions.ts';
import type { TransportOptions } from './transport.ts';

export type * from './mirror.ts';
export type * from './transaction-types.ts';
export type * from './transactions.ts';
export { LedgerlineError } from './errors.ts';
export { clientCredentials } from './token.ts';

export function createTransactionsClient(options: TransportOptions = {}): TransactionFunctions {
  return transactionFunctions(createCalls(options));
}
