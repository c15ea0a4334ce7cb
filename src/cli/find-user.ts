/** `ledgerline find-user --phone`: who has a number, and how long ago it was proven; it can be freed. */
import { createAudit } from '../audit/audit.ts';
import { createAuditStore } from '../audit/audit.store.ts';
import { StartError } from '../errors.ts';
import { createPhoneStore } from '../phone/phone.store.ts';
import { createFreePhone } from '../phone/unlink-phone.ts';
import { createFindUsers } from '../users/find-users.ts';
import type { PhoneHolder } from '../users/user.ts';
import { createUsersStore } from '../users/users.store.ts';
import { parsePhoneNumber } from '../values/phone-number.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';

interface Options {
  phone: string;
  free?: boolean;
  reason?: string;
}

const dayMilliseconds = 86_400_000;

export async function findUser({ phone, free, reason }: Options): Promise<number> {
  const phoneNumber = parsePhoneNumber(phone);
  if (!phoneNumber) throw new StartError('Give the whole number in E.164 format, such as +447400123456.');
  if (free && !reason?.trim()) throw new StartError('Say why the number is freed: --reason "…". The audit shows it.');
  const who = { ...commandLineActor(), reason };
  await withDatabase(3, async ({ db, clock }) => {
    const { recordLookup } = createAudit(createAuditStore(db), clock, () => {});
    const findUsers = createFindUsers(createUsersStore(db), recordLookup);
    const { userIds, holder } = await findUsers(commandLineActor(), { e164: phoneNumber.e164 });
    const others = userIds.filter((id) => id !== holder?.userId);
    console.log(describeHolder(holder ?? undefined, clock.now()));
    if (others.length > 0) console.log(`These users had their last code sent to it: ${others.join(', ')}.`);
    if (!free) return;
    if (!holder) throw new StartError('There is nothing to free.');
    await createFreePhone(createPhoneStore(db), clock, () => {})(who, holder.userId, phoneNumber.e164);
    console.log(`The number is free; user ${holder.userId} is unverified again.`);
  });
  return 0;
}

export function describeHolder(holder: PhoneHolder | undefined, now: Date): string {
  if (!holder) return 'Nobody has verified this number.';
  const { userId, verifiedAt, lastUsedAt } = holder;
  if (verifiedAt === null || lastUsedAt === null)
    return `It is linked to user ${userId}, but it is not known when it was verified.`;
  const days = (at: string) => Math.floor((now.getTime() - Date.parse(at)) / dayMilliseconds);
  const age = (at: string) => `${at} (${days(at)} days ago)`;
  return `User ${userId} has it: verified ${age(verifiedAt)}, last used ${age(lastUsedAt)}.`;
}
