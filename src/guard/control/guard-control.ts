/** What an operator can see and change in the guard. Each part has its own file. */
import type { Audit } from '../../audit/audit.ts';
import type { Clock } from '../../values/clock.ts';
import type { Observe } from '../../monitoring/observe.ts';
import { createAnnounceChange } from './announce-change.ts';
import { createBlocks } from './blocks.ts';
import type { GuardControlStore } from './guard-control.store.ts';
import type { LiveGuard } from '../live.ts';
import { createModes } from './modes.ts';
import type { RangeBook } from '../ranges/range-book.ts';
import type { Modes } from '../rules.ts';
import { createSafeList } from './safe-list.ts';
import type { Digest } from '../source.ts';

export { blockLimit } from './blocks.ts';

export interface GuardControlParts {
  store: GuardControlStore;
  audit: Audit;
  configured: Modes;
  digest: Digest;
  clock: Clock;
  observe: Observe;
  /** Absent if no service runs in this process. */
  live?: Pick<LiveGuard, 'refresh'> & Pick<RangeBook, 'forgetRange'>;
}

export type GuardControl = ReturnType<typeof createGuardControl>;

export function createGuardControl({ store, audit, configured, digest, clock, observe, live }: GuardControlParts) {
  const announceChange = createAnnounceChange(observe, live?.refresh);
  const modes = createModes({ store, configured, clock, announceChange });
  const blocks = createBlocks({ store, digest, clock, announceChange, forgetRange: live?.forgetRange });
  const safeList = createSafeList({ store, digest, clock, announceChange });
  return {
    rules: modes.listRules,
    setMode: modes.setMode,
    blocks: blocks.listBlocks,
    lift: blocks.liftBlock,
    safeList: safeList.listSafe,
    addSafe: safeList.addSafe,
    removeSafe: safeList.removeSafe,
    decisions: store.readDecisions,
    actions: audit.listActions,
    exportActions: audit.exportActions,
  };
}
