/**
 * One-time codes. A code is derived from a digest key and a random seed, so that the same code can be sent again
 * although only its seed and its digest are stored. Both are useless without the key.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DigestKeys } from '../crypto/digest-keys.ts';

/** What a code is for. A code of one kind is never valid as one of another kind. */
export type CodeKind = PhoneCodeKind | 'confirmation';

/** The codes that prove a phone: the user's first, or another one in its place. */
export type PhoneCodeKind = 'verification' | 'change';

/** What a code is bound to. Its digest is valid for these values only. */
export interface CodeOwner {
  kind: CodeKind;
  userId: number;
  /** One line: the phone number in E.164 that is to be proven, or the terms of a confirmation. */
  boundTo: string;
  seed: Uint8Array;
}

export interface StoredCode {
  seed: Buffer;
  digest: Buffer;
}

const seedBytes = 16;
const chunkBytes = 6;
const chunkRange = 2 ** (8 * chunkBytes);

export function makeSeed(): Buffer {
  return randomBytes(seedBytes);
}

/** A code may begin with zeros. */
export function deriveCode(key: Buffer, owner: CodeOwner, digits: number): string {
  const range = 10 ** digits;
  // Numbers above the last multiple of the range would make some codes more likely than others.
  const limit = chunkRange - (chunkRange % range);
  for (let round = 0; ; round += 1) {
    const bytes = hmac(key, `code ${round}`, owner);
    for (let offset = 0; offset + chunkBytes <= bytes.length; offset += chunkBytes) {
      const number = bytes.readUIntBE(offset, chunkBytes);
      if (number < limit) return String(number % range).padStart(digits, '0');
    }
  }
}

export function digestCode(key: Buffer, owner: CodeOwner, code: string): Buffer {
  return hmac(key, 'digest', owner, code);
}

/** Whether the digest was made from this code, with any of the keys. */
export function isCodeOf(keys: DigestKeys, digest: Uint8Array, owner: CodeOwner, code: string): boolean {
  return keys.all.some((key) => isSameDigest(digest, digestCode(key, owner, code)));
}

/**
 * The code whose digest is stored. Undefined if it was made with a key that no longer exists, or with another number of
 * digits.
 */
export function recoverCode(
  keys: DigestKeys,
  { seed, digest }: StoredCode,
  owner: Omit<CodeOwner, 'seed'>,
  digits: number,
): string | undefined {
  for (const key of keys.all) {
    const code = deriveCode(key, { seed, ...owner }, digits);
    if (isSameDigest(digest, digestCode(key, { seed, ...owner }, code))) return code;
  }
  return undefined;
}

function hmac(key: Buffer, purpose: string, { kind, userId, boundTo, seed }: CodeOwner, code = ''): Buffer {
  const text = [`${kind} ${purpose}`, userId, boundTo, code, ''].join('\n');
  return createHmac('sha256', key).update(text).update(seed).digest();
}

function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
