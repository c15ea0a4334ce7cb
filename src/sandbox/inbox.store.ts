/**
 * The statements of the sandbox's inbox. A text is encrypted with a key of the service, because it contains a code, and
 * codes are never stored in plain text.
 */
import { createHmac } from 'node:crypto';
import { seal, unseal } from '../crypto/seal.ts';
import type { Database } from '../db/database.ts';
import type { InboxStore, ReceivedMessage } from '../sms/inbox.ts';

/** Number of messages to keep; older ones are deleted in batches, after every `removedEvery` messages. */
const capacity = 10_000;
const removedEvery = 500;

interface Row {
  user_id: number;
  phone_key: string;
  sealed: string;
  sent_at: Date;
}

export function createInboxStore(db: Database, key: Buffer, userOf: (reference: string) => number): InboxStore {
  const phoneKey = (phoneNumber: string) => createHmac('sha256', key).update(phoneNumber).digest();
  /** The messages that wait for the statement that is under way. */
  let waiting: Row[] = [];
  let lastWrite: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const rows = waiting;
    waiting = [];
    // Nothing is kept for a user who was erased meanwhile; the lock waits for an erasure in progress.
    const [kept] = await db.write`
      with kept as (
        insert into sandbox_messages (user_id, phone_key, sealed, sent_at)
        select u.id, decode(m.phone_key, 'base64'), decode(m.sealed, 'base64'), m.sent_at
        from json_to_recordset(${JSON.stringify(rows)}::text::json)
          as m (user_id int, phone_key text, sealed text, sent_at timestamptz)
        join users u on u.id = m.user_id order by m.sent_at for key share of u
        returning id
      )
      select min(id)::float8 as first, max(id)::float8 as last from kept`;
    if (kept?.last) await removeOld(kept.first, kept.last);
  }

  /**
   * On Citus. Users are not read: a gateway must not fail because a worker cannot be reached. They cannot be locked here
   * either; the erasure checks again later.
   */
  async function writeOne({ user_id, phone_key, sealed, sent_at }: Row): Promise<void> {
    const [kept] = await db.write`
      insert into sandbox_messages (user_id, phone_key, sealed, sent_at)
      select ${user_id}::int, decode(${phone_key}, 'base64'), decode(${sealed}, 'base64'), ${sent_at}::timestamptz
      where not exists (select from erased_users where user_id = ${user_id}::int)
      returning id::float8 as id`;
    if (kept) await removeOld(kept.id, kept.id);
  }

  async function removeOld(first: number, last: number): Promise<void> {
    if (Math.floor(last / removedEvery) === Math.floor((first - 1) / removedEvery)) return;
    await db.write`delete from sandbox_messages where id <= ${last - capacity}`;
  }

  return {
    /** One statement at a time: the messages that come meanwhile share the next one. */
    add(reference, { sentAt, ...content }) {
      const row: Row = {
        user_id: userOf(reference),
        phone_key: phoneKey(content.phoneNumber).toString('base64'),
        sealed: seal(key, JSON.stringify(content satisfies Content)).toString('base64'),
        sent_at: sentAt,
      };
      if (db.isDistributed) return writeOne(row);
      if (waiting.length === 0) lastWrite = lastWrite.then(write, write);
      waiting.push(row);
      return lastWrite;
    },

    async read(phoneNumber) {
      const rows =
        phoneNumber === undefined
          ? await db.read`select sealed, sent_at from sandbox_messages order by id desc limit ${capacity}`
          : await db.read`
              select sealed, sent_at from sandbox_messages where phone_key = ${phoneKey(phoneNumber)}
              order by id desc limit ${capacity}`;
      return rows.flatMap(({ sealed, sent_at: sentAt }) => {
        const content = openContent(key, sealed);
        return content ? [{ ...content, sentAt }] : [];
      });
    },
  };
}

type Content = Omit<ReceivedMessage, 'sentAt'>;

/** Undefined for a text that was sealed with another key: the sandbox's keys can be deleted without its database. */
function openContent(key: Buffer, sealed: Buffer): Content | undefined {
  const text = unseal(key, sealed);
  // Texts that were kept before there were other channels have none.
  return text && { channel: 'sms', ...(JSON.parse(text.toString()) as Omit<Content, 'channel'>) };
}
