/** Sends the rows of a document to a thread, in parts, and receives its bytes. */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { overloaded, queryTooSlow } from '../errors.ts';
import type { DocumentOrder, StatementWriter } from './statement.ts';
import type { DocumentPart } from './statement-worker.ts';

/** The built file, even if the service runs from its sources: a worker cannot load TypeScript. */
const workerFile = createRequire(import.meta.url).resolve('#statement-worker');

/** Node's error for a thread that gets no file descriptor, or is one too many for the machine. */
const notStarted = 'ERR_WORKER_INIT_FAILED';
const retrySeconds = 10;

/** More than the largest statement needs. */
const maxHeapMebibytes = 512;

/**
 * How long the thread may work on one document. The largest takes about 20 s; on a machine with too much to do, several
 * times as long.
 */
const maxBusyMilliseconds = 120_000;

/**
 * How long a thread waits for the next document. A new one loads modules and fonts and has nothing compiled: a document
 * of 100 rows takes 1.4 s of processor time in it, and 0.27 s in one that has made some. It takes 60 MB meanwhile.
 */
const idleMilliseconds = 30_000;

/** A thread that has written more rows than this in one document is not used again: it would keep their memory. */
const maxReusedRows = 1000;

/** Makes one document after the other. */
class DocumentThread {
  readonly #worker = new Worker(workerFile, {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMebibytes },
    // The worker needs none of the service's settings, and no module that the command line loads first.
    env: {},
    execArgv: [],
  });
  #settle: { resolve(chunks: Uint8Array[]): void; reject(error: Error): void } | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #busyBefore: ReturnType<Worker['performance']['eventLoopUtilization']> | undefined;
  failure: Error | undefined;

  constructor() {
    this.#worker.on('message', (chunks: Uint8Array[]) => this.#settle?.resolve(chunks));
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(error.code === notStarted ? overloaded(retrySeconds) : error),
    );
    // Also when it was ended by `end`.
    this.#worker.on('exit', () => this.#fail(new Error('The thread that made the document has ended.')));
  }

  #fail(error: Error): void {
    this.failure ??= error;
    clearTimeout(this.#idleTimer);
    this.#settle?.reject(this.failure);
  }

  begin(order: DocumentOrder): void {
    clearTimeout(this.#idleTimer);
    this.#worker.ref();
    this.#busyBefore = this.#worker.performance.eventLoopUtilization();
    this.#post({ order });
  }

  /** Rejects if the thread fails or ends. */
  async ask(part: DocumentPart): Promise<Uint8Array[]> {
    if (this.failure) throw this.failure;
    const { active } = this.#worker.performance.eventLoopUtilization(this.#busyBefore);
    if (active > maxBusyMilliseconds) throw queryTooSlow();
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#post(part);
    });
  }

  /** Waits for the next document. */
  rest(): void {
    this.#worker.unref();
    this.#idleTimer = setTimeout(() => this.end(), idleMilliseconds).unref();
  }

  end(): void {
    this.failure ??= new Error('The thread was ended.');
    this.#worker.terminate().catch((error: Error) => this.#fail(error));
  }

  #post(part: { order: DocumentOrder } | DocumentPart): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
    this.#worker.postMessage(part);
  }
}

/** The last one to rest is taken first, so that the others end. */
const resting: DocumentThread[] = [];

function takeThread(): DocumentThread {
  for (let thread = resting.pop(); thread; thread = resting.pop()) if (!thread.failure) return thread;
  return new DocumentThread();
}

export function openWriter(order: DocumentOrder): StatementWriter {
  const thread = takeThread();
  thread.begin(order);
  let rowCount = 0;
  let isComplete = false;
  let isClosed = false;
  return {
    write(rows) {
      rowCount += rows.length;
      return thread.ask({ rows });
    },
    async end() {
      const chunks = await thread.ask('end');
      isComplete = true;
      return chunks;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      if (!isComplete || rowCount > maxReusedRows) return thread.end();
      thread.rest();
      resting.push(thread);
    },
  };
}
