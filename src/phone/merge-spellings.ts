/**
 * Keeps one key for each phone. It runs at the start and then every hour: nodes of an earlier release, which treat the
 * spellings as different phones, may run at the same time for a while.
 */
import type { Clock } from '../values/clock.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { PhoneSpellingsStore } from './phone-spellings.store.ts';

export function createMergeSpellings(store: PhoneSpellingsStore, clock: Clock, observe: Observe) {
  return async function mergeSpellings(): Promise<void> {
    for (const userId of await store.merge(clock.now())) observe({ kind: 'phone-unlinked', userId });
  };
}
