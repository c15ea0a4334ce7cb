/** Wires the standbys, if there are any, that may answer instead of the primary. */
import { openDatabase } from '../db/database.ts';
import { isTooLong } from '../db/failures.ts';
import { isCopyOf } from '../db/checks/installation.ts';
import { causeOf, StartError } from '../errors.ts';
import { createStandbyReads } from '../transactions/list/standby-reads.ts';
import { createTransactionsStore, type TransactionsStore } from '../transactions/transactions.store.ts';
import type { Core } from './core.ts';
import { shareOf } from './database.ts';

export async function withStandby(core: Core, primary: TransactionsStore): Promise<TransactionsStore> {
  const { config, db, admission, observer, siblings, jobs, releasers, traced } = core;
  if (!config.databaseReadUrl) return primary;
  if (db.isDistributed) {
    throw new StartError('DATABASE_READ_URL cannot be used where tables are distributed by Citus. Remove it.');
  }
  const standby = openDatabase({
    url: config.databaseReadUrl,
    connections: shareOf(config.databaseConnections, siblings.count),
    statementSeconds: config.statementSeconds,
    accepts: 'any',
    streams: config.exportsAtOnce,
    whileWaiting: (work, owner) => admission.outside(work, owner),
  });
  releasers.add(standby.close);

  let isUsable: boolean | undefined;
  /** Another database, or an old primary, would also answer, but with other rows. */
  async function check(): Promise<void> {
    let cause = 'not a copy';
    const isCopy = await isCopyOf(db, standby).catch((error: unknown) => {
      cause = causeOf(error);
      return false;
    });
    if (isCopy !== isUsable) observer.observe({ kind: 'standby', usable: isCopy, ...(!isCopy && { cause }) });
    isUsable = isCopy;
  }
  await check();
  jobs.start({ 'standby-check': check });

  return createStandbyReads({
    primary,
    standby: traced('standby', createTransactionsStore(standby)),
    isUsable: () => isUsable === true && standby.available,
    isTooLong,
    onRead: (outcome) => observer.observe({ kind: 'standby-read', outcome }),
  });
}
