/** `ledgerline guard actions`: lists what operators did. */
import { createAuditStore } from '../../audit/audit.store.ts';
import { withDatabase } from '../database.ts';
import { table } from '../table.ts';

export async function guardActions(): Promise<number> {
  await withDatabase(2, async ({ db }) => {
    const actions = await createAuditStore(db).readActions({ limit: 100 });
    table([
      ['time', 'who', 'client', 'action', 'target', 'detail'],
      ...actions.map(({ at, subject, client, action, target, detail }) => [
        at.toISOString(),
        subject,
        client,
        action,
        target,
        detail,
      ]),
    ]);
  });
  return 0;
}
