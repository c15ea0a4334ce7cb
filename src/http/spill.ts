/** Text that waits to be sent: a little of it in memory, the rest in a file that nobody else can see. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

const inMemory = 1024 * 1024;

export class Spill {
  #parts: string[] = [];
  #length = 0;
  #file: Promise<FileHandle> | undefined;
  #written: Promise<unknown> = Promise.resolve();

  add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > inMemory) this.#spill();
  }

  #spill(): void {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#file ??= openUnseen();
    const file = this.#file;
    this.#written = this.#written.then(async () => (await file).write(text));
    // It is awaited before the text is read.
    this.#written.catch(() => {});
  }

  /** Everything, in the order it was added. */
  async read(): Promise<Readable> {
    await this.#written;
    const rest = Readable.from([this.#parts.join('')]);
    if (!this.#file) return rest;
    const file = createReadStream('', { fd: await this.#file, start: 0, autoClose: true });
    return Readable.from(
      (async function* () {
        yield* file;
        yield* rest;
      })(),
    );
  }

  async discard(): Promise<void> {
    await this.#written.catch(() => {});
    await (await this.#file?.catch(() => undefined))?.close();
  }
}

/** Without a name it is gone as soon as it is closed, however the process ends. */
async function openUnseen(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `ledgerline-${randomBytes(8).toString('hex')}`);
  const handle = await open(name, 'wx+', 0o600);
  await rm(name);
  return handle;
}
