/** Wires erasure, subject access and retention. */
import { createEraseUser } from '../privacy/erase-user.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { createReadUserData } from '../privacy/read-user-data.ts';
import { createRetention, retentionKinds } from '../privacy/retention.ts';
import { createRetentionStore } from '../privacy/retention.store.ts';
import type { Core } from './core.ts';

export function openPrivacy({ config, db, clock, observer, jobs, traced }: Core) {
  const store = traced('privacy', createPrivacyStore(db));
  const { observe } = observer;
  const retention = createRetention({
    store: traced('privacy', createRetentionStore(db)),
    clock,
    kinds: retentionKinds(config),
  });
  jobs.start({ name: 'retention', everyMilliseconds: 600_000, runsOnce: true, run: retention.run });
  return {
    eraseUser: createEraseUser({ store, clock, observe, retainDays: config.retainErasedDays }),
    readUserData: createReadUserData(store, clock, observe),
  };
}
