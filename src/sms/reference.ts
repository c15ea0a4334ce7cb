/** Our id of a text: the user, the message, the try, and a signature that only the service can make. */
import { createHmac } from 'node:crypto';
import { sameText } from '../crypto/constant-time.ts';

export interface MessageKey {
  userId: number;
  number: number;
}

/** At most 40 characters, which is Vonage's limit: two numbers, one character for the try, 96 bits of signature. */
export function makeReference(key: Buffer, { userId, number }: MessageKey, tryNumber: number): string {
  const name = `${userId}.${number}.${tryNumber.toString(36)}`;
  return `${name}.${signatureOf(key, name)}`;
}

/** Undefined unless it is signed with one of the keys. */
export function readReference(keys: readonly Buffer[], reference: string): MessageKey | undefined {
  const match = /^(([1-9]\d{0,9})\.([1-9]\d{0,9})\.[\da-z])\.([\w-]{16})$/.exec(reference);
  if (!match) return undefined;
  const isSigned = keys.some((key) => sameText(match[4]!, signatureOf(key, match[1]!)));
  if (!isSigned) return undefined;
  return { userId: Number(match[2]), number: Number(match[3]) };
}

function signatureOf(key: Buffer, name: string): string {
  return createHmac('sha256', key).update(name).digest('base64url').slice(0, 16);
}
