/** An erasure on a Citus that breaks off after each of its transactions is completed, and told once. Skipped elsewhere. */
import { expect, inject, it, onTestFinished } from 'vitest';
import { openDetected } from '../../src/db/citus/citus.ts';
import type { Database } from '../../src/db/database.ts';
import { createEventLogStore } from '../../src/events/event-log.store.ts';
import { createPrivacyStore } from '../../src/privacy/privacy.store.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { createUsersStore } from '../../src/users/users.store.ts';
import { countryOf, parsePhoneNumber } from '../../src/values/phone-number.ts';
import { cloneDatabase, newPhone } from '../harness/service.ts';
import { recordedRow } from './recorded-row.ts';

const now = new Date('2026-11-01T00:00:00Z');
const later = new Date('2026-11-01T00:05:00Z');
const actor = { subject: 'tester', client: 'tester' };

/** The same database, whose connections break before the transaction with this number. */
function breakBefore(db: Database, transactionNumber: number): Database {
  let begun = 0;
  return {
    ...db,
    get read() {
      return db.read;
    },
    get write() {
      return db.write;
    },
    transaction(work, owner) {
      begun += 1;
      return begun === transactionNumber ? Promise.reject(new Error('broken')) : db.transaction(work, owner);
    },
  };
}

it.skipIf(inject('citusNodes').length === 0).each([2, 3])(
  'an erasure that broke off before transaction %i is completed later',
  async (transactionNumber) => {
    const database = await cloneDatabase();
    const db = await openDetected({ url: database.url, connections: 4, statementSeconds: 30 });
    onTestFinished(async () => {
      await db.close();
      await database.drop();
    });
    const [id, phoneNumber] = [17, parsePhoneNumber(newPhone())!];
    await createUsersStore(db).importUsers([{ id, phoneNumber, verified: true }], now);
    await createRecordStore(db).recordBatch([recordedRow(id)], now);
    const erasure = { userId: id, now, erasedAt: now, retainedUntil: null, actor, countryOf };
    await expect(createPrivacyStore(breakBefore(db, transactionNumber)).eraseUser(erasure)).rejects.toThrow('broken');

    const newUser = { id, merchantId: undefined, email: undefined, additionalData: undefined };
    expect(await createUsersStore(db).insertUser(newUser, now)).toBeUndefined();
    const store = createPrivacyStore(db);
    expect(await store.completeErasures(now, 10, countryOf)).toBe(0);
    expect(await store.completeErasures(later, 10, countryOf)).toBe(1);
    expect(await store.completeErasures(later, 10, countryOf)).toBe(0);
    expect(await store.eraseUser(erasure)).toBe('erased-before');

    for (const [table, column] of [
      ['users', 'id'],
      ['transactions', 'individual_id'],
      ['verifications', 'user_id'],
      ['phone_links', 'user_id'],
    ]) {
      expect(await db.write.unsafe(`select 1 from ${table} where ${column} = ${id}`), table).toHaveLength(0);
    }
    const log = createEventLogStore(db);
    while (await log.sequenceEvents(now, 100));
    const page = { types: undefined, userId: id, afterPosition: 0, keptSince: new Date(0), limit: 100 };
    const told = (await log.readPage(page)).events.map(({ type, sequence }) => `${sequence} ${type}`);
    expect(told.filter((text) => !text.includes('transactions'))).toEqual([
      '1 user.created',
      '2 phone.unlinked',
      '3 user.erased',
      '4 operator.acted',
    ]);
  },
);

it.skipIf(inject('citusNodes').length === 0)(
  'the first event of a user whose erasure is under way is about the user',
  async () => {
    const database = await cloneDatabase();
    const db = await openDetected({ url: database.url, connections: 4, statementSeconds: 30 });
    onTestFinished(async () => {
      await db.close();
      await database.drop();
    });
    const id = 17;
    const user = { id, merchantId: undefined, email: undefined, additionalData: undefined };
    await createUsersStore(db).insertUser(user, now);
    const erasure = { userId: id, now, erasedAt: now, retainedUntil: null, actor, countryOf };
    await expect(createPrivacyStore(breakBefore(db, 3)).eraseUser(erasure)).rejects.toThrow('broken');
    // As when a gateway accepts the text of the first code.
    await db.write`select write_first_event('phone.code_sent', ${id}, ${now}, '{"country":"CH"}')`;
    await createPrivacyStore(db).completeErasures(later, 10, countryOf);
    const log = createEventLogStore(db);
    while (await log.sequenceEvents(now, 100));
    const [event] = await db.write`select sequence, user_id, data::text from events where type = 'phone.code_sent'`;
    expect(event).toEqual({ sequence: 2, user_id: id, data: expect.stringContaining('"userId":17') });
  },
);
