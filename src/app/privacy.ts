/** Wires erasure, subject access and the removal of retained rows. */
import { createEraseUser } from '../privacy/erase-user.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { createReadUserData } from '../privacy/read-user-data.ts';
import { createRemoveRetained } from '../privacy/remove-retained.ts';
import type { Core } from './core.ts';

export function openPrivacy({ config, db, clock, observer, jobs, traced }: Core) {
  const store = traced('privacy', createPrivacyStore(db));
  const { observe } = observer;
  jobs.start({
    name: 'retained-removal',
    everyMilliseconds: 60_000,
    runsOnce: true,
    run: createRemoveRetained(store, clock),
  });
  return {
    eraseUser: createEraseUser({ store, clock, observe, retainDays: config.retainErasedDays }),
    readUserData: createReadUserData(store, clock, observe),
  };
}
