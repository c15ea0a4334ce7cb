/**
 * The token that pins a list: the individual, the last row and the time of issue. It is authenticated, so only this
 * service can issue one.
 */
import type { DigestKeys } from '../../crypto/digest-keys.ts';
import { readSigned, signContent } from '../../crypto/signed-content.ts';
import { invalidFields } from '../../errors.ts';

const goodForSeconds = 24 * 3600;
const contentBytes = 14;

export type PageTokens = ReturnType<typeof createPageTokens>;

export function createPageTokens(keys: DigestKeys) {
  function refuse(why: string): never {
    throw invalidFields({ AsOf: [`The field AsOf ${why}.`] });
  }

  return {
    issue(individualId: number, seq: number, now: Date): string {
      const content = Buffer.allocUnsafe(contentBytes);
      content.writeUInt32BE(individualId, 0);
      content.writeUInt32BE(seq, 4);
      content.writeUIntBE(Math.floor(now.getTime() / 1000), 8, 6);
      return signContent(keys.current, content);
    },

    /** Returns the sequence number of the last row in the pinned list. */
    read(token: string, individualId: number, now: Date): number {
      const content = readSigned(keys.all, token, contentBytes) ?? refuse('is not a value of the As-Of header');
      if (content.readUInt32BE(0) !== individualId) refuse('belongs to another individual');
      if (now.getTime() / 1000 - content.readUIntBE(8, 6) > goodForSeconds) refuse('is older than 24 hours');
      return content.readUInt32BE(4);
    },
  };
}
