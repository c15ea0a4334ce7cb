import type { Issuer } from '../../auth/issuer.ts';
import { scopes } from '../../config/settings/tokens.ts';
import { json, operation } from '../operation.ts';

export const jwksOperation = (issuer: Issuer) =>
  operation({
    name: 'jwks',
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'Tokens',
    summary: 'The issuer’s public keys',
    responses: { 200: { about: 'A JWK set.', schema: { type: 'object' } } },
    handle: () => json(200, { keys: issuer.publicKeys }),
  });

/** RFC 8414, at the address OpenID Connect's discovery uses, where libraries look. */
export const discoveryOperation = (issuer: Issuer) =>
  operation({
    name: 'discovery',
    method: 'GET',
    path: '/.well-known/openid-configuration',
    tag: 'Tokens',
    summary: 'The issuer’s metadata',
    responses: { 200: { about: 'The metadata.', schema: { type: 'object' } } },
    handle: () =>
      json(200, {
        issuer: issuer.url,
        token_endpoint: `${issuer.url}/connect/token`,
        jwks_uri: `${issuer.url}/.well-known/jwks.json`,
        scopes_supported: scopes,
        response_types_supported: ['token'],
        grant_types_supported: ['client_credentials'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      }),
  });
