/**
 * Wires what only the sandbox has: the clock that can be moved, the demo individual, the refusal of remote callers.
 */
import type { Config } from '../config/load.ts';
import { deriveKey } from '../crypto/digest-keys.ts';
import { demoIndividual, demoTransactions } from '../sandbox/demo.ts';
import { createLocalCallerCheck } from '../sandbox/local-callers.ts';
import { createInboxStore } from '../sandbox/inbox.store.ts';
import { createSandboxStore, demoMark } from '../sandbox/sandbox.store.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { createInbox, type Inbox } from '../sms/inbox.ts';
import { readReference } from '../sms/reference.ts';
import { createRecordTransactions } from '../transactions/record/record-transactions.ts';
import { createRecordStore } from '../transactions/record/record.store.ts';
import { createCreateUser } from '../users/create-user.ts';
import { createUsersStore } from '../users/users.store.ts';
import type { Core } from './core.ts';

export function openInbox({ db, clock, guardKey, deriveKeys }: Core): Inbox {
  const referenceKeys = deriveKeys('message references').all;
  const userOf = (reference: string) => readReference(referenceKeys, reference)?.userId ?? 0;
  return createInbox(createInboxStore(db, deriveKey(guardKey, 'inbox'), userOf), () => clock.now());
}

export async function openSandbox(
  { db, clock, siblings, jobs }: Core,
  inbox: Inbox,
  fresh: boolean,
  forget: () => Promise<void> | void,
): Promise<Sandbox> {
  const store = createSandboxStore(db);
  const sandbox = createSandbox({ store, clock, inbox, forget, notifyOthers: () => siblings.notify('sandbox') });
  if (fresh) await sandbox.empty();
  await sandbox.follow();
  siblings.onNotified('sandbox', async () => {
    await sandbox.follow();
    await forget();
  });
  // Other nodes on the same database may move its clock too.
  jobs.start({ 'sandbox-clock': sandbox.follow });
  return sandbox;
}

/** Demo data has no events. */
export async function seedDemo({ db, clock }: Core): Promise<number | undefined> {
  const store = createSandboxStore(db);
  if (await store.isEmpty()) {
    const createUser = createCreateUser(createUsersStore(db, { writesEvents: false }), clock);
    const recordTransactions = createRecordTransactions(createRecordStore(db, { writesEvents: false }), clock);
    await createUser({ id: demoIndividual, merchantId: undefined, email: undefined, additionalData: demoMark });
    await recordTransactions(demoTransactions(new Date()));
  }
  return (await store.hasDemo(demoIndividual)) ? demoIndividual : undefined;
}

export function localCallerCheck(config: Config, url: string) {
  return createLocalCallerCheck({
    hosts: [new URL(url).hostname, ...config.sandboxHosts],
    corsOrigins: config.corsOrigins,
  });
}
