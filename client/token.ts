/** Sources of tokens. */
import { errorOf, noAnswer, textOf } from './errors.ts';
import { timerMilliseconds } from './timer.ts';
import type { TokenResponse } from './types.ts';

/** Returns a token. `refused` is true if the service refused the last one; then a new one must be returned. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

export interface ClientCredentials {
  /** The URL of the service, if it issues the tokens itself. */
  baseUrl?: string;
  /** The token endpoint of another issuer. */
  tokenUrl?: string;
  /** The audience of the token, for issuers that need it. */
  audience?: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces. Default: all scopes of the client. */
  scope?: string;
  /** Binds the token to one user, if the client is allowed to. */
  userId?: number;
  fetch?: typeof fetch;
  /** How long a request for a token may take. Default 30. */
  timeoutSeconds?: number;
}

/** OAuth 2.0 client credentials, for back ends. An app on people's devices must never contain the secret. */
export function clientCredentials(options: ClientCredentials): TokenSource {
  const { baseUrl = '', clientId, clientSecret, scope, userId, audience, timeoutSeconds = 30 } = options;
  const url = options.tokenUrl ?? `${baseUrl.replace(/\/+$/, '')}/connect/token`;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  form.set('client_id', clientId);
  form.set('client_secret', clientSecret);
  if (scope) form.set('scope', scope);
  if (audience) form.set('audience', audience);
  if (userId !== undefined) form.set('user_id', String(userId));
  let cached: { token: Promise<string>; goodUntil: number } | undefined;

  async function request(): Promise<string> {
    const asked = Date.now();
    const send = options.fetch ?? fetch;
    // The secret must not be sent anywhere else.
    const signal = AbortSignal.timeout(timerMilliseconds(timeoutSeconds));
    const response = await send(url, { method: 'POST', body: form, redirect: 'error', signal }).catch(
      (cause: unknown) => {
        throw noAnswer(cause);
      },
    );
    if (!response.ok) throw await errorOf(response);
    const { access_token, expires_in } = JSON.parse(await textOf(response)) as TokenResponse;
    // Renewed after nine tenths of its lifetime, so that it does not expire in transit.
    if (cached) cached.goodUntil = asked + expires_in * 900;
    return access_token;
  }

  /** Calls that need a token while one is being fetched wait for the same token. */
  return function token(refused) {
    if (!cached || refused || Date.now() > cached.goodUntil) {
      cached = { token: request(), goodUntil: Number.POSITIVE_INFINITY };
      cached.token.catch(() => (cached = undefined));
    }
    return cached.token;
  };
}
