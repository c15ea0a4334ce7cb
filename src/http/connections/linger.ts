/**
 * If the connection were closed while the caller is still sending, the caller would see a reset instead of the answer.
 * So the answer is sent immediately, and the bytes that still arrive are read and dropped for a while.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const longestMilliseconds = 10_000;
const maxBytes = 64 * 1024 * 1024;
const lookMilliseconds = 100;

/** `body` is the whole answer, and its length is in the headers. Only the end of the connection is delayed. */
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
    if (length > maxBytes) end();
  });
  request.on('end', end).on('close', end);
}
