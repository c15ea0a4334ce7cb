/** The statements that decide about phones. If two callers can race, one statement decides. */
import { array, type Database } from '../db/database.ts';
import { maskPhone } from '../values/phone-number.ts';
import { retryLostRace } from '../db/lost-race.ts';
import type { Operator } from '../audit/operator-actions.ts';
import type { Proof } from '../guard/challenge.ts';
import type { FailureLimits, SendLimits } from '../guard/limits.ts';
import type { RuleName } from '../guard/rules.ts';
import type { Source } from '../guard/source.ts';
import type { StoredCode } from './code.ts';
import {
  countedSources,
  failureLimitsConstant,
  limitConstant,
  rememberStatements,
  sendLimitsConstant,
  sourceParameters,
  sourcesExpression,
} from './limits.store.ts';

export interface SendAttempt {
  userId: number;
  phone: string;
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
}

/** A rule that refuses, or would refuse if it were enforced. */
export interface RuleRefusal {
  rule: RuleName;
  isEnforced: boolean;
  until: Date;
}

export interface SendReservation {
  decision: 'unknown-user' | 'verified' | 'refused' | 'proof-used' | 'phone-taken' | 'reserved';
  refusals: RuleRefusal[];
  /** The sources that the send was counted for. */
  counted: Source[];
  /** Whether the leases were requested. */
  isLeased: boolean;
  /** What the budgets granted, by name. */
  budgetLeases: ReadonlyMap<string, number>;
  codeNumber: number;
  messageNumber: number;
  /** The stored code that is to be sent again; undefined if the new one is sent. */
  repeated: StoredCode | undefined;
}

export type SendOutcome = 'accepted' | 'unknown' | 'refused' | 'unavailable';

/** A message that was passed to the gateways, and its outcome. */
export interface FinishedMessage {
  userId: number;
  messageNumber: number;
  codeNumber: number;
  outcome: SendOutcome;
  phone: string;
  phoneKey: Buffer;
  maskedPhone: string;
  /** ISO 3166, or empty. */
  country: string;
  correlationType: number;
  locale: string;
  segments: number;
  gateway: string;
  gatewayId: string | null;
  reason: string | null;
  /** The tries at each gateway as JSON, or null. */
  tries: string | null;
  requestedAt: Date;
  answeredAt: Date;
  expiresAt: Date;
  counted: readonly Source[];
}

export interface VerifyAttempt {
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
  phone: string;
}

export interface AttemptReservation {
  isCounted: boolean;
  refusals: RuleRefusal[];
  /** The end of the user's block, if this attempt started one. The block is removed if the attempt succeeds. */
  begunBlockUntil: Date | undefined;
  /** The keys of the phones that the attempt was counted for, as an array literal. */
  phoneKeys: string;
  goodCodes: GoodCode[];
}

export interface Unlinking {
  userId: number;
  countryOf(phone: string): string | null;
  now: Date;
  /** An operator frees this number, if the user still has it. A client unlinks whichever number the user has. */
  freed?: { phone: string; who: Operator };
}

export interface LastSend {
  phone: string | null;
  correlationType: number;
  locale: string | undefined;
  verified: boolean;
}

export type PhoneStore = ReturnType<typeof createPhoneStore>;

const reserveSendText = rememberStatements<SendLimits>(
  (limits, counted) => `
  select * from reserve_send($1::int, $2::text, $3::bytea, $4::timestamptz, $5::smallint, $6::boolean, $14::boolean,
    ${sendLimitsConstant(limits)}, ${sourcesExpression(limits, counted, 15)}, $13::timestamptz, $7::text::jsonb,
    $8::bytea, $9::bytea, $10::timestamptz, $11::int, $12::boolean)`,
);

const reserveProvenSendText = rememberStatements<SendLimits>(
  (limits, counted) => `
  select * from reserve_proven_send($14::bytea, $15::timestamptz, $1::int, $2::text, $3::bytea, $4::timestamptz,
    $5::smallint, $6::boolean, ${sendLimitsConstant(limits)}, ${sourcesExpression(limits, counted, 16)},
    $13::timestamptz, $7::text::jsonb, $8::bytea, $9::bytea, $10::timestamptz, $11::int, $12::boolean)`,
);

/**
 * The common case of finish_send, as a plain statement: a function takes a third longer. The accepted code is the
 * user's latest, so it supersedes the earlier ones.
 */
const acceptSendText = `
with settled as (
  update verifications v set
    latest_code.state = 'accepted', latest_code.texts_in_flight = (v.latest_code).texts_in_flight - 1,
    earlier_codes = '{}'
  where v.user_id = $1 and (v.latest_code).number = $3::int
  returning v.user_id
), kept as (
  insert into messages (user_id, message_number, code_number, phone, country, correlation_type, locale, segments,
    gateway, gateway_message_id, state, reason, tries, requested_at, answered_at, state_at, expires_at)
  select s.user_id, $2::int, $3::int, $4::text, $5::text, $6::smallint, $7::text, $8::smallint,
    $9::text, $10::text, 'accepted', $11::text, $12::text::json, $13::timestamptz, $14::timestamptz, $14::timestamptz,
    $15::timestamptz
  from settled s
  returning user_id
)
select write_event('phone.code_sent', k.user_id, $14::timestamptz, json_build_object('country', nullif($5::text, ''),
  'correlationType', $6::smallint, 'gateway', $9::text, 'outcome', 'accepted', 'codeNumber', $3::int))
from kept k`;

const finishSendText = `
select finish_send($1::int, $2::int, $3::int, $16::text, $17::text, $18::bytea, $19::text::bytea[], $4::text, $5::text,
  $6::smallint, $7::text, $8::smallint, $9::text, $10::text, $11::text, $12::text::json, $13::timestamptz,
  $14::timestamptz, $15::timestamptz)`;

const reserveAttemptText = rememberStatements<FailureLimits>(
  (limits, counted) => `
  select * from reserve_attempt($1::int, $2::timestamptz, $3::int, $4::timestamptz,
    ${failureLimitsConstant(limits)}, ${sourcesExpression(limits, counted, 6)}, $5::bytea,
    ${limitConstant(limits.codeUsers)})`,
);

const consumeCodeText = rememberStatements<FailureLimits>(
  (limits, counted) => `
  select consume_code($1::int, $2::int, $3::text, $4::timestamptz, $5::text::bytea[], ${failureLimitsConstant(limits)},
    ${sourcesExpression(limits, counted, 7)}, $6::bytea, ${limitConstant(limits.codeUsers)}) as consumed`,
);

export function createPhoneStore(db: Database) {
  return {
    async reserveSend(attempt: SendAttempt): Promise<SendReservation> {
      const { userId, phone, phoneKey, now, limits, code, proof } = attempt;
      const counted = countedSources(limits, attempt.sources);
      const text = (proof ? reserveProvenSendText : reserveSendText)(limits, counted);
      const [row] = await retryLostRace(() =>
        db.write.unsafe(
          text,
          [
            ...[userId, phone, phoneKey, now, attempt.correlationType, attempt.isForbidden, attempt.leases],
            ...[code.seed, code.digest, code.expiresAt, code.attemptLimit, code.mayRepeat, attempt.establishedBefore],
            ...(proof ? [proof.key, proof.expiresAt] : [attempt.isForbiddenToNewcomers]),
            ...sourceParameters(counted),
          ],
          { prepare: true },
        ),
      );
      return {
        decision: row!.decision,
        refusals: readRefusals(row!.refusals),
        counted,
        isLeased: row!.is_leased ?? false,
        budgetLeases: new Map<string, number>(row!.budget_leases ?? []),
        codeNumber: row!.code_number,
        messageNumber: row!.message_number,
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

    /** Decides a send: accepted, unknown, refused or unavailable. See src/db/functions/finish_send.sql. */
    async finishSend(message: FinishedMessage): Promise<void> {
      const parameters = messageParameters(message);
      if (message.outcome === 'accepted') {
        const { count } = await db.write.unsafe(acceptSendText, parameters, { prepare: true });
        if (count === 1) return;
      }
      const keys = message.counted.map(({ key }) => `\\x${key.toString('hex')}`);
      await db.write.unsafe(
        finishSendText,
        [...parameters, message.outcome, message.phone, message.phoneKey, array(keys)],
        { prepare: true },
      );
    },

    async readLastSend(userId: number): Promise<LastSend | undefined> {
      const [row] = await db.read`
        select v.sent_phone, v.sent_correlation_type, v.verified_phone is not null as verified,
          (select m.locale from messages m where m.user_id = u.id order by m.message_number desc limit 1) as locale
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

    /** The phone that a code was sent to, if it is the user's latest; null otherwise. */
    async readPhoneOfCode({ userId, codeNumber }: { userId: number; codeNumber: number }): Promise<string | null> {
      const [row] = await db.read`
        select (latest_code).phone from verifications where user_id = ${userId} and (latest_code).number = ${codeNumber}`;
      return row?.phone ?? null;
    },

    async reserveAttempt(attempt: VerifyAttempt): Promise<AttemptReservation> {
      const { userId, now, limits } = attempt;
      const counted = countedSources(limits, attempt.sources);
      const [row] = await retryLostRace(() =>
        db.write.unsafe(
          reserveAttemptText(limits, counted),
          [
            ...[userId, now, attempt.attemptLimit, attempt.pendingSince, attempt.codeKey ?? null],
            ...sourceParameters(counted),
          ],
          { prepare: true },
        ),
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
            ? [{ codeNumber: row!.code_number, phone: row!.code_phone, seed: row!.code_seed, digest: row!.code_digest }]
            : []),
          ...readCodes(row!.earlier_good_codes),
        ],
      };
    },

    /** Decides a verification. False if another call used the code first, or another user has the phone. */
    async consumeCode(
      { userId, now, limits, sources, codeKey }: VerifyAttempt,
      { codeNumber, phone }: GoodCode,
      phoneKeys: string,
    ): Promise<boolean> {
      const counted = countedSources(limits, sources);
      const [row] = await db.write.unsafe(
        consumeCodeText(limits, counted),
        [userId, codeNumber, phone, now, phoneKeys, codeKey ?? null, ...sourceParameters(counted)],
        { prepare: true },
      );
      return row!.consumed;
    },

    /** Writes the event of a block that a final failure started. */
    async writeBlockEvent(userId: number, until: Date, now: Date): Promise<void> {
      await db.write`select tell_block(${userId}, ${until}, ${now})`;
    },

    /** Writes the events of blocks whose process ended before it wrote them. Returns how many. */
    async writeMissedBlockEvents(now: Date, failedBefore: Date, limit: number): Promise<number> {
      const [row] = await db.write`select tell_missed_blocks(${now}, ${failedBefore}, ${limit}) as written`;
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
        if (freed && held?.verified_phone !== freed.phone) return false;
        const rows = await sql`
          with unlinked as (
            delete from phone_links l using verifications v
            where v.user_id = ${userId} and l.phone = v.verified_phone and l.user_id = ${userId}
            returning l.phone
          ), cleared as (
            update verifications set
              verified_phone = null, verified_at = null, sent_phone = null, latest_code = null, earlier_codes = '{}'
            where user_id = ${userId}
          )
          select (select phone from unlinked) as phone from users where id = ${userId}`;
        const phone: string | null = rows[0]?.phone ?? null;
        if (phone !== null) {
          const data = JSON.stringify({ country: countryOf(phone), by: freed ? 'operator' : 'client' });
          await sql`select write_event('phone.unlinked', ${userId}, ${now}, ${data}::text::json)`;
        }
        if (freed) {
          const { subject, client, reason = null } = freed.who;
          await sql`
            select record_action(${now}, ${subject}, ${client}, 'free-phone', ${`user ${userId}`},
              ${maskPhone(freed.phone)}, ${userId}, ${reason})`;
        }
        return rows.length === 1;
      });
    },
  };
}

function messageParameters(message: FinishedMessage) {
  return [
    message.userId,
    message.messageNumber,
    message.codeNumber,
    message.maskedPhone,
    message.country,
    message.correlationType,
    message.locale,
    message.segments,
    message.gateway,
    message.gatewayId,
    message.reason,
    message.tries,
    message.requestedAt,
    message.answeredAt,
    message.expiresAt,
  ];
}

function readRefusals(rows: { rule: RuleName; is_enforced: boolean; until: string }[] | null): RuleRefusal[] {
  return (rows ?? []).map(({ rule, is_enforced, until }) => ({
    rule,
    isEnforced: is_enforced,
    until: new Date(until),
  }));
}

function readCodes(rows: { number: number; phone: string; seed: string; digest: string }[] | null): GoodCode[] {
  return (rows ?? []).map(({ number, phone, seed, digest }) => ({
    codeNumber: number,
    phone,
    seed: readBytes(seed),
    digest: readBytes(digest),
  }));
}

const readBytes = (text: string) => Buffer.from(text.slice(2), 'hex');
