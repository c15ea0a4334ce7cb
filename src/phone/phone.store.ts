/** The statements that decide about phones. If two callers can race, one statement decides. */
import type { Database } from '../db/database.ts';
import { maskPhone } from '../values/phone-number.ts';
import { retryLostRace } from '../db/lost-race.ts';
import type { Operator } from '../audit/operator-actions.ts';
import { namedParameters } from '../db/named-parameters.ts';
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
  countryOf(e164: string): string | null;
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

const sendParameters = {
  kind: 'text',
  for_user: 'int',
  to_phone: 'text',
  phone_key: 'bytea',
  called_at: 'timestamptz',
  correlation_type: 'smallint',
  is_forbidden: 'boolean',
  established_before: 'timestamptz',
  leases: 'text::jsonb',
  new_seed: 'bytea',
  new_digest: 'bytea',
  new_expires_at: 'timestamptz',
  attempt_limit: 'int',
  may_repeat: 'boolean',
  is_resend: 'boolean',
  needs_confirmation: 'boolean',
  given_confirmation: 'text::uuid',
};
const reserveSend = namedParameters({ ...sendParameters, is_forbidden_to_newcomers: 'boolean' });
const reserveProvenSend = namedParameters({ ...sendParameters, proof_key: 'bytea', proof_expires_at: 'timestamptz' });

const reserveSendText = rememberStatements<SendLimits>(
  (limits, counted) => `
  select * from reserve_send(${reserveSend.asArguments}, limits => ${sendLimitsConstant(limits)},
    sources => ${sourcesExpression(limits, counted, reserveSend.names.length + 1)})`,
);

const reserveProvenSendText = rememberStatements<SendLimits>(
  (limits, counted) => `
  select * from reserve_proven_send(${reserveProvenSend.asArguments}, limits => ${sendLimitsConstant(limits)},
    sources => ${sourcesExpression(limits, counted, reserveProvenSend.names.length + 1)})`,
);

const reserveAttempt = namedParameters({
  kind: 'text',
  for_user: 'int',
  called_at: 'timestamptz',
  attempt_limit: 'int',
  pending_since: 'timestamptz',
  code_key: 'bytea',
});

const reserveAttemptText = rememberStatements<FailureLimits>(
  (limits, counted) => `
  select * from reserve_attempt(${reserveAttempt.asArguments}, limits => ${failureLimitsConstant(limits)},
    sources => ${sourcesExpression(limits, counted, reserveAttempt.names.length + 1)},
    code_limit => ${limitConstant(limits.codeUsers)})`,
);

const consumeCode = namedParameters({
  kind: 'text',
  for_user: 'int',
  code_number: 'int',
  to_phone: 'text',
  called_at: 'timestamptz',
  counted_phones: 'text::bytea[]',
  code_key: 'bytea',
  previous_country: 'text',
});

const consumeCodeText = rememberStatements<FailureLimits>(
  (limits, counted) => `
  select consume_code(${consumeCode.asArguments}, limits => ${failureLimitsConstant(limits)},
    sources => ${sourcesExpression(limits, counted, consumeCode.names.length + 1)},
    code_limit => ${limitConstant(limits.codeUsers)}) as consumed`,
);

const verifiedSend =
  'coalesce((v.latest_code).phone, v.sent_phone) as e164, v.sent_correlation_type as correlation_type';
const changedSend = '(v.change_code).phone as e164, v.change_correlation_type as correlation_type';

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(attempt: SendAttempt): Promise<SendReservation> {
      const { limits, code, proof } = attempt;
      const counted = countedSources(limits, attempt.sources);
      const common = {
        kind: attempt.kind,
        for_user: attempt.userId,
        to_phone: attempt.e164,
        phone_key: attempt.phoneKey,
        called_at: attempt.now,
        correlation_type: attempt.correlationType,
        is_forbidden: attempt.isForbidden,
        established_before: attempt.establishedBefore,
        leases: attempt.leases,
        new_seed: code.seed,
        new_digest: code.digest,
        new_expires_at: code.expiresAt,
        attempt_limit: code.attemptLimit,
        may_repeat: code.mayRepeat,
        is_resend: code.isResend,
        needs_confirmation: attempt.confirmation !== undefined,
        given_confirmation: attempt.confirmation?.id ?? null,
      };
      const text = (proof ? reserveProvenSendText : reserveSendText)(limits, counted);
      const values = proof
        ? reserveProvenSend.valuesOf({ proof_key: proof.key, proof_expires_at: proof.expiresAt, ...common })
        : reserveSend.valuesOf({ is_forbidden_to_newcomers: attempt.isForbiddenToNewcomers, ...common });
      const [row] = await retryLostRace(() =>
        db.write.unsafe(text, [...values, ...sourceParameters(counted)], { prepare: true }),
      );
      return {
        decision: row!.decision,
        refusals: readRefusals(row!.refusals),
        counted,
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
        select count(*) < 3 as has_room from phone_sends p, unnest(p.proven) e (at)
        where p.key = ${phoneKey} and e.at > ${now}::timestamptz - interval '1 day'`;
      return row!.has_room;
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
      const { limits } = attempt;
      const counted = countedSources(limits, attempt.sources);
      const values = reserveAttempt.valuesOf({
        kind: attempt.kind,
        for_user: attempt.userId,
        called_at: attempt.now,
        attempt_limit: attempt.attemptLimit,
        pending_since: attempt.pendingSince,
        code_key: attempt.codeKey ?? null,
      });
      const [row] = await retryLostRace(() =>
        db.write.unsafe(reserveAttemptText(limits, counted), [...values, ...sourceParameters(counted)], {
          prepare: true,
        }),
      );
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
    async consumeCode(
      { kind, userId, now, limits, sources, codeKey }: VerifyAttempt,
      { codeNumber, e164 }: GoodCode,
      { phoneKeys, linkedPhone }: AttemptReservation,
      countryOf: (e164: string) => string | null,
    ): Promise<boolean> {
      const counted = countedSources(limits, sources);
      const values = consumeCode.valuesOf({
        kind,
        for_user: userId,
        code_number: codeNumber,
        to_phone: e164,
        called_at: now,
        counted_phones: phoneKeys,
        code_key: codeKey ?? null,
        previous_country: linkedPhone === null ? null : countryOf(linkedPhone),
      });
      const [row] = await db.write.unsafe(consumeCodeText(limits, counted), [...values, ...sourceParameters(counted)], {
        prepare: true,
      });
      return row!.consumed;
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
    async unlinkPhone({ userId, countryOf, now, freed }: Unlinking): Promise<boolean> {
      return db.transaction(async (sql) => {
        const [held] = await sql`select verified_phone from verifications where user_id = ${userId} for update`;
        if (freed && held?.verified_phone !== freed.e164) return false;
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
          const { subject, client, reason = null } = freed.who;
          await sql`
            select record_action(called_at => ${now}, of_subject => ${subject}, of_client => ${client}, action => 'free-phone',
              target => ${`user ${userId}`}, detail => ${maskPhone(freed.e164)}, of_user => ${userId}, reason => ${reason})`;
        }
        return known !== undefined;
      });
    },
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
