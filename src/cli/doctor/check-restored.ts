/** A restored database: whether its data is consistent, and the erasures that the backup does not contain. */
import { readFile } from 'node:fs/promises';
import { ServiceClock } from '../../clock.ts';
import type { Config } from '../../config/load.ts';
import { openDetected } from '../../db/citus.ts';
import { Problem, StartError } from '../../errors.ts';
import { createEraseUser } from '../../privacy/erase-user.ts';
import { createPrivacyStore, type PrivacyStore } from '../../privacy/privacy.store.ts';
import { withDatabaseUrl } from '../database.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { readNumber } from '../read-number.ts';
import { okFinding, problemFinding, warningFinding, type Finding } from './finding.ts';

const sampleSize = 200;

export async function checkRestored(
  config: Config,
  { restored, erased }: { restored?: boolean; erased?: string },
): Promise<Finding[]> {
  if (!restored) return [];
  return withDatabaseUrl(config, async (url) => {
    const db = await openDetected({ url, connections: 3, statementSeconds: 0 });
    try {
      const store = createPrivacyStore(db);
      return [await checkConsistency(store), await eraseAgain(store, config, erased)];
    } finally {
      await db.close();
    }
  });
}

async function checkConsistency(store: PrivacyStore): Promise<Finding> {
  const { checked, inconsistent } = await store.findInconsistent(sampleSize);
  return inconsistent.length === 0
    ? okFinding('Restored', `counts, rows and blocks of ${checked} individuals agree`)
    : problemFinding(
        'Restored',
        `the rows of ${inconsistent.length} of ${checked} individuals do not agree: ${inconsistent.slice(0, 10).join(', ')}.`,
        'Restore from another backup.',
      );
}

async function eraseAgain(store: PrivacyStore, config: Config, file: string | undefined): Promise<Finding> {
  if (file === undefined) {
    return warningFinding(
      'Erased',
      'no list of erased users was given.',
      'Give the list of `ledgerline erased` with --erased, or erased users are back.',
    );
  }
  const erase = createEraseUser({
    store,
    clock: new ServiceClock(),
    observe: () => {},
    retainDays: config.retainErasedDays,
  });
  const ids = await readIds(file);
  let absent = 0;
  for (const id of ids) {
    try {
      await erase(commandLineActor(), id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await store.reserveErasedId(id, new Date());
      absent += 1;
    }
  }
  return okFinding(
    'Erased',
    `${ids.length - absent} users are erased again; ${absent} ids that the backup lacks stay unused`,
  );
}

async function readIds(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${file} cannot be read (${error.code}).`);
  });
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readNumber('The user', line.trim().split(/\s+/)[0]!));
}
