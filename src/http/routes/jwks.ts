import type { Issuer } from '../../auth/issuer.ts';
import { json, operation } from '../operation.ts';

export const jwksOperation = (issuer: Issuer) =>
  operation({
    name: 'jwks',
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'Tokens',
    summary: 'Read the issuer’s public keys',
    responses: { 200: { about: 'A JWK set (RFC 7517).', schema: { type: 'object', required: ['keys'] } } },
    handle: () => json(200, { keys: issuer.publicKeys }),
  });
