/** Moves the rows of another spelling of a phone number to the canonical spelling. */
import type { Database } from '../db/database.ts';

export type PhoneSpellingsStore = ReturnType<typeof createPhoneSpellingsStore>;

export function createPhoneSpellingsStore(db: Database) {
  return {
    /** Returns the users who lost their link because another user has had the same phone for longer. */
    async merge(now: Date): Promise<number[]> {
      const rows = await db.write`select merge_phone_spellings(${now}) as user_id`;
      return rows.map(({ user_id }) => user_id);
    },
  };
}
