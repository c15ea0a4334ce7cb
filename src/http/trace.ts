/** W3C Trace Context: the trace of the caller if one came, with a span of ours. */
import { randomFillSync } from 'node:crypto';

const incoming = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

const pool = Buffer.alloc(24 * 256);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

/** In the form .NET gives it: version, trace, span, and whether the caller records it. */
export function traceIdFor(traceparent: string | undefined): string {
  const match = traceparent === undefined ? null : incoming.exec(traceparent);
  if (!match) return `00-${randomHex(16)}-${randomHex(8)}-00`;
  const sampled = Number.parseInt(match[2]!, 16) & 1;
  return `00-${match[1]}-${randomHex(8)}-0${sampled}`;
}
