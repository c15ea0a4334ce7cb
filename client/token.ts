/** Where tokens come from. */
import { errorOf } from './errors.ts';
import type { TokenResponse } from './types.ts';

/** Gives a token. `refused` is true when the one given last was not taken, so that a remembered one is dropped. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

export interface ClientCredentials {
  /** Where the service is, if it issues the tokens itself. */
  baseUrl?: string;
  /** The token endpoint of another issuer. */
  tokenUrl?: string;
  /** What the token is for, where the issuer wants to be told. */
  audience?: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces; all the client has, if not given. */
  scope?: string;
  /** Binds the token to one user, for a client that may. */
  userId?: number;
  fetch?: typeof fetch;
}

/** OAuth 2.0 client credentials, for back ends: an app that people hold must never carry the secret. */
export function clientCredentials(options: ClientCredentials): TokenSource {
  const { baseUrl = '', clientId, clientSecret, scope, userId, audience } = options;
  const url = options.tokenUrl ?? `${baseUrl.replace(/\/+$/, '')}/connect/token`;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  form.set('client_id', clientId);
  form.set('client_secret', clientSecret);
  if (scope) form.set('scope', scope);
  if (audience) form.set('audience', audience);
  if (userId !== undefined) form.set('user_id', String(userId));
  let held: { token: Promise<string>; goodUntil: number } | undefined;

  async function request(): Promise<string> {
    const asked = Date.now();
    const send = options.fetch ?? fetch;
    const response = await send(url, {
      method: 'POST',
      body: form,
      // The secret goes nowhere else.
      redirect: 'error',
    });
    if (!response.ok) throw await errorOf(response);
    const { access_token, expires_in } = (await response.json()) as TokenResponse;
    // A tenth of its life early, so that none expires on its way.
    if (held) held.goodUntil = asked + expires_in * 900;
    return access_token;
  }

  /** Calls that come while a token is on its way share it. */
  return function token(refused) {
    if (!held || refused || Date.now() > held.goodUntil) {
      held = { token: request(), goodUntil: Number.POSITIVE_INFINITY };
      held.token.catch(() => (held = undefined));
    }
    return held.token;
  };
}
