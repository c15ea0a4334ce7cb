/** `ledgerline erase-user`: erases a user from the command line. */
import { ServiceClock } from '../values/clock.ts';
import { loadConfig } from '../config/load.ts';
import { Problem, StartError } from '../errors.ts';
import { createEraseUser } from '../privacy/erase-user.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';
import { readNumber } from './read-number.ts';

export async function eraseUser(id: string): Promise<number> {
  const userId = readNumber('The user', id);
  const { retainErasedDays } = loadConfig(process.env);
  await withDatabase(3, async (db) => {
    const store = createPrivacyStore(db);
    const erase = createEraseUser({
      store,
      clock: new ServiceClock(),
      observe: () => {},
      retainDays: retainErasedDays,
    });
    try {
      await erase(commandLineActor(), userId);
    } catch (error) {
      throw error instanceof Problem ? new StartError(`There is no user ${userId}.`) : error;
    }
  });
  console.log(`User ${userId} is erased.`);
  return 0;
}
