/** Makes documents in its own thread. Typesetting needs much CPU time, and requests must not wait for it. */
import { parentPort } from 'node:worker_threads';
import { ConfirmationDocument } from './confirmation-document.ts';
import { StatementDocument } from './statement-document.ts';
import type { DocumentOrder, StatementRow } from './statement.ts';

/** Rows to write, or the end. Each is answered with the bytes that are ready. */
export type DocumentPart = { rows: StatementRow[] } | 'end';

const begin = (order: DocumentOrder) =>
  order.kind === 'statement' ? new StatementDocument(order.head) : new ConfirmationDocument(order.head);

let document: ReturnType<typeof begin>;

parentPort!.on('message', async (part: { order: DocumentOrder } | DocumentPart) => {
  if (part !== 'end' && 'order' in part) {
    document = begin(part.order);
    return;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
  parentPort!.postMessage(part === 'end' ? await document.end() : document.write(part.rows));
});
