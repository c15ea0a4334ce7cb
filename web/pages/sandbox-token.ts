/** The token that a sandbox gives to every caller. */
import { clientCredentials, type ClientCredentials, type TokenSource } from '../../client/index.ts';

export function sandboxToken(options: Partial<ClientCredentials> = {}): TokenSource {
  return clientCredentials({ baseUrl: '', clientId: 'sandbox', clientSecret: 'sandbox', ...options });
}
