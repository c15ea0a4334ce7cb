/** Decides which of several requests with the same Idempotency-Key sends the code. */
import type { Database } from '../db/database.ts';

export interface SendKey {
  userId: number;
  key: Buffer;
  request: Buffer;
}

export interface FirstAnswer {
  sameRequest: boolean;
  /** 503: the send was refused for now, or its outcome is not known. The same request may claim the key again. */
  status: number | null;
  /** The reason of a refusal, or the content of the answer if it has any. */
  answer: string | null;
  claimedAt: Date;
}

export interface ClaimOptions {
  now: Date;
  abandonedBefore: Date;
  /** Maximum number of keys of the user. */
  limit: number;
  /** What a later claim of the key must know of this one; null if nothing. */
  draft: string | null;
}

export interface Claim {
  result: 'claimed' | 'taken' | 'full';
  draft: string | null;
}

export type SendKeyStore = ReturnType<typeof createSendKeyStore>;

export function createSendKeyStore(db: Database) {
  return {
    /**
     * One caller claims the key; for others it is taken. A claim without an answer may be taken over after a while, and
     * one that ended with a 429 or 503 immediately. Its draft is then that of the earlier claim.
     */
    async claim(
      { userId, key, request }: SendKey,
      { now, abandonedBefore, limit, draft }: ClaimOptions,
    ): Promise<Claim> {
      const [row] = await db.write`
        with known as (
          select count(*)::int as keys, exists (
            select 1 from send_keys where user_id = ${userId} and key_digest = ${key}) as mine
          from (select 1 from send_keys where user_id = ${userId} order by key_digest limit ${limit}) k
        ), claimed as (
          insert into send_keys as k (user_id, key_digest, request_digest, claimed_at, error)
          select ${userId}::int, ${key}::bytea, ${request}::bytea, ${now}::timestamptz, ${draft}::text from known
          where keys < ${limit} or mine
          on conflict (user_id, key_digest) do update set claimed_at = excluded.claimed_at, status = null
          where (k.status = 503 or k.status is null and k.claimed_at < ${abandonedBefore})
            and k.request_digest = excluded.request_digest
          returning k.error as draft
        )
        select exists (select from claimed) as claimed, (select draft from claimed) as draft,
          keys >= ${limit} and not mine as full
        from known`;
      return { result: row!.claimed ? 'claimed' : row!.full ? 'full' : 'taken', draft: row!.draft };
    },

    async read({ userId, key, request }: SendKey): Promise<FirstAnswer | undefined> {
      const [row] = await db.read`
        select request_digest = ${request} as same, status, error, claimed_at from send_keys
        where user_id = ${userId} and key_digest = ${key}`;
      return row && { sameRequest: row.same, status: row.status, answer: row.error, claimedAt: row.claimed_at };
    },

    async finish({ userId, key }: SendKey, claimedAt: Date, status: number, answer: string | null): Promise<void> {
      await db.write`
        update send_keys set status = ${status}, error = ${answer}
        where user_id = ${userId} and key_digest = ${key} and claimed_at = ${claimedAt}`;
    },

    async release({ userId, key }: SendKey, claimedAt: Date): Promise<void> {
      await db.write`
        delete from send_keys
        where user_id = ${userId} and key_digest = ${key} and claimed_at = ${claimedAt} and status is null`;
    },
  };
}
