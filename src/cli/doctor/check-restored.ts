/** A restored database: whether its data is consistent, and what has happened since the backup that must hold again. */
import { readFile } from 'node:fs/promises';
import { ServiceClock } from '../../values/clock.ts';
import type { Config } from '../../config/load.ts';
import { openDetected } from '../../db/citus/citus.ts';
import type { Database } from '../../db/database.ts';
import { asStartError } from '../../db/checks/explain-failure.ts';
import { idsLeft, moveEndpointIds, moveEventPositions, moveUserIds } from '../../db/migrations/restored-numbers.ts';
import { isProblem, StartError } from '../../errors.ts';
import { createEraseUser } from '../../privacy/erase-user.ts';
import { createPrivacyStore, type PrivacyStore } from '../../privacy/privacy.store.ts';
import { withDatabaseUrl } from '../database.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { count } from '../progress.ts';
import { readNumber } from '../read-number.ts';
import { okFinding, problemFinding, warningFinding, type Finding } from './finding.ts';

const sampleSize = 200;

export interface RestoredOptions {
  restored?: boolean;
  /** The last user id that was given out before the loss. */
  idsAfter?: string;
  /** A file of ids that were erased after the backup was taken. */
  erased?: string;
}

export async function checkRestored(
  config: Config,
  { restored, idsAfter, erased }: RestoredOptions,
): Promise<Finding[]> {
  if (!restored) return [];
  const listed = erased === undefined ? undefined : await readErased(erased);
  const lastId = idsAfter === undefined ? undefined : readNumber('--ids-after', idsAfter);
  return withDatabaseUrl(config, async (url) => {
    try {
      const db = await openDetected({ url, connections: 3, statementSeconds: 0 });
      try {
        const store = createPrivacyStore(db);
        return [await checkConsistency(store), await moveNumbers(db, lastId), await eraseAgain(store, config, listed)];
      } finally {
        await db.close();
      }
    } catch (error) {
      throw asStartError(error, url);
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

/** The ids that were given out after the backup are in use elsewhere, such as at the identity provider. */
async function moveNumbers(db: Database, idsAfter: number | undefined): Promise<Finding> {
  const { from, to, hasMoved } = await moveUserIds(db, idsAfter);
  if (!hasMoved) {
    return problemFinding(
      'Ids',
      `user ids cannot continue after ${to}: the backup has given out ${from}, and ${count(idsLeft)} must be left below 2147483648.`,
      'Set --ids-after to the last id that was given out before the loss.',
    );
  }
  await moveEventPositions(db);
  await moveEndpointIds(db);
  return okFinding(
    'Ids',
    `new users get ids above ${count(to)}, since those above ${count(from)} may have been given out after the backup; ` +
      'positions of events and ids of endpoints are moved on too',
  );
}

interface ErasedId {
  id: number;
  /** Undefined if the list has only the id. */
  erasedAt: Date | undefined;
}

async function eraseAgain(
  store: PrivacyStore,
  config: Config,
  listed: readonly ErasedId[] | undefined,
): Promise<Finding> {
  if (listed === undefined) {
    return warningFinding(
      'Erased',
      'no list of erased users was given.',
      'Give the list of `ledgerline erased` with --erased, or erased users are back.',
    );
  }
  const clock = new ServiceClock();
  const erase = createEraseUser({ store, clock, observe: () => {}, retainDays: config.retainErasedDays });
  let absent = 0;
  for (const { id, erasedAt } of listed) {
    try {
      await erase(commandLineActor(), id, erasedAt);
    } catch (error) {
      if (!isProblem(error, 'unknown-user')) throw error;
      await store.reserveErasedId(id, erasedAt ?? clock.now(), clock.now());
      absent += 1;
    }
  }
  const undated = listed.filter(({ erasedAt }) => erasedAt === undefined).length;
  return okFinding(
    'Erased',
    `${listed.length - absent} users are erased again; ${absent} ids that the backup lacks stay unused; retention ` +
      `counts from the times in the list${undated === 0 ? '' : `, and from now for the ${undated} without a time`}`,
  );
}

/** Lines of `ledgerline erased`: the id and the time of the erasure. Nothing is erased if a line cannot be read. */
async function readErased(file: string): Promise<ErasedId[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${file} cannot be read (${error.code}).`);
  });
  return text.split('\n').flatMap((line, index) => {
    const [id, time] = line.trim().split(/\s+/);
    if (!id) return [];
    const where = `${file}, line ${index + 1}: the`;
    return [{ id: readNumber(`${where} user`, id), erasedAt: time ? readErasureTime(where, time) : undefined }];
  });
}

function readErasureTime(where: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new StartError(`${where} time must be one such as 2026-11-01T12:00:00.000Z.`);
  return time;
}
