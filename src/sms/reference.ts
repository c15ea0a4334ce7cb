/** Our name for a message: whose it is, the code's number, and a seal that only we can make. */
import { createHmac } from 'node:crypto';
import { sameText } from './same.ts';

export interface MessageKey {
  userId: number;
  number: number;
}

/** 96 bits in 16 letters; with two numbers it stays within the 40 that Vonage takes. */
function seal(key: Buffer, { userId, number }: MessageKey): string {
  return createHmac('sha256', key).update(`${userId}.${number}`).digest('base64url').slice(0, 16);
}

export function makeReference(key: Buffer, message: MessageKey): string {
  return `${message.userId}.${message.number}.${seal(key, message)}`;
}

export function readReference(key: Buffer, reference: string): MessageKey | undefined {
  const match = /^([1-9]\d{0,9})\.([1-9]\d{0,9})\.([\w-]{16})$/.exec(reference);
  if (!match) return undefined;
  const message = { userId: Number(match[1]), number: Number(match[2]) };
  return sameText(match[3]!, seal(key, message)) && message.userId <= 2_147_483_647 && message.number <= 2_147_483_647
    ? message
    : undefined;
}
