/** The statements about users. */
import type { Database } from '../db/database.ts';

export interface NewUser {
  id: number | undefined;
  merchantId: number | undefined;
  email: string | undefined;
  /** JSON text of an object. */
  additionalData: string | undefined;
}

export interface UserStatus {
  isPhoneNumberVerified: boolean;
  phoneNumber: string | null;
}

export type UsersStore = ReturnType<typeof createUsersStore>;

export function createUsersStore(db: Database) {
  return {
    /** The id the user got; undefined when it was taken. */
    async insertUser({ id, merchantId, email, additionalData }: NewUser, now: Date): Promise<number | undefined> {
      const [row] = await db.sql`
        insert into users (id, merchant_id, email, additional_data, created_at)
        values (
          coalesce(${id ?? null}::int, nextval('user_ids')::int), ${merchantId ?? null}, ${email ?? null},
          ${additionalData ?? null}::text::json, ${now})
        on conflict (id) do nothing
        returning id`;
      return row?.id;
    },

    /** Moves the sequence to the end of the run of ids that callers brought, where the next one is free. */
    async skipTakenIds(): Promise<void> {
      await db.sql`
        select setval('user_ids', u.id)
        from users u
        where u.id >= (select last_value from user_ids)
          and not exists (select from users next where next.id = u.id + 1::bigint)
        order by u.id limit 1`;
    },

    async readStatus(userId: number): Promise<UserStatus | undefined> {
      const [row] = await db.sql`
        select v.verified_phone from users u left join verifications v on v.user_id = u.id where u.id = ${userId}`;
      return row && { isPhoneNumberVerified: row.verified_phone !== null, phoneNumber: row.verified_phone };
    },
  };
}
