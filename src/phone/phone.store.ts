/** The statements that decide about phones. Where two callers can race, one statement decides. */
import { secondsAfter } from '../clock.ts';
import { array, orAgain, type Database } from '../db/database.ts';
import type { FailurePlan, Need, PrefixLimit, SendPlan, SharedNeeds, Source } from '../guard/rules.ts';
import { type FailureRate } from '../guard/windows.ts';
import { insertMessage, messageParameters, type MessageRow } from './sent-message.store.ts';

/** The accepted code counts from now on, unless a newer one was accepted first or the user is verified. */
const acceptCodeStatement = `
with told as (${insertMessage(7, 'accepted')})
update verifications set
  code_number = $2, code_phone = $3, code_digest = $4, code_issued_at = $5, code_expires_at = $6, code_attempts = 0
where user_id = $1 and code_number < $2 and verified_phone is null`;

/** Notes a user on whom a code failed, and blocks the code when it has failed on too many. */
const noteFailedCodeStatement = `
insert into guard_codes as g (key, users, user_times, blocked_until)
values ($1::bytea, array[$2::int], array[$3::timestamptz], case when $4::int = 1 then $6::timestamptz end)
on conflict (key) do update set
  users = appended(without(g.users, array_position(g.users, $2::int)), $2::int, $4::int),
  user_times = appended(without(g.user_times, array_position(g.users, $2::int)), $3::timestamptz, $4::int),
  blocked_until = case
    when filled_by(without(g.user_times, array_position(g.users, $2::int)) || $3::timestamptz, $4::int, $5::timestamptz)
      is not null
    then $6::timestamptz else g.blocked_until end`;

/** A slot's seconds; an absent window has none. */
function secondsOf(counts: readonly (number | null)[], seconds: readonly number[]): string {
  return array(seconds.map((some, slot) => (counts[slot] === null ? null : some)));
}

const isLimited = ({ counts }: { counts: readonly (number | null)[] }, ...slots: number[]) =>
  slots.some((slot) => counts[slot - 1] !== null);

export interface SendAttempt {
  userId: number;
  phone: string;
  correlationType: number;
  now: Date;
  plan: SendPlan;
  source: Source;
  /** An enforced rule forbids the number itself, or a shared budget was refused a moment ago. */
  forbidden: boolean;
  /** What this process must lease for the send. */
  leases: SharedNeeds;
  prefix: PrefixLimit | undefined;
  enforces(need: Need): boolean;
}

export interface SendReservation {
  verified: boolean;
  /** Whether another user holds the phone. */
  other: boolean;
  /** The new code's number; null when a rule refused. */
  issued: number | null;
  /** The sources it was counted for. */
  counted: Source;
  /** Whether it came as far as the shared budgets. */
  leased: boolean;
  /** By slot, the moments that fill its window; undefined when none does. */
  moments: (Date | null)[] | undefined;
  /** Whether the prefix got its block, since when its window runs, and until when it is closed. */
  prefix: { granted: boolean; since: string | null; until: string | null } | undefined;
  /** What the budgets granted, by name. */
  budgets: ReadonlyMap<string, number>;
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
  /** Undefined when the attempt was refused. */
  code: { number: number; phone: string; digest: Buffer | null } | undefined;
  /** Until when each rule would refuse, as it was before this attempt. */
  blocks: Partial<Record<'user' | 'phone' | 'address' | 'token' | 'code', Date>>;
}

export interface Attempt {
  userId: number;
  now: Date;
  plan: FailurePlan;
  attempts: number;
  source: Source;
  /** The code that was given, as the rule about one code knows it. */
  code: { key: Buffer; enforced: boolean } | undefined;
}

export interface LastSend {
  phone: string | null;
  correlationType: number;
  locale: string | undefined;
  verified: boolean;
}

export type PhoneStore = ReturnType<typeof createPhoneStore>;

/** The sources that an attempt is counted for. */
function sourceOf({ plan, source: { address, token } }: Attempt): Source {
  return {
    address: isLimited(plan, 5, 6) ? address : undefined,
    token: isLimited(plan, 7, 8) ? token : undefined,
  };
}

function sourceParameters({ address, token }: Source) {
  return [address?.key ?? null, address?.label ?? null, token?.key ?? null, token?.label ?? null];
}

function leaseParameter({ leases: { prefix, budgets }, prefix: limit, now, enforces }: SendAttempt): string | null {
  if (!prefix && budgets.length === 0) return null;
  return JSON.stringify({
    ...(prefix &&
      limit && { prefix: { ...limit, name: prefix.name, block: prefix.block, enforced: enforces(prefix) } }),
    ...(budgets.length > 0 && { budgets: budgets.map((need) => ({ ...need, enforced: enforces(need) })) }),
    day: now.toISOString().slice(0, 10),
  });
}

const asDate = (text: string | null) => (text === null ? null : new Date(text));

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(attempt: SendAttempt): Promise<SendReservation | undefined> {
      const { userId, phone, now, plan, source } = attempt;
      const counted = {
        address: isLimited(plan, 5, 6) ? source.address : undefined,
        token: isLimited(plan, 7, 8) ? source.token : undefined,
      };
      const [row] = await orAgain(() =>
        db.write.unsafe(
          `select * from reserve_send($1::int, $2::text, $3::timestamptz, $4::smallint, $5::boolean,
             $6::int[], $7::int[], $8::boolean[], $9::bytea, $10::text, $11::bytea, $12::text, $13::text::jsonb)`,
          [
            ...[userId, phone, now, attempt.correlationType, attempt.forbidden],
            array(plan.counts),
            secondsOf(plan.counts, plan.seconds),
            array(plan.enforced.map(String)),
            ...sourceParameters(counted),
            leaseParameter(attempt),
          ],
          { prepare: true },
        ),
      );
      if (row!.other === null) return undefined;
      return {
        verified: row!.verified,
        other: row!.other,
        issued: row!.issued,
        counted,
        leased: row!.leased,
        moments: row!.moments?.map(asDate),
        prefix: row!.prefix ?? undefined,
        budgets: new Map<string, number>(row!.budgets ?? []),
      };
    },

    /** Gives the user, the phone and the sources their send of that moment back. */
    async giveBackSend(userId: number, phone: string, moment: Date, { address, token }: Source): Promise<void> {
      await db.write.unsafe(
        'select give_back_send($1::int, $2::text, $3::timestamptz, $4::bytea, $5::bytea)',
        [userId, phone, moment, address?.key ?? null, token?.key ?? null],
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

    async reserveAttempt(attempt: Attempt): Promise<AttemptReservation> {
      const { userId, now, plan, code } = attempt;
      const [row] = await orAgain(() =>
        db.write.unsafe(
          `select * from reserve_attempt($1::int, $2::timestamptz, $3::int, $4::bytea, $5::int[], $6::int[],
             $7::int[], $8::boolean[], $9::bytea, $10::text, $11::bytea, $12::text)`,
          [
            ...[userId, now, attempt.attempts, code?.key ?? null],
            array(plan.counts),
            secondsOf(plan.counts, plan.seconds),
            secondsOf(plan.counts, plan.blockSeconds),
            array([...plan.enforced, code?.enforced ?? false].map(String)),
            ...sourceParameters(sourceOf(attempt)),
          ],
          { prepare: true },
        ),
      );
      return {
        code: row!.counted ? { number: row!.code, phone: row!.sent_to, digest: row!.digest } : undefined,
        blocks: {
          user: row!.user_until,
          phone: row!.phone_until,
          address: row!.address_until,
          token: row!.token_until,
          code: row!.code_until,
        },
      };
    },

    async consumeCode(
      attempt: Attempt,
      { number, phone }: { number: number; phone: string },
      prefix: string | undefined,
    ): Promise<boolean> {
      const { userId, now, plan } = attempt;
      const { address, token } = sourceOf(attempt);
      const [row] = await db.write.unsafe(
        `select consume_code($1::int, $2::int, $3::text, $4::timestamptz, $5::text, $6::int[],
           $7::bytea, $8::bytea) as consumed`,
        [
          ...[userId, number, phone, now, prefix ?? null],
          secondsOf(plan.counts, plan.blockSeconds),
          address?.key ?? null,
          token?.key ?? null,
        ],
        { prepare: true },
      );
      return row!.consumed;
    },

    async noteFailedCode(key: Buffer, userId: number, now: Date, rate: FailureRate): Promise<void> {
      await db.write.unsafe(
        noteFailedCodeStatement,
        [key, userId, now, rate.count, secondsAfter(now, -rate.seconds), secondsAfter(now, rate.blockSeconds)],
        { prepare: true },
      );
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
