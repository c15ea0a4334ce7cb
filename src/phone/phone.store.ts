/** The statements that decide about phones. If two callers can race, one statement decides. */
import type { Database, Sql } from '../db/database.ts';
import { countryOf, maskPhone } from '../values/phone-number.ts';
import { retryLostRace } from '../db/failures.ts';
import { callRecordAction } from '../db/record-action.ts';
import type { Operator } from '../audit/operator-actions.ts';
import { namedParameters, type ParameterTable } from '../db/named-parameters.ts';
import type { PhoneCodeKind, StoredCode } from '../codes/code.ts';
import { readLastRoute, type LastRoute } from '../codes/last-route.ts';
import type { LeasedBudgets } from '../codes/send-judge.ts';
import type { Proof } from '../guard/challenge.ts';
import { readRefusals, type RuleRefusal } from '../guard/judge.ts';
import {
  countedSources,
  failureLimitsConstant,
  limitConstant,
  rememberStatements,
  sendLimitsConstant,
  sourceParameters,
  sourcesExpression,
} from '../guard/limit-constants.ts';
import type { FailureLimits, SendLimits } from '../guard/limits.ts';
import type { Source } from '../guard/source.ts';

export interface SendAttempt {
  kind: PhoneCodeKind;
  userId: number;
  e164: string;
  /** The keyed digest that the phone is counted by. */
  phoneKey: Buffer;
  correlationType: number;
  now: Date;
  limits: SendLimits;
  sources: readonly Source[];
  /** A user who was created before this, or who has transactions, is established. */
  establishedBefore: Date;
  /** An enforced rule forbids the number itself, or a shared budget was refused a moment ago. */
  isForbidden: boolean;
  /** An enforced rule allows it to established users only. */
  isForbiddenToNewcomers: boolean;
  /** Present if a confirmation is needed. */
  confirmation: { id: string | undefined } | undefined;
  /** A proof that allows a newcomer to send, unless it was used before. */
  proof: Proof | undefined;
  /** What this process must lease for the send, as JSON; null if its leases are sufficient. */
  leases: string | null;
  code: NewCode;
}

export interface NewCode extends StoredCode {
  expiresAt: Date;
  /** The number of wrong attempts after which a code is no longer valid. */
  attemptLimit: number;
  /** Whether the user's latest code may be sent again instead, if its outcome is not known. */
  mayRepeat: boolean;
  /** Whether the latest code is sent again as long as it is good. */
  isResend: boolean;
}

export interface SendReservation extends LeasedBudgets {
  decision:
    | 'unknown-user'
    | 'verified'
    | 'not-verified'
    | 'unconfirmed'
    | 'already-linked'
    | 'lapsed'
    | 'phone-replaced'
    | 'refused'
    | 'proof-used'
    | 'phone-taken'
    | 'reserved';
  refusals: RuleRefusal[];
  /** The sources that the send was counted for. */
  counted: Source[];
  codeNumber: number;
  messageNumber: number;
  expiresAt: Date;
  /** The stored code that is to be sent again; undefined if the new one is sent. */
  repeated: StoredCode | undefined;
}

export interface VerifyAttempt {
  kind: PhoneCodeKind;
  userId: number;
  now: Date;
  limits: FailureLimits;
  attemptLimit: number;
  /** A code that was sent before this and is still pending was left behind by a process that ended. */
  pendingSince: Date;
  sources: readonly Source[];
  /** The keyed digest of the given code, if the rule about one code is on. */
  codeKey: Buffer | undefined;
}

export interface GoodCode extends StoredCode {
  codeNumber: number;
  e164: string;
}

export interface AttemptReservation {
  isCounted: boolean;
  refusals: RuleRefusal[];
  /** The end of the user's block, if this attempt started one. The block is removed if the attempt succeeds. */
  begunBlockUntil: Date | undefined;
  /** The keys of the phones that the attempt was counted for, as an array literal. */
  phoneKeys: string;
  goodCodes: GoodCode[];
  /** The phone that the user has verified. */
  linkedPhone: string | null;
}

export interface Unlinking {
  userId: number;
  now: Date;
  /** An operator frees this number, if the user still has it. A client unlinks whichever number the user has. */
  freed?: { e164: string; who: Operator };
}

export interface LastSend extends LastRoute {
  /** Of the latest code that counts, otherwise of the last send. */
  e164: string | null;
  correlationType: number;
  locale: string | undefined;
  verified: boolean;
}

export type PhoneStore = ReturnType<typeof createPhoneStore>;

const sendParameters: ParameterTable<SendAttempt> = {
  kind: ['text', ({ kind }) => kind],
  for_user: ['int', ({ userId }) => userId],
  to_phone: ['text', ({ e164 }) => e164],
  phone_key: ['bytea', ({ phoneKey }) => phoneKey],
  called_at: ['timestamptz', ({ now }) => now],
  correlation_type: ['smallint', ({ correlationType }) => correlationType],
  is_forbidden: ['boolean', ({ isForbidden }) => isForbidden],
  established_before: ['timestamptz', ({ establishedBefore }) => establishedBefore],
  leases: ['text::jsonb', ({ leases }) => leases],
  new_seed: ['bytea', ({ code }) => code.seed],
  new_digest: ['bytea', ({ code }) => code.digest],
  new_expires_at: ['timestamptz', ({ code }) => code.expiresAt],
  attempt_limit: ['int', ({ code }) => code.attemptLimit],
  may_repeat: ['boolean', ({ code }) => code.mayRepeat],
  is_resend: ['boolean', ({ code }) => code.isResend],
  needs_confirmation: ['boolean', ({ confirmation }) => confirmation !== undefined],
  given_confirmation: ['text::uuid', ({ confirmation }) => confirmation?.id ?? null],
};

const callReserveSend = limitedFunction<SendAttempt>(
  'reserve_send',
  {
    ...sendParameters,
    is_forbidden_to_newcomers: ['boolean', ({ isForbiddenToNewcomers }) => isForbiddenToNewcomers],
  },
  (limits) => `limits => ${sendLimitsConstant(limits)}`,
);

const callReserveProvenSend = limitedFunction<SendAttempt & { proof: Proof }>(
  'reserve_proven_send',
  {
    ...sendParameters,
    proof_key: ['bytea', ({ proof }) => proof.key],
    proof_expires_at: ['timestamptz', ({ proof }) => proof.expiresAt],
  },
  (limits) => `limits => ${sendLimitsConstant(limits)}`,
);

const failureLimits = (limits: FailureLimits) =>
  `limits => ${failureLimitsConstant(limits)}, code_limit => ${limitConstant(limits.codeUsers)}`;

const callReserveAttempt = limitedFunction<VerifyAttempt>(
  'reserve_attempt',
  {
    kind: ['text', ({ kind }) => kind],
    for_user: ['int', ({ userId }) => userId],
    called_at: ['timestamptz', ({ now }) => now],
    attempt_limit: ['int', ({ attemptLimit }) => attemptLimit],
    pending_since: ['timestamptz', ({ pendingSince }) => pendingSince],
    code_key: ['bytea', ({ codeKey }) => codeKey ?? null],
  },
  failureLimits,
);

const callConsumeCode = limitedFunction<VerifyAttempt & { code: GoodCode; reserved: AttemptReservation }>(
  'consume_code',
  {
    kind: ['text', ({ kind }) => kind],
    for_user: ['int', ({ userId }) => userId],
    code_number: ['int', ({ code }) => code.codeNumber],
    to_phone: ['text', ({ code }) => code.e164],
    called_at: ['timestamptz', ({ now }) => now],
    counted_phones: ['text::bytea[]', ({ reserved }) => reserved.phoneKeys],
    code_key: ['bytea', ({ codeKey }) => codeKey ?? null],
    previous_country: [
      'text',
      ({ reserved: { linkedPhone } }) => (linkedPhone === null ? null : countryOf(linkedPhone)),
    ],
  },
  failureLimits,
);

const verifiedSend =
  'coalesce((v.latest_code).phone, v.sent_phone) as e164, v.sent_correlation_type as correlation_type';
const changedSend = '(v.change_code).phone as e164, v.change_correlation_type as correlation_type';

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(attempt: SendAttempt): Promise<SendReservation> {
      const { proof } = attempt;
      const [row] = await retryLostRace(() =>
        proof ? callReserveProvenSend(db.write, { ...attempt, proof }) : callReserveSend(db.write, attempt),
      );
      return {
        decision: row!.decision,
        refusals: readRefusals(row!.refusals),
        counted: countedSources(attempt.limits, attempt.sources),
        isLeased: row!.is_leased ?? false,
        budgetLeases: new Map<string, number>(row!.budget_leases ?? []),
        codeNumber: row!.code_number,
        messageNumber: row!.message_number,
        expiresAt: row!.expires_at,
        repeated: row!.repeated_digest ? { seed: row!.repeated_seed, digest: row!.repeated_digest } : undefined,
      };
    },

    /** Whether a proof would still lift the limit of a phone's sends. */
    async hasRoomForProven(phoneKey: Buffer, now: Date): Promise<boolean> {
      const [row] = await db.read`
        select has_room_for_proven(p.proven, ${now}::timestamptz) as has_room from phone_sends p where p.key = ${phoneKey}`;
      return row?.has_room ?? true;
    },

    /** What a resend repeats. */
    async readLastSend(userId: number, kind: PhoneCodeKind): Promise<LastSend | undefined> {
      const [row] = await db.read.unsafe(
        `select ${kind === 'change' ? changedSend : verifiedSend}, v.verified_phone is not null as verified,
           (select json_build_object('locale', m.locale, 'gateway', m.gateway, 'channel', m.channel, 'state', m.state)
            from messages m where m.user_id = $1 and m.kind = $2 and m.state <> 'refused' order by m.message_number desc limit 1) as text
         from users u left join verifications v on v.user_id = u.id where u.id = $1`,
        [userId, kind],
        { prepare: true },
      );
      return (
        row && {
          e164: row.e164,
          correlationType: row.correlation_type ?? 0,
          locale: row.text?.locale,
          verified: row.verified,
          ...readLastRoute(row.text),
        }
      );
    },

    /** The phone that a code was sent to, if it is the user's latest of a verification or a change; null otherwise. */
    async readPhoneOfCode({ userId, codeNumber }: { userId: number; codeNumber: number }): Promise<string | null> {
      const [row] = await db.read`
        select case ${codeNumber}::int when (latest_code).number then (latest_code).phone
          when (change_code).number then (change_code).phone end as phone
        from verifications where user_id = ${userId}`;
      return row?.phone ?? null;
    },

    async reserveAttempt(attempt: VerifyAttempt): Promise<AttemptReservation> {
      const [row] = await retryLostRace(() => callReserveAttempt(db.write, attempt));
      const isCounted: boolean = row!.is_counted;
      const refusals = readRefusals(row!.refusals);
      return {
        isCounted,
        refusals,
        begunBlockUntil: isCounted ? refusals.find(({ isEnforced }) => isEnforced)?.until : undefined,
        phoneKeys: row!.phone_keys,
        goodCodes: [
          ...(row!.code_digest
            ? [{ codeNumber: row!.code_number, e164: row!.code_phone, seed: row!.code_seed, digest: row!.code_digest }]
            : []),
          ...readCodes(row!.earlier_good_codes),
        ],
        linkedPhone: row!.linked_phone,
      };
    },

    /** Decides a verification. False if another call used the code first, or another user has the phone. */
    async consumeCode(attempt: VerifyAttempt, code: GoodCode, reserved: AttemptReservation): Promise<boolean> {
      const [row] = await callConsumeCode(db.write, { code, reserved, ...attempt });
      return row!.consume_code;
    },

    /** Writes the event of a block that a final failure started. */
    async writeBlockEvent({ kind, userId, now }: VerifyAttempt, until: Date): Promise<void> {
      await db.write`select write_block_event(${kind}, ${userId}, ${until}, ${now})`;
    },

    /** Writes the events of blocks whose process ended before it wrote them. Returns how many. */
    async writeMissedBlockEvents(now: Date, failedBefore: Date, limit: number): Promise<number> {
      const [row] = await db.write`select write_missed_block_events(${now}, ${failedBefore}, ${limit}) as written`;
      return row!.written;
    },

    /**
     * Codes that were sent before become void with the link: none of them may link the phone again after it was
     * unlinked. The lock comes first, in a separate statement: while that waits, another call may link the phone, and
     * only a later statement sees it. False if there is no such user, or if the user does not have the freed number.
     */
    async unlinkPhone({ userId, now, freed }: Unlinking): Promise<boolean> {
      return db.transaction(async (sql) => {
        const [row] = await sql`select verified_phone from verifications where user_id = ${userId} for update`;
        if (freed && row?.verified_phone !== freed.e164) return false;
        const [known] = await sql`
          with unlinked as (
            delete from phone_links l using verifications v
            where v.user_id = ${userId} and l.phone = v.verified_phone and l.user_id = ${userId}
            returning l.phone
          ), cleared as (
            update verifications set
              verified_phone = null, verified_at = null, sent_phone = null, latest_code = null, earlier_codes = '{}',
              change_code = null, earlier_change_codes = '{}'
            where user_id = ${userId}
          )
          select (select phone from unlinked) as phone from users where id = ${userId}`;
        // Of its own: beside a distributed table it would run on a worker, which has no confirmations.
        if (known) await sql`select void_confirmations(${userId}, ${now})`;
        if (typeof known?.phone === 'string') {
          const data = JSON.stringify({ country: countryOf(known.phone), by: freed ? 'operator' : 'client' });
          await sql`select write_event('phone.unlinked', ${userId}, ${now}, ${data}::text::json)`;
        }
        if (freed) {
          const about = { target: `user ${userId}`, detail: maskPhone(freed.e164), userId };
          await sql`select ${callRecordAction(sql, { who: freed.who, now, action: 'free-phone', ...about })}`;
        }
        return known !== undefined;
      });
    },
  };
}

/**
 * A database function that is called with limits and with the sources that they count. Its text is kept for each set of
 * limits and kinds of sources.
 */
function limitedFunction<Given extends { limits: SendLimits | FailureLimits; sources: readonly Source[] }>(
  name: string,
  table: ParameterTable<Given>,
  constantsOf: (limits: Given['limits']) => string,
) {
  const { asArguments, names, valuesOf } = namedParameters(table);
  const textFor = rememberStatements<Given['limits']>((limits, counted) => {
    const sources = sourcesExpression(limits, counted, names.length + 1);
    return `select * from ${name}(${asArguments}, ${constantsOf(limits)}, sources => ${sources})`;
  });
  return (sql: Sql, given: Given) => {
    const counted = countedSources(given.limits, given.sources);
    const values = [...valuesOf(given), ...sourceParameters(counted)];
    return sql.unsafe(textFor(given.limits, counted), values, { prepare: true });
  };
}

function readCodes(rows: { number: number; phone: string; seed: string; digest: string }[] | null): GoodCode[] {
  return (rows ?? []).map(({ number, phone, seed, digest }) => ({
    codeNumber: number,
    e164: phone,
    seed: readBytes(seed),
    digest: readBytes(digest),
  }));
}

const readBytes = (text: string) => Buffer.from(text.slice(2), 'hex');
