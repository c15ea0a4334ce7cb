/**
 * The cursor of a sync: an individual and a position in the order of its commits. It is authenticated, so only this
 * service can issue one. It does not expire, so its key must stay the same when the digest keys are rotated.
 */
import { readSigned, signContent } from '../../crypto/signed-content.ts';
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

const contentBytes = 4 + 6 + 4 + 4;

export function refusedCursor() {
  return invalidFields({ Cursor: ['The field Cursor is not a cursor of this individual.'] });
}

export type SyncCursors = ReturnType<typeof createSyncCursors>;

export function createSyncCursors(key: Buffer) {
  return {
    issue({ individualId, createdAt }: SyncedIndividual, { commit, seq }: SyncPosition): string {
      const content = Buffer.allocUnsafe(contentBytes);
      content.writeUInt32BE(individualId, 0);
      content.writeUIntBE(createdAt.getTime(), 4, 6);
      content.writeUInt32BE(commit, 10);
      content.writeUInt32BE(seq, 14);
      return signContent(key, content);
    },

    /** Throws if it is not a cursor. Whether it is one of this individual, `belongsTo` says. */
    read(cursor: string) {
      const content = readSigned([key], cursor, contentBytes);
      if (!content) throw refusedCursor();
      const position: SyncPosition = { commit: content.readUInt32BE(10), seq: content.readUInt32BE(14) };
      const belongsTo = ({ individualId, createdAt }: SyncedIndividual) =>
        content.readUInt32BE(0) === individualId && content.readUIntBE(4, 6) === createdAt.getTime();
      return { position, belongsTo };
    },
  };
}
