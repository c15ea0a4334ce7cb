import type { Issuer } from '../../../auth/issuer.ts';
import { json, operation } from '../../operation.ts';

export const jwksOperation = (issuer: Issuer) =>
  operation({
    name: 'jwks',
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'Tokens',
    summary: 'Get the public keys',
    responses: {
      200: {
        about: 'A JWK set (RFC 7517).',
        schema: { type: 'object', required: ['keys'] },
        example: { keys: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: 'k1', use: 'sig', alg: 'ES256' }] },
      },
    },
    handle: () => json(200, { keys: issuer.publicKeys }),
  });
