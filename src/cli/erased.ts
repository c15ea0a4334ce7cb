/** `ledgerline erased`: lists the ids of erased users, to erase them again after a restore. */
import { StartError } from '../errors.ts';
import { createPrivacyStore } from '../privacy/privacy.store.ts';
import { withDatabase } from './database.ts';

export async function listErased({ since }: { since: string }): Promise<number> {
  const from = new Date(since);
  if (Number.isNaN(from.getTime())) throw new StartError('--since must be a date such as 2026-11-01.');
  const erased = await withDatabase(3, ({ db }) => createPrivacyStore(db).listErased(from));
  for (const { userId, erasedAt } of erased) console.log(`${userId} ${erasedAt.toISOString()}`);
  return 0;
}
