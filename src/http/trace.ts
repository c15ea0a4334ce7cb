/** W3C Trace Context: the caller's trace if there is one, with a new span id. */
import { randomFillSync } from 'node:crypto';

const incoming = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

const pool = Buffer.alloc(24 * 256);
let digits = '';
let used = 0;

function randomHex(length: number): string {
  if (used + length > digits.length) {
    digits = randomFillSync(pool).toString('hex');
    used = 0;
  }
  used += length;
  return digits.slice(used - length, used);
}

/** In the form of .NET: version, trace id, span id, and whether the caller records the trace. */
export function traceIdFor(traceparent: string | undefined): string {
  const match = traceparent === undefined ? null : incoming.exec(traceparent);
  if (!match) return `00-${randomHex(32)}-${randomHex(16)}-00`;
  const sampled = Number.parseInt(match[2]!, 16) & 1;
  return `00-${match[1]}-${randomHex(16)}-0${sampled}`;
}
