/**
 * The cursor of a sync: an individual and a position in the order of its commits. It is authenticated, so only this
 * service can issue one. It does not expire, so its key must stay the same when the digest keys are rotated.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidFields } from '../../errors.ts';

/** The position of a row: the commit that touched it last, and its own number. */
export interface SyncPosition {
  commit: number;
  seq: number;
}

/** The position before every row. */
export const syncStart: SyncPosition = { commit: 0, seq: 0 };

/** The individual that a cursor belongs to. A sandbox that was emptied gives ids out again, so the id is not enough. */
export interface SyncedIndividual {
  individualId: number;
  createdAt: Date;
}

export interface SyncCursors {
  issue(individual: SyncedIndividual, position: SyncPosition): string;
  /** Throws if it is not a cursor. Whether it is one of this individual, `belongsTo` says. */
  read(cursor: string): ReadCursor;
}

export interface ReadCursor {
  position: SyncPosition;
  belongsTo(individual: SyncedIndividual): boolean;
}

const contentBytes = 4 + 6 + 4 + 4;
const macBytes = 16;

export function refusedCursor() {
  return invalidFields({ Cursor: ['The field Cursor is not a cursor of this individual.'] });
}

export function createSyncCursors(key: Buffer): SyncCursors {
  const macOf = (content: Buffer) => createHmac('sha256', key).update(content).digest().subarray(0, macBytes);

  return {
    issue({ individualId, createdAt }, { commit, seq }) {
      const content = Buffer.allocUnsafe(contentBytes);
      content.writeUInt32BE(individualId, 0);
      content.writeUIntBE(createdAt.getTime(), 4, 6);
      content.writeUInt32BE(commit, 10);
      content.writeUInt32BE(seq, 14);
      return Buffer.concat([content, macOf(content)]).toString('base64url');
    },

    read(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const content = bytes.subarray(0, contentBytes);
      const isGenuine =
        bytes.length === contentBytes + macBytes &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(macOf(content), bytes.subarray(contentBytes));
      if (!isGenuine) throw refusedCursor();
      return {
        position: { commit: content.readUInt32BE(10), seq: content.readUInt32BE(14) },
        belongsTo: ({ individualId, createdAt }) =>
          content.readUInt32BE(0) === individualId && content.readUIntBE(4, 6) === createdAt.getTime(),
      };
    },
  };
}
