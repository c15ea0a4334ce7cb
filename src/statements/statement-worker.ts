/** Makes one document in its own thread. Typesetting needs much CPU time, and requests must not wait for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { ConfirmationDocument } from './confirmation-document.ts';
import { StatementDocument } from './statement-document.ts';
import type { DocumentOrder, StatementRow } from './statement.ts';

/** Rows to write, or the end. Each is answered with the bytes that are ready. */
export type StatementPart = { rows: StatementRow[] } | 'end';

const order = workerData as DocumentOrder;
const document = order.kind === 'statement' ? new StatementDocument(order.head) : new ConfirmationDocument(order.head);

parentPort!.on('message', async (part: StatementPart) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
  parentPort!.postMessage(part === 'end' ? await document.end() : document.write(part.rows));
});
