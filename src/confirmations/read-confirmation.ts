/** Reads a confirmation, or cancels it. */
import type { Clock } from '../values/clock.ts';
import { unknownConfirmation, unknownUser } from '../errors.ts';
import type { ConfirmationsStore, StoredConfirmation } from './confirmations.store.ts';

export interface ConfirmationStatus extends StoredConfirmation {
  confirmationId: string;
}

export type ReadConfirmation = ReturnType<typeof createReadConfirmation>;

/** `confirmationId` is undefined if the path cannot name a confirmation. */
export function createReadConfirmation(store: ConfirmationsStore, clock: Clock) {
  const unknown = async (userId: number) => ((await store.isUser(userId)) ? unknownConfirmation() : unknownUser());

  return {
    async read(userId: number, confirmationId: string | undefined): Promise<ConfirmationStatus> {
      const known = confirmationId && (await store.readConfirmation({ userId, confirmationId }, clock.now()));
      if (!known) throw await unknown(userId);
      return { confirmationId, ...known };
    },

    async cancel(userId: number, confirmationId: string | undefined): Promise<void> {
      const isKnown = confirmationId && (await store.cancelConfirmation({ userId, confirmationId }, clock.now()));
      if (!isKnown) throw await unknown(userId);
    },
  };
}
