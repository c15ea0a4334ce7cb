/** The input of a command, from a file or standard input, and the report of refused rows. */
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { StartError, type FieldErrors } from '../errors.ts';
import { createGunzip } from 'node:zlib';
import { Progress } from './progress.ts';

export interface Input {
  chunks: AsyncIterable<Buffer>;
  progress: Progress;
}

export async function openInput(file: string): Promise<Input> {
  if (file === '-') {
    const progress = new Progress(undefined);
    return { chunks: process.stdin, progress };
  }
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${file} cannot be read (${error.code}).`);
  });
  if (!found.isFile()) throw new StartError(`${file} is not a file.`);
  const progress = new Progress(found.size);
  const bytes = counted(createReadStream(file, { highWaterMark: 256 * 1024 }), progress);
  return { chunks: (await isGzip(file)) ? unzipped(bytes, file) : bytes, progress };
}

/** RFC 1952 section 2.3.1: the first two bytes of every gzip file. */
async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
  } finally {
    await handle.close();
  }
}

async function* unzipped(bytes: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // An error of the input must reach the reader of the output.
  Readable.from(bytes)
    .on('error', (error) => gunzip.destroy(error))
    .pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new StartError(`${file} is damaged: it begins like a gzip file, but cannot be read as one.`);
  }
}

async function* counted(chunks: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    progress.addBytes(chunk.length);
    yield chunk;
  }
}

export interface Refused {
  line: number;
  result: string;
  errors?: FieldErrors;
}

const shown = 20;

/** The first few go to the terminal; all of them go to a file, if one is given. */
export class Report {
  readonly #file: WriteStream | undefined;
  readonly #lines: string[] = [];
  #count = 0;

  constructor(file: string | undefined) {
    this.#file = file === undefined ? undefined : createWriteStream(file, { flags: 'w', mode: 0o600 });
  }

  add(refused: Refused & Record<string, unknown>): void {
    this.#count += 1;
    this.#file?.write(`${JSON.stringify(refused)}\n`);
    if (this.#lines.length >= shown) return;
    const reasons = Object.entries(refused.errors ?? {}).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    this.#lines.push(`  line ${refused.line}: ${refused.result}${reasons.length > 0 ? `, ${reasons.join('; ')}` : ''}`);
  }

  async end(reportFile: string | undefined): Promise<void> {
    if (this.#file) {
      this.#file.end();
      await once(this.#file, 'finish');
    }
    for (const line of this.#lines) console.error(line);
    const more = this.#count - this.#lines.length;
    if (more > 0)
      console.error(
        `  and ${more} more${reportFile ? `; all stand in ${reportFile}` : '; name a file with --report to see all'}`,
      );
  }
}
