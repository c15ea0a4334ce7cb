import { boolean, listOf, record } from '../../../formats/record.ts';
import { body, int32, optional, required, text, withDefault } from '../../../formats/shape.ts';
import type { SyncReply, SyncRequest } from '../../../transactions/sync/sync-transactions.ts';
import { jsonText, operation } from '../../operation.ts';
import { detailedTransactionShape, exampleTransaction } from './transaction-shape.ts';

const input = body('SyncTransactionsRequest', {
  individualId: required(int32(), 'Customer identifier.'),
  cursor: optional(text(), 'The nextCursor of the page before. Without it all rows are returned.'),
  count: withDefault(int32(1, 1000), 100, 'Rows in a page, added and modified together.'),
  details: withDefault(boolean(), false, 'Whether the rows have their details.'),
});

const page = record('TransactionChanges', {
  added: required(listOf(detailedTransactionShape), 'Rows that were created after the position of the cursor.'),
  modified: required(listOf(detailedTransactionShape), 'Rows that were created before it, and changed after it.'),
  removed: required(listOf(text()), 'Always empty: rows leave only with their user.'),
  nextCursor: required(text(), 'The position behind the page. It does not expire.'),
  hasMore: required(boolean(), 'Whether there are more rows behind the page.'),
});

export const syncTransactionsOperation = (syncTransactions: (request: SyncRequest) => Promise<SyncReply>) =>
  operation({
    name: 'sync-transactions',
    method: 'POST',
    path: '/app/sync-transactions',
    tag: 'Transactions',
    summary: 'Read what changed',
    about:
      'The rows that were created or changed since an earlier call, in the order of the commits that touched them last. ' +
      'A reader that starts without a cursor, follows nextCursor while hasMore is true, and stores added and modified ' +
      'rows by their id, has exactly the individual’s rows, also while rows arrive and change. A row that changes ' +
      'meanwhile comes again on a later page.',
    scopes: ['transactions:read'],
    input,
    example: { individualId: 1, count: 100 },
    responses: {
      200: {
        about: 'A page of changes.',
        shape: page,
        example: { added: [exampleTransaction], modified: [], removed: [], nextCursor: 'AAAAAQGb…', hasMore: false },
      },
    },
    errors: ['unknown-individual'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: { individualId, cursor, count, details } }) {
      const reply = await syncTransactions({ individualId, cursor, count, hasDetails: details });
      return jsonText(200, writePage(reply));
    },
  });

function writePage({ added, modified, nextCursor, hasMore }: SyncReply): string {
  return `{"added":[${added}],"modified":[${modified}],"removed":[],"nextCursor":"${nextCursor}","hasMore":${hasMore}}`;
}
