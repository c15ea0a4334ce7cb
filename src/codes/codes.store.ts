/** The statements that record the outcome of a text with a code. */
import type { Database } from '../db/database.ts';
import { namedParameters } from '../db/named-parameters.ts';
import type { Dispatch, Try } from '../sms/failover.ts';
import { secondsAfter } from '../values/clock.ts';
import { maskPhone } from '../values/phone-number.ts';
import type { CodeKind } from './code.ts';
import type { FinishedText } from './deliver-code.ts';

/** The tries at each gateway, if there is more to know of them than that the text was accepted. */
function triesOf({ outcome, tries }: Dispatch): readonly Try[] | null {
  return tries.length > 1 || outcome !== 'accepted' ? tries : null;
}

const writeTries = (tries: readonly Try[] | null) => tries && JSON.stringify(tries);

/** The columns of a message that is recorded, except its state. */
const columns = namedParameters<FinishedText>({
  user_id: ['int', ({ code }) => code.userId],
  message_number: ['int', ({ code }) => code.messageNumber],
  code_number: ['int', ({ code }) => code.codeNumber],
  kind: ['text', ({ code }) => code.kind],
  confirmation_id: ['text::uuid', ({ code }) => code.confirmationId],
  phone: ['text', ({ code }) => maskPhone(code.phoneNumber.e164)],
  country: ['text', ({ code }) => code.phoneNumber.country ?? ''],
  correlation_type: ['smallint', ({ code }) => code.correlationType],
  locale: ['text', ({ text }) => text.locale],
  segments: ['smallint', ({ text }) => text.segments],
  gateway: ['text', ({ dispatch }) => dispatch.gateway],
  channel: ['text', ({ dispatch }) => dispatch.channel],
  gateway_message_id: ['text', ({ dispatch }) => dispatch.gatewayId ?? null],
  reason: ['text', ({ dispatch }) => dispatch.reason ?? null],
  tries: ['text::json', ({ dispatch }) => writeTries(triesOf(dispatch))],
  requested_at: ['timestamptz', ({ code }) => code.requestedAt],
  answered_at: ['timestamptz', ({ answeredAt }) => answeredAt],
  expires_at: ['timestamptz', ({ code }) => secondsAfter(code.requestedAt, code.validSeconds)],
});
const { place } = columns;

/** Marks a code as accepted, and returns its user. No row: `finish_send` decides. */
const settled: Partial<Record<CodeKind, string>> = {
  // The lock waits for an erasure only, which removes the user's messages after it has the lock.
  confirmation: `
    update confirmations c set sent_state = 'accepted', texts_in_flight = c.texts_in_flight - 1
    from (select v.user_id from verifications v where v.user_id = ${place('user_id')} for key share) v
    where c.user_id = v.user_id and c.confirmation_id = ${place('confirmation_id')}
    returning c.user_id`,
  // The accepted code is the user's latest, so it supersedes the earlier ones.
  verification: `
    update verifications v set
      latest_code.state = 'accepted', latest_code.texts_in_flight = (v.latest_code).texts_in_flight - 1,
      earlier_codes = '{}'
    where v.user_id = ${place('user_id')} and (v.latest_code).number = ${place('code_number')}
    returning v.user_id`,
  change: `
    update verifications v set
      change_code.state = 'accepted', change_code.texts_in_flight = (v.change_code).texts_in_flight - 1,
      earlier_change_codes = '{}'
    where v.user_id = ${place('user_id')} and (v.change_code).number = ${place('code_number')}
    returning v.user_id`,
};

/** The common case of finish_send, as a plain statement: a function takes a third longer. */
const acceptText = (settle: string, writeEvent: string) => `
with settled as (${settle}), kept as (
  insert into messages (${columns.names.join(', ')}, state, state_at)
  select ${columns.names.map(place).join(', ')}, 'accepted', ${place('answered_at')} from settled
  returning user_id
)
select ${writeEvent}('phone.code_sent', k.user_id, ${place('answered_at')}, about_code(
  json_build_object('country', nullif(${place('country')}, ''), 'correlationType', ${place('correlation_type')},
    'gateway', ${place('gateway')}, 'channel', ${place('channel')}, 'outcome', 'accepted',
    'codeNumber', ${place('code_number')}),
  ${place('kind')}, ${place('confirmation_id')}))
from kept k`;

const acceptTexts = new Map(Object.entries(settled).map(([kind, settle]) => [kind, acceptText(settle, 'write_event')]));
/** For the first text of a user, whose event is probably the user's first one too. */
const acceptFirstText = acceptText(settled.verification!, 'write_first_event');

function acceptTextOf({ code: { kind, messageNumber }, dispatch }: FinishedText): string | undefined {
  if (dispatch.outcome !== 'accepted') return undefined;
  return kind === 'verification' && messageNumber === 1 ? acceptFirstText : acceptTexts.get(kind);
}

export function createCodesStore(db: Database) {
  return {
    /** Decides a send: accepted, unknown, refused or unavailable. See src/db/functions/finish_send.sql. */
    async finishSend(finished: FinishedText): Promise<void> {
      const values = columns.valuesOf(finished);
      const acceptText = acceptTextOf(finished);
      if (acceptText !== undefined) {
        const { count } = await db.write.unsafe(acceptText, values, { prepare: true });
        if (count === 1) return;
      }
      const { code, dispatch } = finished;
      const row = {
        ...Object.fromEntries(columns.names.map((name, index) => [name, values[index]])),
        outcome: dispatch.outcome,
        e164: code.phoneNumber.e164,
        phone_key: code.phoneKey?.toString('hex'),
        source_keys: code.counted.map(({ key }) => key.toString('hex')),
        tries: triesOf(dispatch),
      };
      await db.write.unsafe('select finish_send($1::text::jsonb)', [JSON.stringify(row)], { prepare: true });
    },

    /** The channels that carried a code, or may have. */
    async readChannels({ userId, codeNumber }: { userId: number; codeNumber: number }): Promise<string[]> {
      const rows = await db.read`
        select distinct channel from messages
        where user_id = ${userId} and code_number = ${codeNumber} and state <> 'refused'`;
      return rows.map(({ channel }) => channel);
    },

    /** Leases a part of the shared budgets for a text that no user is counted for. */
    async leaseBudgets(leases: string): Promise<{ granted: [name: string, units: number][]; isSufficient: boolean }> {
      const [row] = await db.write`
        select l.granted, l.is_sufficient
        from lease_budgets(${leases}::text::jsonb -> 'budgets', (${leases}::text::jsonb ->> 'day')::date) l`;
      return { granted: row!.granted ?? [], isSufficient: row!.is_sufficient };
    },
  };
}
