/** `@ledgerline/client/operator`: the operations of operators alone. */
import { createCalls } from './calls.ts';
import { operatorFunctions, type OperatorFunctions } from './operator.ts';
import type { TransportOptions } from './transport.ts';

export type * from './operator.ts';
export { LedgerlineError } from './errors.ts';
export { clientCredentials } from './token.ts';

export function createOperatorClient(options: TransportOptions = {}): OperatorFunctions {
  return operatorFunctions(createCalls(options));
}
