/** The bytes of a body as they arrive, without a copy of all of them. */

/** Smaller chunks are joined, so that a body that arrives byte by byte does not become a million objects. */
const smallChunk = 1024;
const smallChunksAtOnce = 256;

export class BodyChunks {
  readonly #chunks: Buffer[] = [];
  #small: Buffer[] = [];
  length = 0;

  add(chunk: Buffer): void {
    this.length += chunk.length;
    if (chunk.length >= smallChunk) this.#joinSmall();
    this.#small.push(chunk);
    if (chunk.length >= smallChunk || this.#small.length >= smallChunksAtOnce) this.#joinSmall();
  }

  #joinSmall(): void {
    if (this.#small.length === 0) return;
    this.#chunks.push(this.#small.length === 1 ? this.#small[0]! : Buffer.concat(this.#small));
    this.#small = [];
  }

  get chunks(): readonly Buffer[] {
    this.#joinSmall();
    return this.#chunks;
  }

  /** All chunks in one buffer. */
  toBuffer(): Buffer {
    const { chunks } = this;
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#small = [];
  }
}
