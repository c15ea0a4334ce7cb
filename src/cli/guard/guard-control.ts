/** The guard as the commands of `ledgerline guard` use it: on the database, without a running service. */
import { createAudit } from '../../audit/audit.ts';
import { createAuditStore } from '../../audit/audit.store.ts';
import { enterKeys } from '../../auth/digest-key-registry.store.ts';
import { readDigestKeys } from '../../auth/keys.ts';
import { configuredModes } from '../../guard/rules.ts';
import { createGuardControl, type GuardControl } from '../../guard/control/guard-control.ts';
import { createDigest } from '../../guard/source.ts';
import { createGuardControlStore } from '../../guard/control/guard-control.store.ts';
import { withDatabase } from '../database.ts';

export async function withGuardControl(work: (control: GuardControl) => Promise<void>): Promise<number> {
  await withDatabase(2, async ({ config, db, clock }) => {
    const { guardKey } = await enterKeys(db, await readDigestKeys(config));
    const observe = () => {};
    const control = createGuardControl({
      store: createGuardControlStore(db),
      audit: createAudit(createAuditStore(db), clock, observe),
      configured: configuredModes(config.mode === 'production', config.rules),
      digest: createDigest(guardKey),
      clock,
      observe,
    });
    await work(control);
  });
  return 0;
}
