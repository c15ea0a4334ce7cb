/**
 * The token that pins a list: the individual, the last row and the time of issue. It is authenticated, so only this
 * service can issue one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DigestKeys } from '../../crypto/digest-keys.ts';
import { invalidFields } from '../../errors.ts';

const goodForSeconds = 24 * 3600;
const macBytes = 16;
const contentBytes = 14;

export interface PageTokens {
  issue(individualId: number, seq: number, now: Date): string;
  /** Returns the sequence number of the last row in the pinned list. */
  read(token: string, individualId: number, now: Date): number;
}

function macOf(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, macBytes);
}

export function createPageTokens(keys: DigestKeys): PageTokens {
  function refuse(why: string): never {
    throw invalidFields({ AsOf: [`The field AsOf ${why}.`] });
  }

  return {
    issue(individualId, seq, now) {
      const content = Buffer.allocUnsafe(contentBytes);
      content.writeUInt32BE(individualId, 0);
      content.writeUInt32BE(seq, 4);
      content.writeUIntBE(Math.floor(now.getTime() / 1000), 8, 6);
      return Buffer.concat([content, macOf(keys.current, content)]).toString('base64url');
    },

    read(token, individualId, now) {
      const bytes = Buffer.from(token, 'base64url');
      const content = bytes.subarray(0, contentBytes);
      const genuine =
        bytes.length === contentBytes + macBytes &&
        keys.all.some((key) => timingSafeEqual(macOf(key, content), bytes.subarray(contentBytes)));
      if (!genuine || bytes.toString('base64url') !== token) refuse('is not a value of the As-Of header');
      if (content.readUInt32BE(0) !== individualId) refuse('belongs to another individual');
      if (now.getTime() / 1000 - content.readUIntBE(8, 6) > goodForSeconds) refuse('is older than 24 hours');
      return content.readUInt32BE(4);
    },
  };
}
