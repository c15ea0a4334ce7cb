/**
 * Another number for a verified user. The old one stays linked until the new one is proven by a code; then one statement
 * swaps them, and the old one gets a text that says so.
 */
import { unknownUser } from '../errors.ts';
import type { SentCode } from '../codes/idempotent-send.ts';
import type { Origin } from '../guard/source.ts';
import { parsePhoneNumber } from '../values/phone-number.ts';
import type { ChangesStore } from './changes.store.ts';
import type { ResendRequest, SendCode, SendRequest } from './send-code.ts';
import type { SendNotice } from './send-notice.ts';
import type { VerifyCode } from './verify-code.ts';

export interface ChangeRules {
  store: ChangesStore;
  send: SendCode;
  verifyCode: VerifyCode;
  /** Undefined if the old number gets no text. */
  sendNotice: SendNotice | undefined;
  /** Whether service tokens need a confirmation too. User-bound tokens always do: a stolen one must not be enough. */
  isConfirmationRequired: boolean;
}

export interface ChangeRequest extends Omit<SendRequest, 'kind' | 'confirmation'> {
  confirmationId: string | undefined;
}

export type ChangePhone = ReturnType<typeof createChangePhone>;

export function createChangePhone({ store, send, verifyCode, sendNotice, isConfirmationRequired }: ChangeRules) {
  return {
    isAllowed: send.isAllowed,

    /** Returns undefined if the user has this number already. */
    askForChange({ confirmationId, ...request }: ChangeRequest): Promise<SentCode | undefined> {
      const needsConfirmation = isConfirmationRequired || request.origin.bound;
      return send.sendCode({
        ...request,
        kind: 'change',
        ...(needsConfirmation && { confirmation: { id: confirmationId } }),
      });
    },

    resendChange: (request: Omit<ResendRequest, 'kind'>): Promise<SentCode | undefined> =>
      send.resendCode({ ...request, kind: 'change' }),

    /** The notice to the old number is sent after the answer: no outcome of it changes anything. */
    async verifyChange(userId: number, code: string, origin: Origin): Promise<void> {
      const previous = await verifyCode('change', userId, code, origin);
      if (previous !== null) sendNotice?.(userId, parsePhoneNumber(previous)!, origin.traceId);
    },

    async giveUpChange(userId: number): Promise<void> {
      if (!(await store.endChange(userId))) throw unknownUser();
    },
  };
}
