/** Every operation of the service as a function. */
import { createCalls, get, post, remove, withQuery, type CallOptions } from './calls.ts';
import { confirmationFunctions } from './confirmations.ts';
import { LedgerlineError } from './errors.ts';
import { eventFunctions, webhookFunctions } from './events.ts';
import { operatorFunctions } from './operator.ts';
import { phoneFunctions, type PhoneOptions } from './phone.ts';
import { transactionFunctions } from './transactions.ts';
import type { TransportOptions } from './transport.ts';
import type * as wire from './types.ts';

export interface ClientOptions extends TransportOptions, PhoneOptions {}

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions = {}) {
  const calls = createCalls(options);
  const { json, discardBody } = calls;

  return {
    ...phoneFunctions(calls, options),

    createUser: (request: wire.CreateUserRequest = {}, options?: CallOptions): Promise<wire.CreatedUser> =>
      json(post('/User', request, options)),

    /** Erases the user. Erasing one again is not an error. */
    eraseUser: (userId: number, options?: CallOptions): Promise<void> =>
      discardBody(remove(`/User/${userId}`, options)),

    /** Everything that is stored about the user. */
    readUserData: (userId: number, options?: CallOptions): Promise<wire.UserData> =>
      json(get(`/User/${userId}/data`, options)),

    unlinkPhone: (userId: number, options?: CallOptions): Promise<void> =>
      discardBody(remove(`/User/${userId}/phone-number`, options)),

    confirmations: confirmationFunctions(calls),
    events: eventFunctions(calls),
    webhooks: webhookFunctions(calls),

    ...transactionFunctions(calls),

    /** Whether the service is ready. One request, unless the options have `retries`. */
    isReady: (options?: CallOptions): Promise<boolean> =>
      discardBody({ ...get('/health/ready', { retries: 0, ...options }), open: true }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof LedgerlineError) return false;
          throw error;
        },
      ),

    /** For operators: scopes operator:read and operator:write. */
    operator: operatorFunctions(calls),

    /** Only in a sandbox. */
    sandbox: {
      messages: (phoneNumber?: string, options?: CallOptions): Promise<wire.SandboxMessage[]> =>
        json({ ...get(withQuery('/sandbox/messages', { phoneNumber }), options), open: true }),

      /** Moves the service's clock forward. 0 only reads it. */
      advanceClock: (advanceSeconds: number, options?: CallOptions): Promise<wire.SandboxClock> =>
        json({ ...post('/sandbox/clock', { advanceSeconds }, options), open: true }),

      resetClock: (options?: CallOptions): Promise<void> =>
        discardBody({ ...remove('/sandbox/clock', options), open: true }),

      empty: (options?: CallOptions): Promise<void> => discardBody({ ...remove('/sandbox/data', options), open: true }),
    },
  };
}
