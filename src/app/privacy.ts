/** Wires erasure, subject access and retention. */
import { secondsAfter } from '../values/clock.ts';
import { createEraseUser } from '../privacy/erase-user.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { createReadUserData } from '../privacy/read-user-data.ts';
import { createRetention, retentionKinds } from '../privacy/retention.ts';
import { createRetentionStore } from '../privacy/retention.store.ts';
import { countryOf } from '../values/phone-number.ts';
import type { Core } from './core.ts';

/** After this time, no request that was in flight when a user was erased can still write anything. */
const completionSeconds = 60;
const erasuresAtOnce = 100;

export function openPrivacy({ config, db, clock, observer, jobs, stopping, traced }: Core) {
  const store = traced('privacy', createPrivacyStore(db));
  const { observe } = observer;
  const retention = createRetention({
    store: traced('privacy', createRetentionStore(db)),
    clock,
    kinds: retentionKinds(config.retentionDays),
  });
  jobs.start({
    retention: () => retention.runJob(() => stopping.signal.aborted),
    'retention-lag': async () => observe({ kind: 'retention-lag', lags: await retention.readLags() }),
  });
  if (db.isDistributed) {
    const run = () => store.completeErasures(secondsAfter(clock.now(), -completionSeconds), erasuresAtOnce, countryOf);
    jobs.start({ 'complete-erasures': run });
  }
  return {
    eraseUser: createEraseUser({ store, clock, observe, retainDays: config.retainErasedDays }),
    readUserData: createReadUserData(store, clock, observe),
  };
}
