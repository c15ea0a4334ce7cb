/** Writes log lines to the output of the process. */
import { pino } from 'pino';

export interface LogOutput {
  write(line: string): void;
  close(): void;
}

const flushMilliseconds = 100;

/** For a single process, which has the output to itself. */
const aloneBytes = 32_768;
/** POSIX: a write of up to PIPE_BUF bytes to a pipe is not mixed with those of other processes. Linux: 4096. */
const sharedBytes = 4096;

/** Lines that wait while nobody reads them. Further ones are lost. */
const maxWaitingBytes = 8 * 1024 * 1024;

/** How long the end of the process waits for a reader. */
const closeMilliseconds = 1000;

/**
 * Lines are written together, a few times a second: one write for each line would cost more than everything else in the
 * log. They are collected here, because the stream would measure everything that waits with every line.
 */
export function openLogOutput(isShared: boolean, dest = 1): LogOutput {
  const limit = isShared ? sharedBytes : aloneBytes;
  let waitsUntil = Infinity;
  const stream = pino.destination({
    ...{ dest, sync: false, maxWrite: limit, maxLength: maxWaitingBytes },
    // The reader is there, and does not read.
    retryEAGAIN: () => performance.now() < waitsUntil,
  });
  stream.on('error', () => {});
  let lostLines = 0;
  stream.on('drop', (text: string) => (lostLines += text.split('\n').length - 1));
  stream.on('drain', () => {
    if (lostLines === 0) return;
    const line = { level: 'error', time: new Date().toISOString(), lines: lostLines, msg: 'log-lines-lost' };
    lostLines = 0;
    stream.write(`${JSON.stringify(line)}\n`);
  });
  let lines: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length > 0) stream.write(lines.join(''));
    lines = [];
    bytes = 0;
  };
  return {
    write(line) {
      // The length in bytes is computed only when it matters.
      const length = isShared ? Buffer.byteLength(line) : line.length;
      if (bytes + length > limit) flush();
      timer ??= setTimeout(flush, flushMilliseconds).unref();
      lines.push(line);
      bytes += length;
    },
    close() {
      flush();
      waitsUntil = performance.now() + closeMilliseconds;
      try {
        stream.flushSync();
      } catch {
        // Nobody reads it, or can read it any more.
      }
    },
  };
}
