/** Makes one statement in its own thread. Typesetting needs much CPU time, and requests must not wait for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { StatementDocument } from './statement-document.ts';
import type { StatementHead, StatementRow } from './statement.ts';

/** Rows to write, or the end. Each is answered with the bytes that are ready. */
export type StatementOrder = { rows: StatementRow[] } | 'end';

const document = new StatementDocument(workerData as StatementHead);

parentPort!.on('message', async (order: StatementOrder) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
  parentPort!.postMessage(order === 'end' ? await document.end() : document.write(order.rows));
});
