/** The statements that decide about confirmations. */
import { array, type Database } from '../db/database.ts';
import { retryLostRace } from '../db/lost-race.ts';
import { namedParameters } from '../db/named-parameters.ts';
import { readLastRoute, type LastRoute } from '../codes/last-route.ts';
import type { LeasedBudgets } from '../codes/send-judge.ts';
import { readRefusals, type RuleRefusal } from '../guard/judge.ts';
import { limitConstant } from '../guard/limit-constants.ts';
import type { ConfirmationLimits } from '../guard/limits.ts';

export interface ConfirmationAttempt {
  userId: number;
  confirmationId: string;
  now: Date;
  e164: string;
  /** An enforced rule forbids the number itself, or a shared budget was refused a moment ago. */
  isForbidden: boolean;
  /** Whether the caller's token is bound to the user. */
  isBound: boolean;
  limits: ConfirmationLimits;
  attemptLimit: number;
  /** What this process must lease for the send, as JSON; null if its leases are sufficient. */
  leases: string | null;
  /** Undefined if only an existing confirmation is sent again. */
  draft: NewConfirmation | undefined;
}

export interface NewConfirmation {
  purpose: string;
  termsDigest: Buffer;
  codeDigest: Buffer;
  sealedTerms: Buffer;
  expiresAt: Date;
}

/** A pending confirmation whose code is sent again. */
export interface RepeatedConfirmation {
  purpose: string;
  codeDigest: Buffer;
  sealedTerms: Buffer;
  expiresAt: Date;
}

export interface ConfirmationReservation extends LeasedBudgets {
  decision: 'unverified' | 'other-phone' | 'unknown' | 'ended' | 'refused' | 'reserved';
  refusals: RuleRefusal[];
  codeNumber: number;
  messageNumber: number;
  repeated: RepeatedConfirmation | undefined;
}

export interface ConfirmationCheck {
  userId: number;
  /** Null if it cannot be an id. */
  confirmationId: string | null;
  now: Date;
  termsDigests: readonly Buffer[];
  codeDigests: readonly Buffer[];
  purpose: string | undefined;
  attemptLimit: number;
  limits: ConfirmationLimits;
}

export interface CheckResult {
  decision: 'approved' | 'refused' | 'invalid';
  reason: 'unknown' | 'ended' | 'other-terms' | 'wrong-code' | undefined;
  refusals: RuleRefusal[];
  purpose: string;
}

export interface StoredConfirmation {
  purpose: string;
  state: 'pending' | 'approved' | 'expired' | 'failed' | 'void';
  createdAt: Date;
  expiresAt: Date;
  approvedAt: Date | null;
}

export interface LastText extends LastRoute {
  /** Null once the confirmation has ended. */
  sealedTerms: Buffer | null;
}

interface ConfirmationKey {
  userId: number;
  confirmationId: string;
}

export type ConfirmationsStore = ReturnType<typeof createConfirmationsStore>;

const reserve = namedParameters({
  for_user: 'int',
  for_confirmation: 'text::uuid',
  called_at: 'timestamptz',
  to_phone: 'text',
  is_forbidden: 'boolean',
  is_bound: 'boolean',
  attempt_limit: 'int',
  leases: 'text::jsonb',
  new_purpose: 'text',
  new_terms_digest: 'bytea',
  new_code_digest: 'bytea',
  new_sealed_terms: 'bytea',
  new_expires_at: 'timestamptz',
});

const check = namedParameters({
  for_user: 'int',
  for_confirmation: 'text::uuid',
  called_at: 'timestamptz',
  terms_digests: 'text::bytea[]',
  code_digests: 'text::bytea[]',
  given_purpose: 'text',
  attempt_limit: 'int',
});

const reserveText = remember(
  ({ userConfirmations, boundConfirmations }) => `
  select * from reserve_confirmation(${reserve.asArguments}, user_limit => ${limitConstant(userConfirmations)},
    bound_limit => ${limitConstant(boundConfirmations)})`,
);

const checkText = remember(
  ({ failedChecks }) => `
  select * from check_confirmation(${check.asArguments}, failure_limit => ${limitConstant(failedChecks)})`,
);

export function createConfirmationsStore(db: Database) {
  return {
    /** The user's verified phone; null if there is none, undefined if there is no such user. */
    async readPhone(userId: number): Promise<string | null | undefined> {
      const [verified] = await db.read`
        select verified_phone from verifications where user_id = ${userId} and verified_phone is not null`;
      if (verified) return verified.verified_phone;
      const [user] = await db.read`select id from users where id = ${userId}`;
      return user ? null : undefined;
    },

    /** Counts a send and stores a new confirmation. See src/db/functions/reserve_confirmation.sql. */
    async reserveConfirmation(attempt: ConfirmationAttempt): Promise<ConfirmationReservation> {
      const { draft } = attempt;
      const values = reserve.valuesOf({
        for_user: attempt.userId,
        for_confirmation: attempt.confirmationId,
        called_at: attempt.now,
        to_phone: attempt.e164,
        is_forbidden: attempt.isForbidden,
        is_bound: attempt.isBound,
        attempt_limit: attempt.attemptLimit,
        leases: attempt.leases,
        new_purpose: draft?.purpose ?? null,
        new_terms_digest: draft?.termsDigest ?? null,
        new_code_digest: draft?.codeDigest ?? null,
        new_sealed_terms: draft?.sealedTerms ?? null,
        new_expires_at: draft?.expiresAt ?? null,
      });
      const [row] = await db.write.unsafe(reserveText(attempt.limits), values, { prepare: true });
      return {
        decision: row!.decision,
        refusals: readRefusals(row!.refusals),
        isLeased: row!.is_leased ?? false,
        budgetLeases: new Map<string, number>(row!.budget_leases ?? []),
        codeNumber: row!.code_number,
        messageNumber: row!.message_number,
        repeated: row!.repeated_digest
          ? {
              purpose: row!.repeated_purpose,
              codeDigest: row!.repeated_digest,
              sealedTerms: row!.repeated_terms,
              expiresAt: row!.repeated_expires_at,
            }
          : undefined,
      };
    },

    /** Decides a check. See src/db/functions/check_confirmation.sql. */
    async checkConfirmation(given: ConfirmationCheck): Promise<CheckResult> {
      const values = check.valuesOf({
        for_user: given.userId,
        for_confirmation: given.confirmationId,
        called_at: given.now,
        terms_digests: bytesArray(given.termsDigests),
        code_digests: bytesArray(given.codeDigests),
        given_purpose: given.purpose ?? null,
        attempt_limit: given.attemptLimit,
      });
      const [row] = await retryLostRace(() => db.write.unsafe(checkText(given.limits), values, { prepare: true }));
      return {
        decision: row!.decision,
        reason: row!.reason ?? undefined,
        refusals: readRefusals(row!.refusals),
        purpose: row!.purpose,
      };
    },

    async readConfirmation(
      { userId, confirmationId }: ConfirmationKey,
      now: Date,
    ): Promise<StoredConfirmation | undefined> {
      const [row] = await db.read`
        select purpose, created_at, expires_at, approved_at,
          case when state = 'pending' and expires_at <= ${now} then 'expired' else state::text end as state
        from confirmations where user_id = ${userId} and confirmation_id = ${confirmationId}::text::uuid`;
      return (
        row && {
          purpose: row.purpose,
          state: row.state,
          createdAt: row.created_at,
          expiresAt: row.expires_at,
          approvedAt: row.approved_at,
        }
      );
    },

    /** What a resend repeats, and how the last text was sent. */
    async readLastText({ userId, confirmationId }: ConfirmationKey): Promise<LastText> {
      const [row] = await db.read`
        select c.sealed_terms, (
          select json_build_object('gateway', m.gateway, 'channel', m.channel, 'state', m.state) from messages m
          where m.user_id = c.user_id and m.confirmation_id = c.confirmation_id and m.state <> 'refused'
          order by m.message_number desc limit 1) as text
        from confirmations c where c.user_id = ${userId} and c.confirmation_id = ${confirmationId}::text::uuid`;
      return { sealedTerms: row?.sealed_terms ?? null, ...readLastRoute(row?.text) };
    },

    async isUser(userId: number): Promise<boolean> {
      const rows = await db.read`select id from users where id = ${userId}`;
      return rows.length > 0;
    },

    /** Gives a pending confirmation up. False if there is no such confirmation. */
    async cancelConfirmation({ userId, confirmationId }: ConfirmationKey, now: Date): Promise<boolean> {
      const [row] = await db.write`
        with ended as (
          update confirmations set
            state = (case when expires_at > ${now} then 'void' else 'expired' end)::confirmation_state,
            code_digest = null, sealed_terms = null
          where user_id = ${userId} and confirmation_id = ${confirmationId}::text::uuid and state = 'pending'
        )
        select exists (
          select from confirmations where user_id = ${userId} and confirmation_id = ${confirmationId}::text::uuid
        ) as is_known`;
      return row!.is_known;
    },

    /** Ends pending confirmations whose time has passed, and removes their terms. Returns how many. */
    async expireConfirmations(now: Date, limit: number): Promise<number> {
      const { count } = await db.write`
        update confirmations c set state = 'expired', code_digest = null, sealed_terms = null
        from (
          select user_id, confirmation_id from confirmations where state = 'pending' and expires_at <= ${now}
          order by expires_at limit ${limit} for update skip locked
        ) e
        where c.user_id = e.user_id and c.confirmation_id = e.confirmation_id`;
      return count;
    },
  };
}

/** Keeps the text of a statement for each set of limits. */
function remember(write: (limits: ConfirmationLimits) => string): (limits: ConfirmationLimits) => string {
  const texts = new WeakMap<ConfirmationLimits, string>();
  return (limits) => {
    let text = texts.get(limits);
    if (text === undefined) texts.set(limits, (text = write(limits)));
    return text;
  };
}

const bytesArray = (values: readonly Buffer[]) => array(values.map((value) => `\\x${value.toString('hex')}`));
