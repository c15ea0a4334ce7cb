/** Writes the message of a send to the table that the trail reads. */
import type { Database } from '../db/database.ts';

export interface MessageRow {
  userId: number;
  number: number;
  /** Masked. */
  phone: string;
  country: string;
  correlationType: number;
  locale: string;
  segments: number;
  gateway: string;
  gatewayId: string | null;
  reason: string | null;
  /** JSON, or null where there is nothing to tell. */
  tries: string | null;
  requestedAt: Date;
  answeredAt: Date;
  expiresAt: Date;
}

/** For statements that write a message along with something else: the columns, and their parameters from $`first` on. */
export function insertMessage(first: number, state: 'accepted' | 'refused'): string {
  const p = (index: number) => `$${first + index}`;
  return `
  insert into messages (user_id, code_number, phone, country, correlation_type, locale, segments, gateway,
    gateway_message_id, state, reason, tries, requested_at, answered_at, state_at, expires_at)
  values (${p(0)}, ${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, ${p(6)}, ${p(7)},
    ${p(8)}, '${state}', ${p(9)}, ${p(10)}::text::json, ${p(11)}, ${p(12)}, ${p(12)}, ${p(13)})
  on conflict (user_id, code_number) do nothing`;
}

export function messageParameters(row: MessageRow) {
  return [
    row.userId,
    row.number,
    row.phone,
    row.country,
    row.correlationType,
    row.locale,
    row.segments,
    row.gateway,
    row.gatewayId,
    row.reason,
    row.tries,
    row.requestedAt,
    row.answeredAt,
    row.expiresAt,
  ];
}

export type SentMessageStore = ReturnType<typeof createSentMessageStore>;

export function createSentMessageStore(db: Database) {
  return {
    async recordRefused(message: MessageRow): Promise<void> {
      await db.write.unsafe(insertMessage(1, 'refused'), messageParameters(message), { prepare: true });
    },
  };
}
