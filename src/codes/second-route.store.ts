/** The statements that find messages that did not arrive, and claim the next one. */
import type { Database } from '../db/database.ts';
import { daySeconds, secondsAfter } from '../values/clock.ts';
import type { ClaimedText, LostText, SecondWay } from './lost-text.ts';

export type SecondRouteStore = ReturnType<typeof createSecondRouteStore>;

/**
 * The last message of each code, if none with the code was delivered. Of the latest code of each kind: a message with an
 * earlier code is of no use.
 */
const lostText = `
  select m.kind, m.confirmation_id as "confirmationId", c.purpose, c.sealed_terms as "sealedTerms", m.user_id as "userId",
    m.code_number as "codeNumber", m.gateway, m.channel, m.country, m.correlation_type as "correlationType", m.locale,
    m.state = 'failed' as "hasFailed"
  from messages m join verifications v on v.user_id = m.user_id
  left join confirmations c on c.user_id = m.user_id and c.confirmation_id = m.confirmation_id
  where m.state in ('accepted', 'failed') and m.verified_at is null
    and case m.kind when 'confirmation' then c.state = 'pending'
      when 'change' then m.code_number = (v.change_code).number
      else m.code_number = (v.latest_code).number end
    and not exists (
      select 1 from messages o where o.user_id = m.user_id and o.code_number = m.code_number
        and (o.state = 'delivered' or o.message_number > m.message_number and o.state in ('accepted', 'failed')))`;

const isUnclaimed: Record<SecondWay, string> = {
  gateway: `case m.kind when 'confirmation' then c.rerouted_at when 'change' then (v.change_code).rerouted_at
    else (v.latest_code).rerouted_at end is null`,
  channel: `case m.kind when 'confirmation' then c.next_channel_at is null
    else v.next_channel_code is distinct from m.code_number end`,
};

type LostRow = Omit<LostText, 'confirmation'> & NonNullable<LostText['confirmation']>;

/** How many of a gateway's last messages to a country are looked at. */
const textsOfGateway = 100;

export function createSecondRouteStore(db: Database) {
  return {
    /** Messages that were requested in this span. */
    async findLost(way: SecondWay, from: Date, to: Date, limit: number): Promise<LostText[]> {
      const rows = await db.write.unsafe<LostRow[]>(
        `${lostText} and ${isUnclaimed[way]} and m.requested_at > $1 and m.requested_at <= $2
         order by m.requested_at limit $3`,
        [from, to, limit],
        { prepare: true },
      );
      return rows.map(withConfirmation);
    },

    /** The last message of a code, if its receipt says that it failed. */
    async findFailed(userId: number, codeNumber: number): Promise<LostText | undefined> {
      const [row] = await db.write.unsafe<LostRow[]>(
        `${lostText} and m.state = 'failed' and m.user_id = $1 and m.code_number = $2`,
        [userId, codeNumber],
        { prepare: true },
      );
      return row && withConfirmation(row);
    },

    /** Whether the gateway reported receipts for at least half of its last messages to the country over the channel. */
    async reportsReceipts({ gateway, channel, country }: LostText, until: Date): Promise<boolean> {
      const [row] = await db.read`
        select coalesce(2 * count(*) filter (where state in ('delivered', 'failed')) >= count(*) and count(*) > 0, false)
          as reports
        from (
          select state from messages
          where requested_at <= ${until} and requested_at > ${secondsAfter(until, -daySeconds)}
            and gateway = ${gateway} and channel = ${channel} and country = ${country}
            and state in ('accepted', 'delivered', 'failed')
          order by requested_at desc limit ${textsOfGateway}
        ) last`;
      return row!.reports;
    },

    /** Undefined if the code was used, replaced or sent this way meanwhile. */
    async claim(text: LostText, way: SecondWay, now: Date, attemptLimit: number): Promise<ClaimedText | undefined> {
      const { kind, userId, codeNumber, confirmation } = text;
      const confirmationId = confirmation?.confirmationId ?? null;
      const claim = { way, kind, userId, codeNumber, confirmationId, calledAt: now, attemptLimit };
      const [claimed] = await db.write<ClaimedText[]>`
        select message_number as "messageNumber", phone as e164, expires_at as "expiresAt", digest, seed
        from claim_automatic_text(${JSON.stringify(claim)}::text::jsonb)`;
      return claimed;
    },
  };
}

function withConfirmation({ confirmationId, purpose, sealedTerms, ...text }: LostRow): LostText {
  const confirmation = text.kind === 'confirmation' ? { confirmationId, purpose, sealedTerms } : null;
  return { confirmation, ...text };
}
