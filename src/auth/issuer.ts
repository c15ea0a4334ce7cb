/** The embedded issuer: client_credentials by RFC 6749, access tokens by RFC 9068. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../values/clock.ts';
import { secondsAfter } from '../values/clock.ts';
import type { ClientSetting, Scope } from '../config/settings/tokens.ts';
import { parseId } from '../values/id.ts';
import type { SigningKey } from './keys.ts';
import { TokenError } from './token-error.ts';

interface IssuerOptions {
  url: string;
  audience: string;
  userClaim: string;
  tokenSeconds: number;
  keys: SigningKey[];
  clients: ClientSetting[];
  clock: Clock;
}

export interface TokenRequest {
  clientId: string;
  secret: string;
  /** Separated by spaces. Undefined: all scopes of the client. */
  scope: string | undefined;
  userId: string | undefined;
}

export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
}

/** The only scopes that a token bound to a user can have. */
export const boundScopes: readonly string[] = ['phone', 'transactions:read'] satisfies Scope[];

export type Issuer = ReturnType<typeof createIssuer>;

export function createIssuer(options: IssuerOptions) {
  const clients = new Map(options.clients.map((client) => [client.id, client]));

  async function mint(client: string, scopes: string[], userId?: number): Promise<TokenResponse> {
    const [key] = options.keys;
    const now = options.clock.now();
    const scope = (userId === undefined ? scopes : scopes.filter((name) => boundScopes.includes(name))).join(' ');
    const claims = { scope, client_id: client, ...(userId !== undefined && { [options.userClaim]: userId }) };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key!.id })
      .setIssuer(options.url)
      .setAudience(options.audience)
      .setSubject(userId === undefined ? client : String(userId))
      .setIssuedAt(now)
      .setExpirationTime(secondsAfter(now, options.tokenSeconds))
      .setJti(randomUUID())
      .sign(key!.privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: options.tokenSeconds, scope };
  }

  return {
    url: options.url,
    publicKeys: options.keys.map(({ publicJwk }) => publicJwk),
    mint,
    async issue({ clientId, secret, scope, userId }: TokenRequest): Promise<TokenResponse> {
      const client = authenticate(clients.get(clientId), secret);
      const user = boundUser(client, userId);
      const asked = scope === undefined ? client.scopes : scope.split(' ').filter((name) => name !== '');
      if (asked.length === 0 || !asked.every((name) => client.scopes.includes(name))) {
        throw new TokenError('invalid_scope', `The client may ask for ${client.scopes.join(' ')}.`);
      }
      return mint(client.id, [...new Set(asked)], user);
    },
  };
}

/** A request of an unknown client takes as long as that of a known one, so that the time reveals nothing. */
function authenticate(client: ClientSetting | undefined, secret: string): ClientSetting {
  const digest = createHash('sha256').update(secret).digest();
  const expected = Buffer.from(client?.secretSha256 ?? '0'.repeat(64), 'hex');
  if (!timingSafeEqual(digest, expected) || !client) {
    throw new TokenError('invalid_client', 'The client is not known or its secret does not fit.', 401);
  }
  return client;
}

function boundUser(client: ClientSetting, userId: string | undefined): number | undefined {
  if (userId === undefined) {
    if (client.mustBindUsers)
      throw new TokenError('invalid_request', 'user_id is missing: the client must bind users.');
    return undefined;
  }
  const id = parseId(userId);
  if (id === undefined) {
    throw new TokenError('invalid_request', 'user_id must be an integer from 1 to 2147483647.');
  }
  if (!client.mayBindUsers) throw new TokenError('unauthorized_client', 'The client may not bind users.');
  return id;
}
