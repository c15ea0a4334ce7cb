/** Answers that their callers have not read yet: until then they are in memory. Each caller has a part of the room. */
import type { ServerResponse } from 'node:http';
import { overloaded } from '../errors.ts';
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

  /** Throws if the caller, or all callers together, should read first. */
  check({ key, kind }: Owner): void {
    if (this.#bytes === 0) return;
    const isFull = this.#bytes >= this.#maxBytes;
    if (isFull || (this.#byCaller.get(key) ?? 0) >= runningShare[kind](this.#maxBytes)) throw refusal;
  }

  /** Called when the answer has been written. Most are with the operating system then, and are not counted. */
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
