/** What every domain is wired with. */
import type { ServiceClock } from '../clock.ts';
import type { Config } from '../config/load.ts';
import type { Database } from '../db/database.ts';
import type { Observer } from '../observe.ts';
import type { Jobs } from './jobs.ts';
import type { Releasers } from './releasers.ts';
import type { Stopping } from './stopping.ts';

export interface Core {
  config: Config;
  db: Database;
  clock: ServiceClock;
  observer: Observer;
  /** Keys for one purpose each, derived from the digest key. */
  deriveKey(purpose: string): Buffer;
  jobs: Jobs;
  stopping: Stopping;
  releasers: Releasers;
}
