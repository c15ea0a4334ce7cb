/**
 * Limits the answers that their callers have not read yet and that are in memory until then. Each caller has a share of
 * the limit.
 */
import type { ServerResponse } from 'node:http';
import { overloaded, type Problem } from '../errors.ts';
import { runningShare, type Owner } from '../slots.ts';

const maxBytes = 256 * 1024 * 1024;
const refusal = overloaded(5);

export class PendingAnswers {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, number>();
  #bytes = 0;

  constructor(limit = maxBytes) {
    this.#maxBytes = limit;
  }

  /** The refusal if the unread answers of this caller, or of all callers together, exceed the limit. */
  findRefusal({ key, kind }: Owner): Problem | undefined {
    if (this.#bytes === 0) return undefined;
    const isFull = this.#bytes >= this.#maxBytes;
    const isOver = isFull || (this.#byCaller.get(key) ?? 0) >= runningShare[kind](this.#maxBytes);
    return isOver ? refusal : undefined;
  }

  /**
   * Called when the answer has been written. Most answers have been passed to the operating system by then, and are not
   * counted.
   */
  note(response: ServerResponse, { key }: Owner, bytes: number): void {
    // An answer to a pipelined request has no socket until those before it are sent.
    const waiting = response.socket?.writableLength ?? response.writableLength;
    if (waiting === 0 || response.destroyed) return;
    this.#add(key, bytes);
    response.once('close', () => this.#add(key, -bytes));
  }

  #add(key: string, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#byCaller.get(key) ?? 0) + bytes;
    if (left === 0) this.#byCaller.delete(key);
    else this.#byCaller.set(key, left);
  }
}
