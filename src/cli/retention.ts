/** `ledgerline retention`: deletes expired data now, or shows what would be deleted. */
import { createRetention, retentionKinds } from '../privacy/retention.ts';
import { createRetentionStore } from '../privacy/retention.store.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';
import { table } from './table.ts';

interface RetentionOptions {
  dryRun?: boolean;
  json?: boolean;
}

export async function retention({ dryRun = false, json = false }: RetentionOptions): Promise<number> {
  const expired = await withDatabase(3, ({ config, db, clock }) => {
    const kinds = retentionKinds(config.retentionDays);
    const { find, runFor } = createRetention({ store: createRetentionStore(db), clock, kinds });
    return dryRun ? find() : runFor(commandLineActor());
  });
  if (json) console.log(JSON.stringify({ isDryRun: dryRun, expired }));
  else table(expired, { KIND: 'kind', BEFORE: 'before', [dryRun ? 'ROWS TO REMOVE' : 'ROWS REMOVED']: 'rows' });
  return 0;
}
