/** `ledgerline erase-user`: erases a user from the command line. */
import { isProblem, StartError } from '../errors.ts';
import { createEraseUser } from '../privacy/erase-user.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';
import { readNumber } from './read-number.ts';

export async function eraseUser(id: string): Promise<number> {
  const userId = readNumber('The user', id);
  await withDatabase(3, async ({ config, db, clock }) => {
    const store = createPrivacyStore(db);
    const erase = createEraseUser({ store, clock, observe: () => {}, retainDays: config.retainErasedDays });
    try {
      await erase(commandLineActor(), userId);
    } catch (error) {
      throw isProblem(error, 'unknown-user') ? new StartError(`There is no user ${userId}.`) : error;
    }
  });
  console.log(`User ${userId} is erased.`);
  return 0;
}
