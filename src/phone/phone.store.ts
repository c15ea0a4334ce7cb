/** The statements that decide about phones. Where two callers can race, one statement decides. */
import type { Database } from '../db/database.ts';
import { momentsKept, windowsAt, type FailureRate, type Rate } from './limits.ts';
import { insertMessage, messageParameters, type MessageRow } from './trail.store.ts';

/** True where one more fits: the entry `count` places from the end has left the window. */
const fits = (times: string, count: string, since: string) =>
  `(${count}::int is null or coalesce(${times}[cardinality(${times}) - ${count} + 1] <= ${since}, true))`;

/** Appends a moment and keeps the last `kept`. */
const append = (times: string, moment: string, kept: string) =>
  `(${times} || ${moment}::timestamptz)[cardinality(${times}) + 2 - ${kept}::int :]`;

/** Takes one moment out again; two sends may share it, and then only one goes. */
const without = (times: string, moment: string) =>
  `coalesce(${times}[: array_position(${times}, ${moment}) - 1] || ${times}[array_position(${times}, ${moment}) + 1 :], ${times})`;

/**
 * Counts a send for the user and the phone, or for neither, and numbers the code. A phone that another
 * user holds still draws on the user's budget, so that nobody can look numbers up for free.
 */
export const reserveSendStatement = `
with person as (
  select u.id, v.verified_phone is not null as verified
  from users u left join verifications v on v.user_id = u.id
  where u.id = $1
), holder as (
  select exists (select from phone_links where phone = $2 and user_id <> $1) as other
), budget as (
  select sends from phone_sends where phone = $2 and $10::int is not null for update
), counted as (
  insert into verifications as v (user_id, issued, sends, sent_phone, sent_correlation_type)
  select p.id, 1, ${append("'{}'::timestamptz[]", '$3', '$9')}, case when h.other then null else $2 end, $4
  from person p, holder h
  where not p.verified
    and (h.other or not exists (
      select from budget where not (${fits('sends', '$10', '$11')} and ${fits('sends', '$12', '$13')})))
  on conflict (user_id) do update set
    issued = v.issued + 1,
    sends = ${append('v.sends', '$3', '$9')},
    sent_phone = coalesce(excluded.sent_phone, v.sent_phone),
    sent_correlation_type = excluded.sent_correlation_type
  where v.verified_phone is null and ${fits('v.sends', '$5', '$6')} and ${fits('v.sends', '$7', '$8')}
  returning v.issued
), phone_counted as (
  insert into phone_sends as b (phone, sends)
  select $2, array[$3::timestamptz] from counted, holder h where $10::int is not null and not h.other
  on conflict (phone) do update set sends = ${append('b.sends', '$3', '$14')}
  where ${fits('b.sends', '$10', '$11')} and ${fits('b.sends', '$12', '$13')}
  returning 1
)
select p.verified, h.other,
  (select issued from counted) as issued,
  exists (select from phone_counted) as phone_counted
from person p, holder h`;

/** The accepted code counts from now on, unless a newer one was accepted first or the user is verified. */
export const acceptCodeStatement = `
with told as (${insertMessage(7, 'accepted')})
update verifications set
  code_number = $2, code_phone = $3, code_digest = $4, code_issued_at = $5, code_expires_at = $6, code_attempts = 0
where user_id = $1 and code_number < $2 and verified_phone is null`;

/**
 * Counts the attempt as failed before anyone compares, so that parallel guesses cannot pass the limit,
 * and hands out the digest if the code still counts. No row: the user is blocked.
 */
export const reserveAttemptStatement = `
insert into verifications as v (user_id, failures, blocked_until)
values (
  $1,
  ${append("'{}'::timestamptz[]", '$2', '$9')},
  case when $6::int = 1 then $8::timestamptz when $3::int = 1 then $5::timestamptz end
)
on conflict (user_id) do update set
  failures = ${append('v.failures', '$2', '$9')},
  code_attempts = least(v.code_attempts + 1, $10 + 1),
  blocked_until = case
    when not ${fits('(v.failures || $2::timestamptz)', '$6', '$7')} then $8::timestamptz
    when not ${fits('(v.failures || $2::timestamptz)', '$3', '$4')} then $5::timestamptz
  end
where v.blocked_until is null or v.blocked_until <= $2
returning v.code_number, v.code_phone,
  case when v.verified_phone is null and v.code_expires_at > $2 and v.code_attempts <= $10
    then v.code_digest end as digest`;

/** Uses the code up, links the phone and takes the reserved failure back: all of it, or nothing. */
export const consumeCodeStatement = `
with code as (
  select code_phone from verifications
  where user_id = $1 and code_number = $2 and code_digest is not null and verified_phone is null
  for update
), linked as (
  insert into phone_links as l (phone, user_id, linked_at)
  select code_phone, $1, $3 from code
  on conflict (phone) do update set linked_at = excluded.linked_at where l.user_id = excluded.user_id
  returning phone
), told as (
  update messages set verified_at = $3 from linked where user_id = $1 and code_number = $2
)
update verifications v set
  verified_phone = linked.phone, verified_at = $3, code_digest = null,
  failures = ${without('v.failures', '$3::timestamptz')}, blocked_until = null
from linked where v.user_id = $1
returning v.user_id`;

export interface SendLimits {
  user: readonly Rate[];
  phone: readonly Rate[];
}

export interface SendReservation {
  verified: boolean;
  /** Whether another user holds the phone. */
  other: boolean;
  /** The new code's number; null when a budget is used up. */
  issued: number | null;
  phoneCounted: boolean;
}

export interface SendState {
  verified: boolean;
  userTimes: (Date | null)[];
  phoneTimes: (Date | null)[];
}

export interface IssuedCode {
  userId: number;
  number: number;
  phone: string;
  digest: Buffer;
  issuedAt: Date;
  expiresAt: Date;
}

export interface AttemptReservation {
  number: number;
  phone: string;
  /** The digest of the code that counts; null when there is none to be right about. */
  digest: Buffer | null;
}

export interface LastSend {
  phone: string | null;
  correlationType: number;
  locale: string | undefined;
  verified: boolean;
}

export type PhoneStore = ReturnType<typeof createPhoneStore>;

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(
      userId: number,
      phone: string,
      correlationType: number,
      now: Date,
      limits: SendLimits,
    ): Promise<SendReservation | undefined> {
      const [u1, u2] = windowsAt(now, limits.user);
      const [p1, p2] = windowsAt(now, limits.phone);
      const [row] = await db.write.unsafe(
        reserveSendStatement,
        [
          userId,
          phone,
          now,
          correlationType,
          u1.count,
          u1.since,
          u2.count,
          u2.since,
          momentsKept(limits.user),
          p1.count,
          p1.since,
          p2.count,
          p2.since,
          momentsKept(limits.phone),
        ],
        { prepare: true },
      );
      return row && { verified: row.verified, other: row.other, issued: row.issued, phoneCounted: row.phone_counted };
    },

    /** Why a send did not fit: the moments that fill the windows. */
    async readSendState(userId: number, phone: string, limits: SendLimits): Promise<SendState> {
      const [u1, u2] = limits.user;
      const [p1, p2] = limits.phone;
      const [row] = await db.read`
        select v.verified_phone is not null as verified,
          v.sends[cardinality(v.sends) - ${u1?.count ?? null}::int + 1] as u1,
          v.sends[cardinality(v.sends) - ${u2?.count ?? null}::int + 1] as u2,
          b.sends[cardinality(b.sends) - ${p1?.count ?? null}::int + 1] as p1,
          b.sends[cardinality(b.sends) - ${p2?.count ?? null}::int + 1] as p2
        from verifications v left join phone_sends b on b.phone = ${phone}
        where v.user_id = ${userId}`;
      return {
        verified: row?.verified ?? false,
        userTimes: [row?.u1 ?? null, row?.u2 ?? null],
        phoneTimes: [row?.p1 ?? null, row?.p2 ?? null],
      };
    },

    /** Gives the user, and the phone if it was counted, their send of that moment back. */
    async giveBackSend(userId: number, phone: string | undefined, moment: Date): Promise<void> {
      await db.write.unsafe(
        `with phone_given as (
           update phone_sends set sends = ${without('sends', '$3::timestamptz')} where phone = $2
         )
         update verifications set sends = ${without('sends', '$3::timestamptz')} where user_id = $1`,
        [userId, phone ?? null, moment],
        { prepare: true },
      );
    },

    async acceptCode(code: IssuedCode, message: MessageRow): Promise<void> {
      await db.write.unsafe(
        acceptCodeStatement,
        [
          ...[code.userId, code.number, code.phone, code.digest, code.issuedAt, code.expiresAt],
          ...messageParameters(message),
        ],
        { prepare: true },
      );
    },

    async readLastSend(userId: number): Promise<LastSend | undefined> {
      const [row] = await db.read`
        select v.sent_phone, v.sent_correlation_type, v.verified_phone is not null as verified,
          (select m.locale from messages m where m.user_id = u.id order by m.code_number desc limit 1) as locale
        from users u left join verifications v on v.user_id = u.id where u.id = ${userId}`;
      return (
        row && {
          phone: row.sent_phone,
          correlationType: row.sent_correlation_type ?? 0,
          locale: row.locale ?? undefined,
          verified: row.verified,
        }
      );
    },

    async reserveAttempt(
      userId: number,
      now: Date,
      rates: readonly FailureRate[],
      attempts: number,
    ): Promise<AttemptReservation | undefined> {
      const [w1, w2] = windowsAt(now, rates);
      const blockedUntil = (rate: FailureRate | undefined) =>
        rate ? new Date(now.getTime() + rate.blockSeconds * 1000) : null;
      const [row] = await db.write.unsafe(
        reserveAttemptStatement,
        [
          userId,
          now,
          w1.count,
          w1.since,
          blockedUntil(rates[0]),
          w2.count,
          w2.since,
          blockedUntil(rates[1]),
          momentsKept(rates),
          attempts,
        ],
        { prepare: true },
      );
      return row && { number: row.code_number, phone: row.code_phone, digest: row.digest };
    },

    async consumeCode(userId: number, number: number, now: Date): Promise<boolean> {
      const rows = await db.write.unsafe(consumeCodeStatement, [userId, number, now], { prepare: true });
      return rows.length === 1;
    },

    async readBlock(userId: number): Promise<Date | undefined> {
      const [row] = await db.read`select blocked_until from verifications where user_id = ${userId}`;
      return row?.blocked_until ?? undefined;
    },

    /**
     * Codes in flight die with the link: none of them may link the phone again behind the operator's back.
     * The lock comes first, in a statement of its own: what waits for it may just have linked the phone,
     * and only a later statement sees that.
     */
    async unlinkPhone(userId: number): Promise<boolean> {
      return db.transaction(async (sql) => {
        const [, rows] = await Promise.all([
          sql`select from verifications where user_id = ${userId} for update`.execute(),
          sql`
            with unlinked as (
              delete from phone_links l using verifications v
              where v.user_id = ${userId} and l.phone = v.verified_phone and l.user_id = ${userId}
            ), cleared as (
              update verifications set
                verified_phone = null, verified_at = null, sent_phone = null, code_digest = null, code_number = issued
              where user_id = ${userId}
            )
            select 1 from users where id = ${userId}`,
        ]);
        return rows.length === 1;
      });
    },
  };
}
