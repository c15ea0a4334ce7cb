/** What the wiring of every domain uses. */
import type { Admission } from '../sharing/admission.ts';
import type { ServiceClock } from '../values/clock.ts';
import type { Config } from '../config/load.ts';
import type { Database } from '../db/database.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import type { Observer } from '../monitoring/observe.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { JobName } from './job-table.ts';
import type { Jobs } from './jobs.ts';
import type { Siblings } from './processes/siblings.ts';
import type { Releasers } from './releasers.ts';
import type { Stopping } from './stopping.ts';

export interface Core {
  /** Undefined while tracing is off. */
  tracing: Tracing | undefined;
  /** Gives every function of a store a span with its name. Returns the store itself while tracing is off. */
  traced<T extends object>(name: string, store: T): T;
  config: Config;
  db: Database;
  admission: Admission;
  clock: ServiceClock;
  observer: Observer;
  /** Keys for one purpose each, derived from the digest keys. */
  deriveKeys(purpose: string): DigestKeys;
  /** The key of the guard's counters and safe list, the same through every rotation of the digest key. */
  guardKey: Buffer;
  jobs: Jobs<JobName>;
  stopping: Stopping;
  siblings: Siblings;
  releasers: Releasers;
}
