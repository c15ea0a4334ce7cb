/**
 * Limits the answers that their callers have not read yet and that are in memory until then. Each caller has a share of
 * the limit. If a few callers use all of it together, the oldest answer of the one that has the most is given up, so
 * that the others notice nothing.
 */
import type { ServerResponse } from 'node:http';
import { overloaded, type Problem } from '../errors.ts';
import { runningShare, type Owner } from '../sharing/slots.ts';

const maxBytes = 256 * 1024 * 1024;
const refusal = overloaded(5);

interface UnreadAnswers {
  bytes: number;
  /** Oldest first. */
  responses: Set<ServerResponse>;
}

export class PendingAnswers {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, UnreadAnswers>();
  #bytes = 0;

  constructor(limit = maxBytes) {
    this.#maxBytes = limit;
  }

  /** The refusal if the unread answers of this caller exceed its share. */
  findRefusal({ key, kind }: Owner): Problem | undefined {
    if (this.#bytes === 0) return undefined;
    const bytes = this.#byCaller.get(key)?.bytes ?? 0;
    return bytes >= runningShare[kind](this.#maxBytes) ? refusal : undefined;
  }

  /**
   * Called when the answer has been written. Most answers have been passed to the operating system by then, and are not
   * counted.
   */
  note(response: ServerResponse, { key }: Owner, bytes: number): void {
    // An answer to a pipelined request has no socket until those before it are sent.
    const waiting = response.socket?.writableLength ?? response.writableLength;
    if (waiting === 0 || response.destroyed) return;
    const unread = this.#byCaller.get(key) ?? { bytes: 0, responses: new Set() };
    this.#byCaller.set(key, unread);
    unread.responses.add(response);
    unread.bytes += bytes;
    this.#bytes += bytes;
    response.once('close', () => {
      unread.responses.delete(response);
      unread.bytes -= bytes;
      this.#bytes -= bytes;
      if (unread.responses.size === 0) this.#byCaller.delete(key);
    });
    if (this.#bytes > this.#maxBytes) this.#giveUpOne();
  }

  #giveUpOne(): void {
    const [largest] = [...this.#byCaller.values()].sort((a, b) => b.bytes - a.bytes);
    const [oldest] = largest!.responses;
    // A pipelined answer has no socket of its own yet, but waits for one that has.
    (oldest!.req.socket ?? oldest).destroy();
  }
}
