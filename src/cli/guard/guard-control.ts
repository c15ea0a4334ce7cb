/** The guard as the commands of `ledgerline guard` use it: on the database, without a running service. */
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
    const control = createGuardControl({
      store: createGuardControlStore(db),
      configured: configuredModes(config.mode === 'production', config.rules),
      digest: createDigest(guardKey),
      clock,
      observe: () => {},
    });
    await work(control);
  });
  return 0;
}
