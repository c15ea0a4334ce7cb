/** The statements about changes of a number that are not those of every code. */
import type { Database } from '../db/database.ts';

export type ChangesStore = ReturnType<typeof createChangesStore>;

export function createChangesStore(db: Database) {
  return {
    /** Gives up the change that is under way, if there is one. False if there is no such user. */
    async endChange(userId: number): Promise<boolean> {
      const rows = await db.write`
        with ended as (
          update verifications set change_code = null, earlier_change_codes = '{}'
          where user_id = ${userId} and (change_code).number is not null
        )
        select id from users where id = ${userId}`;
      return rows.length === 1;
    },

    /** The number of a text that has no code: receipts for it name a message that does not exist. */
    async takeMessageNumber(userId: number): Promise<number | undefined> {
      const [row] = await db.write`
        update verifications set last_message_number = last_message_number + 1 where user_id = ${userId}
        returning last_message_number`;
      return row?.last_message_number;
    },

    /** The language of the user's last text. */
    async readLocale(userId: number): Promise<string | undefined> {
      const [row] = await db.read`
        select locale from messages where user_id = ${userId} order by message_number desc limit 1`;
      return row?.locale;
    },
  };
}
