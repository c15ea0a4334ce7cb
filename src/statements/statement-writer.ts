/** Sends the rows of a statement to a worker, in parts, and receives its bytes. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { DocumentHead, DocumentOrder, StatementHead, StatementWriter } from './statement.ts';
import type { StatementPart } from './statement-worker.ts';

/** The built file, even if the service runs from its sources: a worker cannot load TypeScript. */
const workerFile = createRequire(import.meta.url).resolve('#statement-worker');

/** More than the largest statement needs. */
const maxHeapMebibytes = 512;

export const openStatementWriter = (head: StatementHead) => openWriter({ kind: 'statement', head });

export const openConfirmationWriter = (head: DocumentHead) => openWriter({ kind: 'confirmation', head });

function openWriter(order: DocumentOrder): StatementWriter {
  const worker = new Worker(workerFile, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMebibytes },
    // The worker needs none of the service's settings.
    env: {},
  });

  /** Rejects if the worker fails. */
  async function ask(part: StatementPart): Promise<Uint8Array[]> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
    worker.postMessage(part);
    const [chunks] = (await once(worker, 'message')) as [Uint8Array[]];
    return chunks;
  }

  return {
    write: (rows) => ask({ rows }),
    end: () => ask('end'),
    close: () => void worker.terminate(),
  };
}
