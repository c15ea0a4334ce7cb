/** One-time codes: made here, kept only as keyed digests, compared in constant time. */
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { DigestKeys } from '../digest-keys.ts';

export interface CodeOwner {
  userId: number;
  number: number;
  phone: string;
}

/** Leading zeros are digits like any other. */
export function makeCode(digits: number): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0');
}

/** Bound to its user, number and phone, so that a digest is good for nothing else. */
export function digestCode(key: Buffer, { userId, number, phone }: CodeOwner, code: string): Buffer {
  return createHmac('sha256', key).update(`${userId}\n${number}\n${phone}\n${code}`).digest();
}

/** Whether the digest was made of this code, with any of the keys. */
export function isCodeOf(keys: DigestKeys, digest: Uint8Array, owner: CodeOwner, code: string): boolean {
  return keys.all.some((key) => sameDigest(digest, digestCode(key, owner, code)));
}

function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
