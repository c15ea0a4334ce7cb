/** Subject access: everything that is stored about a user, except codes and their digests. */
import type { Clock } from '../values/clock.ts';
import { unknownUser } from '../errors.ts';
import type { Operator } from '../audit/operator-actions.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { PrivacyStore } from './privacy.store.ts';

export type ReadUserData = ReturnType<typeof createReadUserData>;

const exportPath = '/app/export-transactions';

export function createReadUserData(store: PrivacyStore, clock: Clock, observe: Observe) {
  /** JSON text. The access is recorded before the data is returned. */
  return async function readUserData(actor: Operator, userId: number): Promise<string> {
    const data = await store.readUserData(userId, exportPath);
    if (data === undefined) throw unknownUser();
    await store.recordAccess(userId, 'read-user-data', actor, clock.now());
    observe({ kind: 'operator-action', subject: actor.subject, action: 'read-user-data', target: `user ${userId}` });
    return data;
  };
}
