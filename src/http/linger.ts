/**
 * A connection that closes while its caller is still sending takes the answer with it: the caller sees only that it
 * broke. So the answer goes out at once, and what still comes is read and dropped for a while.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const longestMilliseconds = 10_000;
const mostBytes = 64 * 1024 * 1024;
const lookMilliseconds = 100;

/** `body` is all of the answer, whose length its head has told; only the end of the connection waits. */
export function linger(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Buffer,
  isStopping: () => boolean,
): void {
  const begun = performance.now();
  let length = 0;
  const timer = setInterval(() => {
    if (isStopping() || performance.now() - begun > longestMilliseconds) end();
  }, lookMilliseconds);
  function end(): void {
    clearInterval(timer);
    response.end();
  }
  response.write(body);
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostBytes) end();
  });
  request.on('end', end).on('close', end);
}
