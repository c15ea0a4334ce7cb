/** Secrets of webhook endpoints: created here, encrypted for the database, decrypted to sign. */
import { randomBytes } from 'node:crypto';
import type { DigestKeys } from '../../crypto/digest-keys.ts';
import { seal, unseal } from '../../crypto/seal.ts';

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
    seal: (secret, endpointId) => seal(current, secret, purposeOf(endpointId)),
    open(sealed, endpointId) {
      for (const key of all) {
        const secret = unseal(key, sealed, purposeOf(endpointId));
        if (secret) return { secret: secret.toString(), isCurrent: key === current };
      }
      return undefined;
    },
  };
}

/** A secret that was sealed for one endpoint cannot be opened for another. */
function purposeOf(endpointId: number): string {
  return `webhook endpoint ${endpointId}`;
}
