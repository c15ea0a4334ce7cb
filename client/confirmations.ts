/** Confirmations: a code for one act of a user whose phone is verified. */
import { get, post, remove, type CallOptions, type Calls } from './calls.ts';
import { textOf } from './errors.ts';
import { newIdempotencyKey, sentCode, type SentCode } from './phone.ts';
import type { Call } from './transport.ts';
import type * as wire from './types.ts';

export interface ConfirmationOptions extends CallOptions {
  /**
   * Identifies the request: if it is repeated with the same key within a day, the first answer is given again and
   * nothing is sent twice. Generated if not given.
   */
  idempotencyKey?: string;
}

export interface ResendConfirmationOptions extends ConfirmationOptions {
  /** How the code is sent this time. If absent, another gateway of the same channel comes first, then the next channel. */
  channel?: NonNullable<wire.ResendConfirmationRequest['channel']>;
}

export type ConfirmationFunctions = ReturnType<typeof confirmationFunctions>;

export function confirmationFunctions({ transport, json, discardBody }: Calls) {
  const path = (userId: number, confirmationId: string, action = '') =>
    `/User/${userId}/confirmations/${encodeURIComponent(confirmationId)}${action}`;

  return {
    /**
     * Sends a code for what the person is about to agree to. If the error has the reason `send-outcome-unknown`, the
     * text may arrive and its code works: the same call with the same key sends it again, and `location` of the error
     * names the confirmation.
     */
    create: (
      userId: number,
      request: wire.CreateConfirmationRequest,
      options?: ConfirmationOptions,
    ): Promise<wire.CreatedConfirmation> =>
      json(once(post(`/User/${userId}/confirmations`, request, options), options)),

    /**
     * For back ends only. Give the terms of what you are about to do: if one differs, the confirmation is void. Do not
     * repeat the call: if it failed with `offline` or `unavailable`, `read` the state. If it is `approved`, one check has
     * succeeded; act on it only if you have not acted on this confirmationId before.
     */
    check: (
      userId: number,
      confirmationId: string,
      request: wire.CheckConfirmationRequest,
      options?: CallOptions,
    ): Promise<wire.ApprovedConfirmation> => json(post(path(userId, confirmationId, '/check'), request, options)),

    /** Sends the same code again. It expires when it would have. */
    async resend(userId: number, confirmationId: string, options?: ResendConfirmationOptions): Promise<SentCode> {
      const body = options?.channel && { channel: options.channel };
      const call = once(post(path(userId, confirmationId, '/resend-code'), body, options), options);
      const response = await transport(call);
      await textOf(response, call.signal);
      return sentCode(response.headers);
    },

    read: (userId: number, confirmationId: string, options?: CallOptions): Promise<wire.Confirmation> =>
      json(get(path(userId, confirmationId), options)),

    /** Gives a pending confirmation up. */
    cancel: (userId: number, confirmationId: string, options?: CallOptions): Promise<void> =>
      discardBody(remove(path(userId, confirmationId), options)),
  };
}

/** A send with a key may be repeated if there was no answer. */
function once(call: Call, { idempotencyKey = newIdempotencyKey() }: ConfirmationOptions = {}): Call {
  return { ...call, idempotencyKey, repeatable: true };
}
