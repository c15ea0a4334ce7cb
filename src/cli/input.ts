/** The input of a command, from a file or standard input. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { StartError } from '../errors.ts';
import { createGunzip } from 'node:zlib';
import { Progress } from './progress.ts';

interface Input {
  chunks: AsyncIterable<Buffer>;
  progress: Progress;
}

export async function openInput(file: string): Promise<Input> {
  if (file === '-') {
    const progress = new Progress(undefined);
    return { chunks: counted(process.stdin, progress, 'The standard input'), progress };
  }
  const found = await stat(file).catch(refuseInput(file));
  if (!found.isFile()) throw new StartError(`${file} is not a file.`);
  const progress = new Progress(found.size);
  // Before the stream is created: an error of a stream that nobody reads yet would end the process.
  const isPacked = await isGzip(file).catch(refuseInput(file));
  const bytes = counted(createReadStream(file, { highWaterMark: 256 * 1024 }), progress, file);
  return { chunks: isPacked ? unzipped(bytes, file) : bytes, progress };
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

async function* counted(chunks: AsyncIterable<Buffer>, progress: Progress, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of chunks) {
      progress.addBytes(chunk.length);
      yield chunk;
    }
  } catch (error) {
    refuseInput(name)(error as NodeJS.ErrnoException);
  }
}

const refuseInput = (name: string) => (error: NodeJS.ErrnoException) => {
  throw new StartError(`${name} cannot be read (${error.code}).`);
};
