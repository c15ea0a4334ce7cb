/** Secrets of webhook endpoints: created here, encrypted for the database, decrypted to sign. */
import { randomBytes } from 'node:crypto';
import type { DigestKeys } from '../../crypto/digest-keys.ts';
import { seal, unseal } from '../../crypto/seal.ts';

/** By Standard Webhooks: whsec_ and the base64 of 24 to 64 bytes. */
export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export type SecretBox = ReturnType<typeof createSecretBox>;

export function createSecretBox({ current, all }: DigestKeys) {
  return {
    seal: (secret: string, endpointId: number): Buffer => seal(current, secret, purposeOf(endpointId)),

    /**
     * Undefined if none of the keys fits, or if the secret was sealed for another endpoint. One that was not sealed with
     * the current key must be sealed again.
     */
    open(sealed: Buffer, endpointId: number): { secret: string; isCurrent: boolean } | undefined {
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
