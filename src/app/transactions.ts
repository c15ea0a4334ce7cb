/** Wires the transactions: list, get, totals, export, statement, record. */
import { deriveKey } from '../crypto/digest-keys.ts';
import type { Owner } from '../sharing/slots.ts';
import { createPageTokens } from '../transactions/list/page-token.ts';
import { createExportTransactions } from '../transactions/export/export-transactions.ts';
import { createGetHistory } from '../transactions/get-history.ts';
import { createGetTransaction } from '../transactions/get-transaction.ts';
import { createHistoryStore } from '../transactions/history.store.ts';
import { createListTransactions } from '../transactions/list/list-transactions.ts';
import { createMakeConfirmation } from '../transactions/export/make-confirmation.ts';
import { createMakeStatement, DocumentDesk } from '../transactions/export/make-statement.ts';
import { createRecordTransactions } from '../transactions/record/record-transactions.ts';
import { createRecordStore } from '../transactions/record/record.store.ts';
import { createSummarizeTransactions } from '../transactions/summarize-transactions.ts';
import { createSyncCursors } from '../transactions/sync/sync-cursor.ts';
import { createSyncTransactions } from '../transactions/sync/sync-transactions.ts';
import { createSyncStore } from '../transactions/sync/sync.store.ts';
import { createTransactionsStore } from '../transactions/transactions.store.ts';
import type { Core } from './core.ts';
import { withStandby } from './standby.ts';

export async function openTransactions(core: Core) {
  const { config, db, clock, deriveKeys, traced } = core;
  const store = await withStandby(core, traced('transactions', createTransactionsStore(db)));
  const pageTokens = createPageTokens(deriveKeys('page tokens'));
  const documentParts = {
    ...{ store, clock, pageTokens, brand: config.brand.value, extraFont: config.statementFont },
    desk: new DocumentDesk(config.exportsAtOnce, (work, owner) => core.admission.outside(work, owner)),
  };
  return {
    listTransactions: createListTransactions(store, clock, pageTokens),
    summarizeTransactions: createSummarizeTransactions(store, clock, pageTokens),
    exportTransactions: createExportTransactions(store, clock, pageTokens),
    makeStatement: createMakeStatement(documentParts),
    makeConfirmation: createMakeConfirmation(documentParts),
    // The guard's key outlives every rotation, as a cursor does.
    syncTransactions: createSyncTransactions(
      traced('transactions', createSyncStore(db)),
      createSyncCursors(deriveKey(core.guardKey, 'sync cursors')),
    ),
    getTransaction: createGetTransaction(store),
    getHistory: createGetHistory(traced('transactions', createHistoryStore(db))),
    findRecordRefusal: (owner: Owner) => db.use.transactions.findRefusal(owner),
    recordTransactions: createRecordTransactions(traced('transactions', createRecordStore(db)), clock),
  };
}
