/** Content that callers keep and give back. It is authenticated, so only this service can make it. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const macBytes = 16;

function macOf(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, macBytes);
}

export function signContent(key: Buffer, content: Buffer): string {
  return Buffer.concat([content, macOf(key, content)]).toString('base64url');
}

/** The content of that many bytes; undefined if it was signed with none of the keys. */
export function readSigned(keys: readonly Buffer[], text: string, contentBytes: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== contentBytes + macBytes) return undefined;
  const content = bytes.subarray(0, contentBytes);
  const isGenuine = keys.some((key) => timingSafeEqual(macOf(key, content), bytes.subarray(contentBytes)));
  // A text in another spelling is not ours.
  return isGenuine && bytes.toString('base64url') === text ? content : undefined;
}
