import type { Issuer, TokenRequest } from '../../../auth/issuer.ts';
import { TokenError } from '../../../auth/token-error.ts';
import type { Observe } from '../../../monitoring/observe.ts';
import { noStore, operation, queryOf, reply, type Request } from '../../operation.ts';
import { integer, record, word } from '../../../formats/record.ts';
import { required, text, type Schema } from '../../../formats/shape.ts';
import { mediaTypeOf } from '../../body/parse-body.ts';

const tokenResponse = record('TokenResponse', {
  access_token: required(text(), 'A JWT (RFC 9068).'),
  token_type: required(word(['Bearer']), 'How it is sent.'),
  expires_in: required(integer(), 'Seconds until it expires.'),
  scope: required(text(), 'Its scopes, separated by spaces.'),
});

const tokenForm: Schema = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: { type: 'string', const: 'client_credentials' },
    client_id: { type: 'string', description: 'The client, unless HTTP Basic names it.' },
    client_secret: { type: 'string', description: 'Its secret, unless HTTP Basic gives it.' },
    scope: { type: 'string', description: 'Scopes, separated by spaces. All of the client’s if absent.' },
    user_id: { type: 'string', description: 'Binds the token to this user. It must not be empty.' },
  },
};

export const tokenOperation = (issuer: Issuer, observe: Observe) =>
  operation({
    name: 'token',
    method: 'POST',
    path: '/connect/token',
    tag: 'Tokens',
    summary: 'Get an access token',
    about:
      'OAuth 2.0 client credentials, form-encoded, with the secret in HTTP Basic or in the body. A client that may bind users can add user_id: the token is then valid for that user only, with at most the scopes phone and transactions:read. Errors have the form of RFC 6749 section 5.2.',
    rawBody: true,
    formSchema: tokenForm,
    example: { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox' },
    largestBody: 16 * 1024,
    oauthErrors: true,
    isLocalInSandbox: true,
    responses: {
      200: {
        about: 'The token.',
        shape: tokenResponse,
      },
    },
    async handle({ request }) {
      try {
        const asked = readRequest(request);
        const response = await issuer.issue(asked);
        observe({
          kind: 'token-issued',
          client: asked.clientId,
          ...(asked.userId !== undefined && { userId: Number(asked.userId) }),
        });
        return reply(200, tokenResponse, response, noStore);
      } catch (error) {
        if (error instanceof TokenError) observe({ kind: 'token-refused', reason: error.code });
        throw error;
      }
    },
  });

function readRequest({ headers, bytes, address }: Request): TokenRequest {
  if (mediaTypeOf(headers['content-type'])?.name !== 'application/x-www-form-urlencoded') {
    throw new TokenError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  const form = readForm(bytes?.toString() ?? '');
  const grant = form('grant_type');
  if (grant === undefined) throw new TokenError('invalid_request', 'grant_type is missing.');
  if (grant !== 'client_credentials') {
    throw new TokenError('unsupported_grant_type', 'Only client_credentials is supported.');
  }
  const { clientId, secret } = credentials(headers.authorization, form);
  // In the query it would be ignored, and the token would not be bound.
  if (queryOf(address).has('user_id')) throw new TokenError('invalid_request', 'user_id belongs in the body.');
  return { clientId, secret, scope: form('scope'), userId: form('user_id', 'keep empty') };
}

type Form = (name: string, empty?: 'keep empty') => string | undefined;

/**
 * RFC 6749 section 3.2: a parameter must not be repeated, and one without a value counts as absent. A parameter that
 * restricts the token must not: its value is missing by mistake.
 */
function readForm(text: string): Form {
  const parameters = new URLSearchParams(text);
  return (name, empty) => {
    const [value, another] = parameters.getAll(name);
    if (another !== undefined) throw new TokenError('invalid_request', `${name} comes more than once.`);
    return value === '' && !empty ? undefined : value;
  };
}

function credentials(header: string | undefined, form: Form) {
  const clientId = form('client_id');
  const secret = form('client_secret');
  if (header === undefined) {
    if (clientId === undefined || secret === undefined) {
      throw new TokenError('invalid_client', 'Give client_id and client_secret, or HTTP Basic.', 401);
    }
    return { clientId, secret };
  }
  if (secret !== undefined) throw new TokenError('invalid_request', 'Give the secret once: by Basic or in the body.');
  return basicCredentials(header);
}

/** RFC 6749 section 2.3.1: both halves are form-encoded before they are joined. */
function basicCredentials(header: string): { clientId: string; secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1];
  const decoded = Buffer.from(encoded ?? '', 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new TokenError('invalid_client', 'The Authorization header is not HTTP Basic.', 401);
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { clientId: decode(decoded.slice(0, colon)), secret: decode(decoded.slice(colon + 1)) };
  } catch {
    throw new TokenError('invalid_client', 'The Authorization header is not HTTP Basic.', 401);
  }
}
