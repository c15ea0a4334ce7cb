/** Secrets of webhook endpoints: created here, encrypted for the database, decrypted to sign. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DigestKeys } from '../../digest-keys.ts';

const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** By Standard Webhooks: whsec_ and the base64 of 24 to 64 bytes. */
export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export interface OpenedSecret {
  secret: string;
  /** Whether it was sealed with the current key; if not, it must be sealed again. */
  isCurrent: boolean;
}

export interface SecretBox {
  seal(secret: string, endpointId: number): Buffer;
  /** Undefined if none of the keys fits, or if the secret was sealed for another endpoint. */
  open(sealed: Buffer, endpointId: number): OpenedSecret | undefined;
}

export function createSecretBox({ current, all }: DigestKeys): SecretBox {
  return {
    seal(secret, endpointId) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current, nonce).setAAD(nameOf(endpointId));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, endpointId) {
      for (const key of all) {
        const secret = tryKey(key, sealed, endpointId);
        if (secret !== undefined) return { secret, isCurrent: key === current };
      }
      return undefined;
    },
  };
}

/** A secret that was sealed for one endpoint cannot be opened for another. */
function nameOf(endpointId: number): Buffer {
  return Buffer.from(`webhook endpoint ${endpointId}`);
}

function tryKey(key: Buffer, sealed: Buffer, endpointId: number): string | undefined {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes))
    .setAAD(nameOf(endpointId))
    .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return decipher.update(sealed.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
