/** The statements that decide about confirmations. */
import { array, type Database } from '../db/database.ts';
import { retryLostRace } from '../db/failures.ts';
import { namedParameters } from '../db/named-parameters.ts';
import { readLastRoute, type LastRoute } from '../codes/last-route.ts';
import type { LeasedBudgets } from '../codes/send-judge.ts';
import { readRefusals, type RuleRefusal } from '../guard/judge.ts';
import { limitConstant, rememberStatements } from '../guard/limit-constants.ts';
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

export interface ConfirmationReservation extends LeasedBudgets {
  decision: 'unverified' | 'other-phone' | 'unknown' | 'ended' | 'refused' | 'reserved';
  refusals: RuleRefusal[];
  codeNumber: number;
  messageNumber: number;
  /** A pending confirmation whose code is sent again. */
  repeated: Omit<NewConfirmation, 'termsDigest'> | undefined;
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

const reserve = namedParameters<ConfirmationAttempt>({
  for_user: ['int', ({ userId }) => userId],
  for_confirmation: ['text::uuid', ({ confirmationId }) => confirmationId],
  called_at: ['timestamptz', ({ now }) => now],
  to_phone: ['text', ({ e164 }) => e164],
  is_forbidden: ['boolean', ({ isForbidden }) => isForbidden],
  is_bound: ['boolean', ({ isBound }) => isBound],
  attempt_limit: ['int', ({ attemptLimit }) => attemptLimit],
  leases: ['text::jsonb', ({ leases }) => leases],
  new_purpose: ['text', ({ draft }) => draft?.purpose ?? null],
  new_terms_digest: ['bytea', ({ draft }) => draft?.termsDigest ?? null],
  new_code_digest: ['bytea', ({ draft }) => draft?.codeDigest ?? null],
  new_sealed_terms: ['bytea', ({ draft }) => draft?.sealedTerms ?? null],
  new_expires_at: ['timestamptz', ({ draft }) => draft?.expiresAt ?? null],
});

const check = namedParameters<ConfirmationCheck>({
  for_user: ['int', ({ userId }) => userId],
  for_confirmation: ['text::uuid', ({ confirmationId }) => confirmationId],
  called_at: ['timestamptz', ({ now }) => now],
  terms_digests: ['text::bytea[]', ({ termsDigests }) => bytesArray(termsDigests)],
  code_digests: ['text::bytea[]', ({ codeDigests }) => bytesArray(codeDigests)],
  given_purpose: ['text', ({ purpose }) => purpose ?? null],
  attempt_limit: ['int', ({ attemptLimit }) => attemptLimit],
});

const reserveText = rememberStatements<ConfirmationLimits>(
  ({ userConfirmations, boundConfirmations }) => `
  select * from reserve_confirmation(${reserve.asArguments}, user_limit => ${limitConstant(userConfirmations)},
    bound_limit => ${limitConstant(boundConfirmations)})`,
);

const checkText = rememberStatements<ConfirmationLimits>(
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
      const [row] = await db.write.unsafe(reserveText(attempt.limits), reserve.valuesOf(attempt), { prepare: true });
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
      const [row] = await retryLostRace(() =>
        db.write.unsafe(checkText(given.limits), check.valuesOf(given), { prepare: true }),
      );
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
      const [confirmation] = await db.read<StoredConfirmation[]>`
        select purpose, case when state = 'pending' and expires_at <= ${now} then 'expired' else state::text end as state,
          created_at as "createdAt", expires_at as "expiresAt", approved_at as "approvedAt"
        from confirmations where user_id = ${userId} and confirmation_id = ${confirmationId}::text::uuid`;
      return confirmation;
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

const bytesArray = (values: readonly Buffer[]) => array(values.map((value) => `\\x${value.toString('hex')}`));
