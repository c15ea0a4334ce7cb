/** The statements that find texts that did not arrive, and claim their second route. */
import type { PhoneCodeKind, StoredCode } from '../codes/code.ts';
import type { Database } from '../db/database.ts';
import type { CodeChannel } from '../sms/channels.ts';

/** A text whose receipt says that it failed, or that has no receipt. */
export interface LostText {
  kind: PhoneCodeKind;
  userId: number;
  codeNumber: number;
  gateway: string;
  channel: CodeChannel;
  /** ISO 3166, or empty. */
  country: string;
  correlationType: number;
  locale: string;
  hasFailed: boolean;
}

export interface SecondRoute {
  messageNumber: number;
  e164: string;
  stored: StoredCode;
  expiresAt: Date;
}

export type SecondRouteStore = ReturnType<typeof createSecondRouteStore>;

/** Of the latest code of each kind: a text of an earlier code is of no use. */
const lostText = `
  select m.kind, m.user_id, m.code_number, m.gateway, m.channel, m.country, m.correlation_type, m.locale, m.state = 'failed' as failed
  from messages m join verifications v on v.user_id = m.user_id
  where m.kind in ('verification', 'change') and m.state in ('accepted', 'failed') and m.verified_at is null
    and m.code_number = case m.kind when 'change' then (v.change_code).number else (v.latest_code).number end
    and case m.kind when 'change' then (v.change_code).rerouted_at else (v.latest_code).rerouted_at end is null`;

/** How many of a gateway's last texts to a country are looked at, and how far back. */
const textsOfGateway = 100;
const daySeconds = 86_400;

export function createSecondRouteStore(db: Database) {
  return {
    /** Texts that were requested in this span, of which no receipt says that they were delivered. */
    async findLost(from: Date, to: Date, limit: number): Promise<LostText[]> {
      const rows = await db.write.unsafe(
        `${lostText} and m.requested_at > $1 and m.requested_at <= $2 order by m.requested_at limit $3`,
        [from, to, limit],
        { prepare: true },
      );
      return rows.map(readLost);
    },

    /** The text of a code whose receipt says that it failed. */
    async findFailed(userId: number, codeNumber: number): Promise<LostText | undefined> {
      const [row] = await db.write.unsafe(
        `${lostText} and m.state = 'failed' and m.user_id = $1 and m.code_number = $2
         order by m.message_number desc limit 1`,
        [userId, codeNumber],
        { prepare: true },
      );
      return row && readLost(row);
    },

    /** Whether the gateway reported receipts for at least half of its last texts to the country. */
    async reportsReceipts(gateway: string, country: string, until: Date): Promise<boolean> {
      const [row] = await db.read`
        select coalesce(2 * count(*) filter (where state in ('delivered', 'failed')) >= count(*) and count(*) > 0, false)
          as reports
        from (
          select state from messages
          where requested_at <= ${until} and requested_at > ${new Date(until.getTime() - daySeconds * 1000)}
            and gateway = ${gateway} and country = ${country} and state in ('accepted', 'delivered', 'failed')
          order by requested_at desc limit ${textsOfGateway}
        ) last`;
      return row!.reports;
    },

    /** Undefined if the code was used, replaced or sent over a second route meanwhile. */
    async reserve(text: LostText, now: Date, attemptLimit: number): Promise<SecondRoute | undefined> {
      const { kind, userId, codeNumber } = text;
      const [row] = await db.write`
        select * from reserve_second_route(${kind}, ${userId}, ${codeNumber}, ${now}, ${attemptLimit})`;
      return (
        row && {
          messageNumber: row.message_number,
          e164: row.phone,
          stored: { seed: row.seed, digest: row.digest },
          expiresAt: row.expires_at,
        }
      );
    },
  };
}

function readLost(row: Record<string, unknown>): LostText {
  return {
    kind: row.kind as PhoneCodeKind,
    userId: row.user_id as number,
    codeNumber: row.code_number as number,
    gateway: row.gateway as string,
    channel: row.channel as CodeChannel,
    country: row.country as string,
    correlationType: row.correlation_type as number,
    locale: row.locale as string,
    hasFailed: row.failed as boolean,
  };
}
