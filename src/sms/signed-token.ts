/** A JSON Web Token by which a gateway signs a callback: HS256, with a secret that only both sides know. */
import { createHmac } from 'node:crypto';
import { sameText } from '../crypto/constant-time.ts';

export type TokenPart = Readonly<Record<string, unknown>>;

/** Undefined if the token is not signed with this secret. */
export function readSignedToken(token: string, secret: string): { head: TokenPart; claims: TokenPart } | undefined {
  const [, head, claims, signature] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  if (head === undefined || claims === undefined || signature === undefined) return undefined;
  const expected = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
  return sameText(signature, expected) ? { head: readPart(head), claims: readPart(claims) } : undefined;
}

/** Empty if it is not JSON. */
function readPart(part: string): TokenPart {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString())) as TokenPart;
  } catch {
    return {};
  }
}
