/** Combines the stores of what operators see and change. */
import type { Database } from '../../db/database.ts';
import { createBlocksStore } from './blocks.store.ts';
import { createDecisionsStore } from '../decisions.store.ts';
import { createModesStore } from './modes.store.ts';
import { createSafeListStore } from './safe-list.store.ts';

export type GuardControlStore = ReturnType<typeof createGuardControlStore>;

export function createGuardControlStore(db: Database) {
  return {
    ...createModesStore(db),
    ...createBlocksStore(db),
    ...createSafeListStore(db),
    ...createDecisionsStore(db),
  };
}
