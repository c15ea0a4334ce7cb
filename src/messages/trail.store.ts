/** The trail of verifications: the messages, their outcomes, and the refusals. */
import type { Database } from '../db/database.ts';
import type { Owner } from '../sharing/slots.ts';
import type { GatewayFigures } from './decide-gateway-order.ts';

export interface EventRow {
  userId: number;
  at: Date;
  kind: string;
  reason: string | null;
  times: number;
}

export interface ReceiptRow {
  gateway: string;
  /** Of the gateway. */
  channel: string;
  gatewayId: string | null;
  state: 'delivered' | 'failed';
  reason: string | null;
  at: Date;
}

/**
 * The effect of a receipt. moved: the message has a new state. known: the receipt has nothing new. absent: there is no
 * such message.
 */
export interface AppliedReceipt {
  result: 'moved' | 'known' | 'absent';
  /** The code of the message that was moved, and how that was sent. */
  code: { userId: number; codeNumber: number; channel: string } | undefined;
}

/** No receipt reverts a state: delivered is final, and a failure may only be followed by a delivery. */
const forward = `(state in ('accepted', 'unknown') or (state = 'failed' and $1::message_state = 'delivered'))`;

/** A gateway whose answer was missing, before another one was asked: its text has the same code, and may arrive first. */
const mayHaveSent = `tries::jsonb @> jsonb_build_array(jsonb_build_object('gateway', $6::text, 'outcome', 'unknown'))`;

/** No SMSC reports later than this. */
const isOfSmpp = `gateway = 'smpp' and gateway_message_id = $4 and requested_at > $3::timestamptz - interval '3 days'`;

/**
 * Writes the event of each message whose state a receipt has changed. The outer statement must read all of its rows.
 */
const writtenEvents = `written_events as (
  select write_event('phone.delivery_changed', m.user_id, $3::timestamptz,
    about_code(json_build_object('codeNumber', m.code_number, 'state', m.state, 'gateway', m.gateway, 'channel', m.channel),
      m.kind, m.confirmation_id))
  from moved m
), first_moved as (
  select user_id, code_number, channel from moved order by user_id, code_number limit 1
)`;

const movedCode = `select (select count(*) from written_events) > 0 as moved,
  (select user_id from first_moved) as user_id, (select code_number from first_moved) as code_number, (select channel from first_moved) as channel`;

/**
 * Messages, and whether their code was used because of them: because of the last message of the code, or of one that was
 * delivered. Otherwise a gateway that loses messages would have the figures of the one that sends them again.
 */
const messagesSince = `
  select m.requested_at, m.country, m.gateway, m.state,
    m.verified_at is not null and (m.state = 'delivered' or l.user_id is null) as was_used
  from messages m left join (
    select user_id, code_number, max(message_number) as last_number
    from messages where requested_at >= $1 and message_number > 1 and state <> 'refused' group by user_id, code_number
  ) l on l.user_id = m.user_id and l.code_number = m.code_number and l.last_number > m.message_number
  where m.requested_at >= $1`;

export type TrailStore = ReturnType<typeof createTrailStore>;

export function createTrailStore(db: Database) {
  return {
    /** Events wait for a moment before they are written; those of a user who was erased meanwhile are dropped. */
    async recordEvents(events: readonly EventRow[]): Promise<void> {
      const noted = events.map(({ userId, ...event }) => ({ user_id: userId, ...event }));
      await db.write.unsafe('select write_verification_events($1::text::json)', [JSON.stringify(noted)], {
        prepare: true,
      });
    },

    async applyReceipt(
      { userId, number }: { userId: number; number: number },
      receipt: ReceiptRow,
    ): Promise<AppliedReceipt> {
      const [row] = await db.write.unsafe(
        `with moved as (
           update messages set state = $1::message_state, reason = $2, state_at = $3, gateway = $6, channel = $8,
             gateway_message_id = case when gateway = $6 then gateway_message_id else $7 end
           where user_id = $4 and message_number = $5 and ${forward} and case
             when gateway = $6 then gateway_message_id is null or $7::text is null or gateway_message_id = $7
             else $1::message_state = 'delivered' and ${mayHaveSent} end
           returning user_id, code_number, kind, confirmation_id, state, gateway, channel
         ), ${writtenEvents}
         ${movedCode} from messages where user_id = $4 and message_number = $5`,
        [
          receipt.state,
          receipt.reason,
          receipt.at,
          userId,
          number,
          receipt.gateway,
          receipt.gatewayId,
          receipt.channel,
        ],
        { prepare: true },
      );
      return readApplied(row as AppliedRow | undefined);
    },

    /** For SMPP, whose receipts contain only the SMSC's own id. Some SMSCs count from 1 again after a restart. */
    async applySmppReceipt(receipt: ReceiptRow): Promise<AppliedReceipt> {
      const [row] = await db.write.unsafe(
        `with moved as (
           update messages set state = $1::message_state, reason = $2, state_at = $3
           where ${isOfSmpp} and ${forward}
           returning user_id, code_number, kind, confirmation_id, state, gateway, channel
         ), ${writtenEvents}
         ${movedCode}
         where exists (select 1 from messages where ${isOfSmpp})`,
        [receipt.state, receipt.reason, receipt.at, receipt.gatewayId],
        { prepare: true },
      );
      return readApplied(row as AppliedRow | undefined);
    },

    /**
     * One user's messages and events, newest first, as JSON; undefined for an unknown user. For an erased user it
     * contains only the time of the erasure.
     */
    async readTrail(userId: number, now: Date, limit: number): Promise<string | undefined> {
      const [row] = await db.read.unsafe(
        `select json_build_object(
           'id', u.id,
           'verified', (
             select json_build_object('at', ${instantExpression('v.verified_at')}, 'phoneNumber', mask_phone(v.verified_phone))
             from verifications v where v.user_id = $1 and v.verified_phone is not null),
           'messages', coalesce((
             select json_agg(m order by m."requestedAt" desc) from (
               select code_number as "number", ${messageColumns('$2', 'messages')}
               from messages where user_id = $1 order by requested_at desc limit $3) m), '[]'::json),
           'events', coalesce((
             select json_agg(e order by e.at desc) from (
               select ${instantExpression('at')} as at, kind, reason, times
               from verification_events where user_id = $1 order by verification_events.at desc limit $3) e), '[]'::json),
           'changes', coalesce((
             select json_agg(c order by c."changedAt" desc) from (
               select ${instantExpression('changed_at')} as "changedAt", previous_phone as "previousPhoneNumber",
                 phone as "phoneNumber"
               from phone_changes where user_id = $1 order by changed_at desc limit $3) c), '[]'::json),
           'erasedAt', null
         )::text as trail
         from users u where u.id = $1
         union all
         select json_build_object(
           'id', user_id, 'verified', null, 'messages', '[]'::json, 'events', '[]'::json, 'changes', '[]'::json, 'erasedAt', ${instantExpression('erased_at')})::text
         from erased_users where user_id = $1`,
        [userId, now, limit],
        { prepare: true },
      );
      return row?.trail;
    },

    /** By day, country and gateway, newest first, as a JSON list. */
    async summarize(from: Date, owner: Owner): Promise<string> {
      const [row] = await db.long(
        (sql) =>
          sql.unsafe(
            `with counted as (
             select (requested_at at time zone 'UTC')::date as day, country, gateway,
               count(*) as sent,
               count(*) filter (where state not in ('refused', 'unknown')) as accepted,
               count(*) filter (where state = 'delivered') as delivered,
               count(*) filter (where state in ('failed', 'refused')) as failed,
               count(*) filter (where state in ('delivered', 'failed')) as receipts,
               count(*) filter (where was_used) as verified,
               0 as "passedOver"
             from (${messagesSince}) m group by 1, 2, 3
             union all
             select (m.requested_at at time zone 'UTC')::date, m.country, t.value ->> 'gateway', 0, 0, 0, 0, 0, 0, count(*)
             from messages m, json_array_elements(m.tries) t
             where m.requested_at >= $1 and m.tries is not null and t.value ->> 'outcome' in ('unavailable', 'unknown')
             group by 1, 2, 3
           ), summed as (
             select day, nullif(country, '') as country, gateway, sum(sent)::int as sent, sum(accepted)::int as accepted,
               sum(delivered)::int as delivered, sum(failed)::int as failed, sum(receipts)::int as receipts, sum(verified)::int as verified,
               sum("passedOver")::int as "passedOver"
             from counted group by day, country, gateway
           )
           select coalesce(json_agg(s order by day desc, country nulls last, gateway), '[]'::json)::text as days
           from summed s`,
            [from],
            { prepare: true },
          ),
        owner,
      );
      return row!.days;
    },

    /** The outcomes of the messages of a span, for the order of the gateways. */
    countOutcomes: (from: Date, to: Date) =>
      db.long((sql) =>
        sql.unsafe<({ country: string } & GatewayFigures)[]>(
          `select country, gateway, count(*)::int as accepted,
             count(*) filter (where state = 'delivered' or state = 'failed' and was_used)::int as delivered,
             count(*) filter (where state = 'failed' and not was_used)::int as failed,
             count(*) filter (where was_used)::int as verified
           from (${messagesSince}) m where requested_at < $2 and state not in ('refused', 'unknown')
           group by country, gateway`,
          [from, to],
          { prepare: true },
        ),
      ),
  };
}

interface AppliedRow {
  moved: boolean;
  user_id: number;
  code_number: number;
  channel: string;
}

function readApplied(row: AppliedRow | undefined): AppliedReceipt {
  if (!row?.moved) return { result: row ? 'known' : 'absent', code: undefined };
  return { result: 'moved', code: { userId: row.user_id, codeNumber: row.code_number, channel: row.channel } };
}

/** A timestamp in the format of JSON, in UTC. */
function instantExpression(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * The state of a message. A message that no gateway accepted is stored as refused. It is that only if a gateway refused
 * the destination; otherwise the gateways failed, or none could be asked.
 */
export const messageState = `case
  when state = 'refused' and not coalesce(tries::jsonb @> '[{"outcome": "refused"}]', false) then 'unavailable'
  else state::text end`;

/** The columns of a message that an operator sees: at this time, of this table. Terms of confirmations are never shown. */
export const messageColumns = (now: string, table: string) => `
  kind as "for", (
    select json_build_object('confirmationId', c.confirmation_id, 'purpose', c.purpose,
      'state', case when c.state = 'pending' and c.expires_at <= ${now} then 'expired' else c.state::text end)
    from confirmations c where c.user_id = ${table}.user_id and c.confirmation_id = ${table}.confirmation_id
  ) as confirmation,
  phone as "phoneNumber", nullif(country, '') as country, correlation_type as "correlationType", locale, segments,
  gateway, channel, gateway_message_id as "gatewayMessageId",
  case when verified_at is not null then 'verified'
    when state in ('accepted', 'delivered') and expires_at <= ${now} then 'expired'
    else ${messageState} end as outcome,
  ${messageState} as state, reason, ${instantExpression('requested_at')} as "requestedAt", ${instantExpression('answered_at')} as "answeredAt",
  ${instantExpression('state_at')} as "stateAt", ${instantExpression('expires_at')} as "expiresAt",
  ${instantExpression('verified_at')} as "verifiedAt", coalesce(tries, '[]'::json) as tries`;
