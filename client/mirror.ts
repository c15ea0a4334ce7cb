/** A copy of an individual's transactions in memory, which follows the changes. */
import { pauseAfterFailure } from './streams.ts';
import type { LiveState, SyncOptions, SyncPage, Transaction } from './transaction-types.ts';

export interface MirrorOptions extends SyncOptions {
  /** The transactions that were stored together with `cursor`. */
  transactions?: Iterable<Transaction>;
}

/** What changed in a mirror. */
export interface MirrorChange {
  /** Transactions that the mirror did not have. */
  added: Transaction[];
  /** Transactions that replace those that the mirror had. */
  modified: Transaction[];
}

export interface MirrorSources {
  live(individualId: number, options: SyncOptions): AsyncIterable<LiveState>;
  sync(individualId: number, options: SyncOptions): AsyncIterable<SyncPage>;
}

/**
 * Iterate over it to keep it up to date: it says what changed after each change. Tries again while the service cannot be
 * reached, and ends when the signal is aborted.
 */
export class TransactionMirror implements AsyncIterable<MirrorChange> {
  readonly #sources: MirrorSources;
  readonly #individualId: number;
  readonly #options: MirrorOptions;
  readonly #transactions: Map<string, Transaction>;
  /** Where to continue. Store it together with the transactions. */
  cursor: string | undefined;

  constructor(sources: MirrorSources, individualId: number, options: MirrorOptions) {
    this.#sources = sources;
    this.#individualId = individualId;
    this.#options = options;
    this.cursor = options.cursor;
    this.#transactions = new Map([...(options.transactions ?? [])].map((each) => [each.transactionId, each]));
  }

  /** By transactionId, in no particular order. */
  get transactions(): ReadonlyMap<string, Transaction> {
    return this.#transactions;
  }

  /** Reads what changed since the last time. */
  async *update(): AsyncGenerator<MirrorChange, void> {
    for await (const page of this.#sources.sync(this.#individualId, { ...this.#options, cursor: this.cursor })) {
      const change = this.#apply(page);
      this.cursor = page.nextCursor;
      if (change.added.length + change.modified.length > 0) yield change;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<MirrorChange, void> {
    // The stream says at once where the individual stands, also after every new connection.
    for await (const _ of this.#sources.live(this.#individualId, this.#options)) {
      yield* this.#updateUntilDone();
    }
  }

  /** Tries again while the service cannot be reached, and ends when the signal is aborted. */
  async *#updateUntilDone(): AsyncGenerator<MirrorChange, void> {
    const { signal } = this.#options;
    for (let failures = 0; !signal?.aborted; failures += 1) {
      try {
        return yield* this.update();
      } catch (error) {
        await pauseAfterFailure(error, failures, signal);
      }
    }
  }

  #apply({ added, modified }: SyncPage): MirrorChange {
    const change: MirrorChange = { added: [], modified: [] };
    for (const transaction of [...added, ...modified]) {
      const isKnown = this.#transactions.has(transaction.transactionId);
      (isKnown ? change.modified : change.added).push(transaction);
      this.#transactions.set(transaction.transactionId, transaction);
    }
    return change;
  }
}
