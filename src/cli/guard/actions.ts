/** `ledgerline guard actions`: lists what operators did. */
import { createAuditStore } from '../../audit/audit.store.ts';
import { withDatabase } from '../database.ts';
import { table } from '../table.ts';

export async function guardActions(): Promise<number> {
  await withDatabase(2, async ({ db }) => {
    table(await createAuditStore(db).readActions({ limit: 100 }), {
      time: 'at',
      who: 'subject',
      client: 'client',
      action: 'action',
      target: 'target',
      detail: 'detail',
    });
  });
  return 0;
}
