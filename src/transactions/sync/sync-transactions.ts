/** The rows of an individual that were created or changed after a position. */
import { unknownIndividual } from '../../errors.ts';
import { refusedCursor, syncStart, type SyncCursors } from './sync-cursor.ts';
import type { SyncStore } from './sync.store.ts';

export interface SyncRequest {
  individualId: number;
  cursor: string | undefined;
  count: number;
  hasDetails: boolean;
}

export interface SyncReply {
  /** The rows' JSON, separated by commas. */
  added: string;
  modified: string;
  nextCursor: string;
  hasMore: boolean;
}

export function createSyncTransactions(store: SyncStore, cursors: SyncCursors) {
  return async function syncTransactions(request: SyncRequest): Promise<SyncReply> {
    const { individualId, count, hasDetails } = request;
    const cursor = request.cursor === undefined ? undefined : cursors.read(request.cursor);
    const after = cursor?.position ?? syncStart;
    const page = await store.readPage({ individualId, after, count, hasDetails });
    if (!page) throw unknownIndividual();
    const { createdAt, lastCommit, added, modified, last, hasMore } = page;
    const individual = { individualId, createdAt };
    // A position that no commit has reached is from before the database was restored: rows would be missed.
    if (cursor && (!cursor.belongsTo(individual) || after.commit > lastCommit)) throw refusedCursor();
    return { added, modified, nextCursor: cursors.issue(individual, last ?? after), hasMore };
  };
}
