/** The statements about users. */
import { writeTime } from '../values/instant.ts';
import { array, type Database, type DatabaseTransaction } from '../db/database.ts';
import {
  importDistributedIds,
  insertDistributedUser,
  skipTakenDistributedIds,
  type ImportedIds,
} from './distributed-users.store.ts';
import {
  phoneUseOf,
  type ImportedUser,
  type ImportUserResult,
  type NewUser,
  type PhoneHolder,
  type PhonesOfUser,
  type UserStatus,
} from './user.ts';

export type UsersStore = ReturnType<typeof createUsersStore>;

interface UsersStoreOptions {
  /** False for demo data, which has no events. */
  writesEvents?: boolean;
}

/** Writes the first event of each user, on the node that has the user. It is always number 1 of its counter. */
async function writeCreatedEvents(sql: DatabaseTransaction, ids: readonly number[]): Promise<void> {
  await sql`
    insert into user_event_outbox (user_id, sequence, type, at, data)
    select u.id, 1, 'user.created', u.created_at, with_user_id('{}', u.id)
    from users u where u.has_created_event and u.id = any(${array(ids)}::int[]) order by u.id`;
}

/** Creates the users that do not exist, and locks all of them against an erasure. */
async function importIds(
  sql: DatabaseTransaction,
  ids: readonly number[],
  now: Date,
  hasCreatedEvent: boolean,
): Promise<ImportedIds> {
  const inserted = await sql`
    insert into users (id, created_at, has_created_event)
    select id, ${now}, ${hasCreatedEvent}::boolean from unnest(${array(ids)}::int[]) id order by id
    on conflict (id) do nothing returning id`;
  const created = inserted.map(({ id }) => Number(id));
  await sql`
    delete from users
    where id in (select user_id from erased_users where user_id = any(${array(ids)}::int[]))`;
  await writeCreatedEvents(sql, created);
  const known = await sql`select id from users where id = any(${array(ids)}::int[])`;
  // Before the users: an erasure locks them in this order. Of users whose erasure it waits for, it leaves empty rows,
  // which the guard removes as those of unknown ids.
  await lockVerifications(
    sql,
    known.map(({ id }) => Number(id)),
  );
  // Waits for an erasure in progress, and delays later ones.
  const present = await sql`
    select id from users where id = any(${array(ids)}::int[]) order by id for key share`;
  return { created, present: present.map(({ id }) => Number(id)) };
}

/** Creates the rows that are missing. */
async function lockVerifications(sql: DatabaseTransaction, ids: readonly number[]): Promise<void> {
  await sql`
    insert into verifications (user_id)
    select id from unnest(${array(ids)}::int[]) id order by id
    on conflict (user_id) do update set user_id = excluded.user_id`;
}

export function createUsersStore(db: Database, { writesEvents = true }: UsersStoreOptions = {}) {
  return {
    /** The id of the new user; undefined if it was taken. */
    async insertUser(user: NewUser, now: Date): Promise<number | undefined> {
      const { id, merchantId, email, additionalData } = user;
      if (db.isDistributed) return insertDistributedUser(db, user, now, writesEvents);
      return db.transaction(async (sql) => {
        const [row] = await sql`
          insert into users (id, merchant_id, email, additional_data, created_at, has_created_event)
          select new_id, ${merchantId ?? null}, ${email ?? null}, ${additionalData ?? null}::text::json, ${now},
            ${writesEvents}::boolean
          from coalesce(${id ?? null}::int, nextval('user_ids')::int) new_id
          where not exists (select from erased_users e where e.user_id = new_id)
          on conflict (id) do nothing
          returning id`;
        if (!row) return undefined;
        // Only a later statement sees an erasure that was committed while the insert waited for it. The sequence can
        // also return an id that a caller has chosen before and that is being erased.
        const erased =
          await sql`delete from users where id in (select user_id from erased_users where user_id = ${row.id})`;
        if (erased.count > 0) return undefined;
        await writeCreatedEvents(sql, [row.id]);
        return row.id;
      });
    },

    /** Moves the sequence past the ids that callers chose, to the next free one. */
    async skipTakenIds(): Promise<void> {
      if (db.isDistributed) return skipTakenDistributedIds(db);
      await db.write`
        select setval('user_ids', u.id)
        from users u
        where u.id >= (select last_value from user_ids)
          and exists (select from users taken where taken.id = (select last_value from user_ids))
          and not exists (select from users next where next.id = u.id + 1::bigint)
        order by u.id limit 1`;
    },

    /**
     * Imports one batch in one transaction, and returns the results in the order of the users. An existing user gets the
     * phone if there is none yet. A verification of the same number waits for it, or it waits for the verification.
     */
    async importUsers(users: readonly ImportedUser[], now: Date): Promise<ImportUserResult[]> {
      const ids = [...new Set(users.map(({ id }) => id))].sort((a, b) => a - b);
      return db.transaction(async (sql) => {
        const { created, present } = await (db.isDistributed ? importDistributedIds : importIds)(
          sql,
          ids,
          now,
          writesEvents,
        );
        const isPresent = new Set(present);
        // On Citus an erasure deletes the user and this row in separate transactions, so the order does not matter there.
        if (db.isDistributed) await lockVerifications(sql, present);
        const verifications =
          await sql`select user_id, verified_phone from verifications where user_id = any(${array(ids)}::int[])`;
        const phones = new Map<number, string | null>(
          verifications.map(({ user_id, verified_phone }) => [user_id, verified_phone]),
        );
        const fresh = new Set(created);
        // The first phone of each user: a user has at most one.
        const wanted = new Map<number, string>();
        for (const { id, phoneNumber, verified } of users) {
          if (verified && isPresent.has(id) && phones.get(id) === null && !wanted.has(id))
            wanted.set(id, phoneNumber!.e164);
        }
        const wantedLinks = sql`unnest(${array([...wanted.values()])}::text[], ${array([...wanted.keys()])}::int[])`;
        // Not an upsert: it would lock links of other users, and a change of number locks its two links in any order.
        await sql`
          insert into phone_links (phone, user_id, linked_at)
          select distinct on (phone) phone, user_id, ${now}
          from ${wantedLinks} with ordinality as w (phone, user_id, place)
          order by phone, place
          on conflict (phone) do nothing`;
        const linked = await sql`
          select l.phone, l.user_id from phone_links l
          join ${wantedLinks} as w (phone, user_id) on w.phone = l.phone and w.user_id = l.user_id`;
        await sql`
          update verifications v set verified_phone = w.phone, verified_at = ${now}
          from unnest(${array(linked.map(({ phone }) => phone))}::text[], ${array(linked.map(({ user_id }) => user_id))}::int[])
            as w (phone, user_id)
          where v.user_id = w.user_id`;
        for (const { phone, user_id } of linked) phones.set(user_id, phone);
        return users.map(({ id, phoneNumber, verified }): ImportUserResult => {
          if (!isPresent.has(id)) return { user: 'erased' };
          const user = fresh.delete(id) ? 'created' : 'known';
          const own = phones.get(id) ?? null;
          if (!verified || own === phoneNumber!.e164) return { user };
          if (wanted.has(id) && wanted.get(id) !== phoneNumber!.e164) return { user, phoneProblem: 'earlier-line' };
          return { user, phoneProblem: own === null ? 'taken' : 'other-phone' };
        });
      });
    },

    /** The user who verified the phone first, then the users whose last code was sent to it. */
    async findByPhone(e164: string, limit: number): Promise<number[]> {
      const rows = await db.read`
        select user_id from (
          select user_id, 0 as place from phone_links where phone = ${e164}
          union all
          select user_id, 1 from verifications where sent_phone = ${e164}
        ) found
        group by user_id order by min(place), user_id limit ${limit}`;
      return rows.map(({ user_id }) => user_id);
    },

    async findHolder(e164: string): Promise<PhoneHolder | undefined> {
      const [row] = await db.read`
        select l.user_id, v.verified_at,
          (select max(m.verified_at) from messages m where m.user_id = l.user_id) as used_at
        from phone_links l join verifications v on v.user_id = l.user_id where l.phone = ${e164}`;
      return row && { userId: row.user_id, ...phoneUseOf(row.verified_at, row.used_at) };
    },

    /** Ignores upper and lower case. */
    async findByEmail(email: string, limit: number): Promise<number[]> {
      const rows = await db.read`
        select id from users where email is not null and lower(email) = lower(${email}) order by id limit ${limit}`;
      return rows.map(({ id }) => id);
    },

    // The next two functions join in memory: on Citus a join of a local with a distributed table would open a transaction
    // on the worker.
    async readPhones(userId: number): Promise<PhonesOfUser | undefined> {
      const [users, [verification]] = await Promise.all([
        db.read`select id from users where id = ${userId}`,
        db.read`
          select verified_phone, sent_phone, verified_at,
            (select max(m.verified_at) from messages m where m.user_id = v.user_id) as used_at
          from verifications v where user_id = ${userId}`,
      ]);
      if (users.length === 0) return undefined;
      return {
        verifiedPhone: verification?.verified_phone ?? null,
        lastSentPhone: verification?.sent_phone ?? null,
        ...phoneUseOf(verification?.verified_at ?? null, verification?.used_at ?? null),
      };
    },

    async readStatus(userId: number): Promise<UserStatus | undefined> {
      const [users, [verification]] = await Promise.all([
        db.read`select id from users where id = ${userId}`,
        db.read`select verified_phone, verified_at from verifications where user_id = ${userId}`,
      ]);
      if (users.length === 0) return undefined;
      const { verified_phone: phoneNumber = null, verified_at: verifiedAt = null } = verification ?? {};
      return {
        isPhoneNumberVerified: phoneNumber !== null,
        phoneNumber,
        verifiedAt: verifiedAt && writeTime(verifiedAt),
      };
    },
  };
}
