/** Wires what only the sandbox has: the clock that can be moved, the demo individual, the guard against strangers. */
import type { ServiceClock } from '../clock.ts';
import type { Config } from '../config/load.ts';
import type { Database } from '../db/database.ts';
import { demoIndividual, demoTransactions } from '../sandbox/demo.ts';
import { createSandboxGuard } from '../sandbox/guard.ts';
import { createSandboxStore, demoMark } from '../sandbox/sandbox.store.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import type { Inbox } from '../sms/inbox.ts';
import { createRecordTransactions } from '../transactions/record-transactions.ts';
import { createRecordStore } from '../transactions/record.store.ts';
import { createCreateUser } from '../users/create-user.ts';
import { createUsersStore } from '../users/users.store.ts';

export async function openSandbox(
  db: Database,
  clock: ServiceClock,
  inbox: Inbox,
  fresh: boolean,
  forget: () => Promise<void> | void,
): Promise<Sandbox> {
  const store = createSandboxStore(db);
  const sandbox = createSandbox(store, clock, inbox, forget);
  if (fresh) await sandbox.empty();
  clock.aheadSeconds = await store.readClock();
  return sandbox;
}

/** Demo data makes no events. */
export async function seedDemo(db: Database, clock: ServiceClock): Promise<number | undefined> {
  const store = createSandboxStore(db);
  if (await store.isEmpty()) {
    const createUser = createCreateUser(createUsersStore(db, { writesEvents: false }), clock);
    const recordTransactions = createRecordTransactions(createRecordStore(db, { writesEvents: false }), clock);
    await createUser({ id: demoIndividual, merchantId: undefined, email: undefined, additionalData: demoMark });
    await recordTransactions(demoTransactions(new Date()));
  }
  return (await store.hasDemo(demoIndividual)) ? demoIndividual : undefined;
}

export function sandboxGuard(config: Config, url: string) {
  return createSandboxGuard({
    hosts: [new URL(url).hostname, ...config.sandboxHosts],
    corsOrigins: config.corsOrigins,
  });
}
