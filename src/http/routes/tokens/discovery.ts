import type { Issuer } from '../../../auth/issuer.ts';
import { scopes } from '../../../config/settings/tokens.ts';
import { json, operation } from '../../operation.ts';

/** RFC 8414, at the path of OpenID Connect's discovery, where libraries look. */
export const discoveryOperation = (issuer: Issuer) =>
  operation({
    name: 'discovery',
    method: 'GET',
    path: '/.well-known/openid-configuration',
    tag: 'Tokens',
    summary: 'Get the issuer’s metadata',
    responses: {
      200: {
        about: 'The metadata (RFC 8414).',
        schema: { type: 'object', required: ['issuer'] },
        example: {
          issuer: 'https://ledgerline.example.com',
          token_endpoint: 'https://ledgerline.example.com/connect/token',
          jwks_uri: 'https://ledgerline.example.com/.well-known/jwks.json',
        },
      },
    },
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
