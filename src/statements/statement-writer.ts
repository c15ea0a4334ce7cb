/** Sends the rows of a statement to a worker, in parts, and receives its bytes. */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { queryTooSlow } from '../errors.ts';
import type { DocumentHead, DocumentOrder, StatementHead, StatementWriter } from './statement.ts';
import type { StatementPart } from './statement-worker.ts';

/** The built file, even if the service runs from its sources: a worker cannot load TypeScript. */
const workerFile = createRequire(import.meta.url).resolve('#statement-worker');

/** More than the largest statement needs. */
const maxHeapMebibytes = 512;

/**
 * How long the thread may work on one document. The largest takes about 20 s; on a machine with too much to do, several
 * times as long.
 */
const maxBusyMilliseconds = 120_000;

export const openStatementWriter = (head: StatementHead) => openWriter({ kind: 'statement', head });

export const openConfirmationWriter = (head: DocumentHead) => openWriter({ kind: 'confirmation', head });

function openWriter(order: DocumentOrder): StatementWriter {
  const worker = new Worker(workerFile, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMebibytes },
    // The worker needs none of the service's settings, and no module that the command line loads first.
    env: {},
    execArgv: [],
  });

  let failure: Error | undefined;
  let settle: { resolve(chunks: Uint8Array[]): void; reject(error: Error): void } | undefined;
  worker.on('message', (chunks: Uint8Array[]) => settle?.resolve(chunks));
  worker.on('error', (error) => fail(error));
  // Also when it was ended by `close`.
  worker.on('exit', () => fail(new Error('The thread that made the document has ended.')));

  function fail(error: Error): void {
    failure ??= error;
    settle?.reject(failure);
  }

  /** Rejects if the worker fails or ends. */
  async function ask(part: StatementPart): Promise<Uint8Array[]> {
    if (failure) throw failure;
    if (worker.performance.eventLoopUtilization().active > maxBusyMilliseconds) throw queryTooSlow();
    return new Promise((resolve, reject) => {
      settle = { resolve, reject };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
      worker.postMessage(part);
    });
  }

  return {
    write: (rows) => ask({ rows }),
    end: () => ask('end'),
    close: () => void worker.terminate(),
  };
}
