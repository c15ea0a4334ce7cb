/** `@ledgerline/client/phone`: phone verification alone, for an app that uses nothing else. */
import { createCalls } from './calls.ts';
import { phoneFunctions, type PhoneFunctions, type PhoneOptions } from './phone.ts';
import type { TransportOptions } from './transport.ts';

export type { PhoneFunctions, PhoneOptions, ResendOptions, SendOptions, SentCode } from './phone.ts';
export { LedgerlineError } from './errors.ts';
export { clientCredentials } from './token.ts';

export function createPhoneClient(options: TransportOptions & PhoneOptions = {}): PhoneFunctions {
  return phoneFunctions(createCalls(options), options);
}
