/** Text that waits to be sent: a small part in memory, the remaining part in a temporary file without a name. */
import { randomBytes } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

const charactersInMemory = 1024 * 1024;

export class Spill {
  #parts: string[] = [];
  #length = 0;
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  /** Why the file could not be written. Text that was added since is dropped. */
  error: unknown;

  add(text: string): void {
    if (this.error !== undefined) return;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length <= charactersInMemory) return;
    const taken = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#writing = this.#writing.then(() => this.#write(taken));
  }

  /** Resolves when only a small part is in memory. */
  ready(): Promise<void> {
    return this.#writing;
  }

  /** If the disk is full or the folder cannot be written, the remaining text is lost, but the request does not fail. */
  async #write(text: string): Promise<void> {
    if (this.error !== undefined) return;
    try {
      this.#file ??= await openNameless();
      const bytes = Buffer.from(text);
      // FileHandle.write may write only a part of the bytes; appendFile writes all of them.
      await this.#file.appendFile(bytes);
      this.#fileBytes += bytes.length;
    } catch (error) {
      this.error = error;
      this.#parts = [];
    }
  }

  /** Everything that was added and kept, in order; then the last text. The file is closed with the stream. */
  read(last: string): Readable {
    const stream = Readable.from(this.#texts(last), { objectMode: false });
    stream.once('close', () => {
      // The file has no name: if it cannot be closed, nothing of it is left when the process ends.
      this.discard().catch((error: unknown) => (this.error ??= error));
    });
    return stream;
  }

  async *#texts(last: string): AsyncGenerator<Buffer | string> {
    if (this.#file && this.#fileBytes > 0) {
      yield* this.#file.createReadStream({ start: 0, end: this.#fileBytes - 1, autoClose: false });
    }
    yield this.#parts.join('') + last;
  }

  async discard(): Promise<void> {
    await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** A file without a name is deleted when it is closed, however the process ends. */
async function openNameless(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `ledgerline-${randomBytes(8).toString('hex')}`);
  const handle = await open(name, 'ax+', 0o600);
  await rm(name);
  return handle;
}
