/** The safe list: phone numbers and prefixes that the rules about destinations do not check. */
import type { Clock } from '../../values/clock.ts';
import { invalidFields, unknownSafeEntry } from '../../errors.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { Owner } from '../../sharing/slots.ts';
import { maskPhone, type PhoneNumber } from '../../values/phone-number.ts';
import type { AnnounceChange } from './announce-change.ts';
import { safeNumberKey } from '../live.ts';
import type { SafeEntry, SafeListStore } from './safe-list.store.ts';
import type { Digest } from '../source.ts';

export type SafeInput = { phoneNumber: PhoneNumber } | { prefix: string };

export interface SafeListParts {
  store: SafeListStore;
  digest: Digest;
  clock: Clock;
  announceChange: AnnounceChange;
}

const safeEntryLimit = 1000;

export function createSafeList({ store, digest, clock, announceChange }: SafeListParts) {
  return {
    listSafe: (owner?: Owner): Promise<SafeEntry[]> => store.listSafe(owner),

    async addSafe(who: Operator, input: SafeInput): Promise<void> {
      const entry =
        'prefix' in input
          ? { key: input.prefix, label: input.prefix, isPrefix: true }
          : {
              key: safeNumberKey(digest, input.phoneNumber.e164),
              label: maskPhone(input.phoneNumber.e164),
              isPrefix: false,
            };
      if (!(await store.addSafe(entry, safeEntryLimit, who, clock.now()))) {
        throw invalidFields({ PhoneNumber: [`The safe list holds at most ${safeEntryLimit} entries.`] });
      }
      await announceChange(who, 'add-safe', entry.label);
    },

    async removeSafe(who: Operator, id: string): Promise<void> {
      if (!(await store.removeSafe(id, who, clock.now()))) throw unknownSafeEntry();
      await announceChange(who, 'remove-safe', id);
    },
  };
}
