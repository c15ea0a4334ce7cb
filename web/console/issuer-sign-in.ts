/**
 * Signing in at the operator's own identity provider: authorization code with PKCE, by oauth4webapi. The data of a sign-in
 * is kept in the session storage of the tab until the answer arrives; tokens stay in the memory of the page.
 */
import * as oauth from 'oauth4webapi';
import type { IssuerSettings } from './issuer-settings.ts';

export interface IssuerSession {
  accessToken: string;
  /** Also ends the session at the provider, if it has an endpoint for that. */
  signOut(): void;
}

interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  /** The view to return to. */
  hash: string;
}

/** `wrong-state`: the answer is not to what this page asked, or too old. Otherwise what the provider says. */
export type SignInFailure = 'wrong-state' | 'unreachable' | (string & {});

const pendingKey = 'ledgerline-console-sign-in';
const scope = 'openid operator:read operator:write events:write';

/** Codes of errors of an answer that is for another page or another time. */
const refusals = [oauth.INVALID_RESPONSE, oauth.JWT_CLAIM_COMPARISON, oauth.JWT_TIMESTAMP_CHECK] as string[];

const redirectUri = () => `${location.origin}${location.pathname}`;

const requestOptions = (issuer: string) => ({
  [oauth.customFetch]: (address: string, init: object) => fetch(address, { ...init, credentials: 'omit' }),
  // The service accepts such an issuer on loopback only.
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
});

async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(new URL(issuer), requestOptions(issuer));
  const { issuer: named } = (await response.clone().json()) as { issuer: string };
  // The setting has no trailing slash.
  const isOurs = named === issuer || named === `${issuer}/`;
  return oauth.processDiscoveryResponse(new URL(isOurs ? named : issuer), response);
}

/** RFC 8707 needs a URI; other providers have their own parameter. */
function audienceParameters(audience: string): Record<string, string> {
  return { audience, ...(URL.canParse(audience) && { resource: audience }) };
}

/** Leaves the page. It is loaded again with the answer. */
export async function startSignIn({ issuer, clientId, audience }: IssuerSettings): Promise<void> {
  const { authorization_endpoint } = await discover(issuer);
  const pending: Pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    hash: location.hash,
  };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const address = new URL(authorization_endpoint!);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...audienceParameters(audience),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}

/** Undefined if this page did not ask for the answer. */
export async function finishSignIn({ issuer, clientId, audience }: IssuerSettings): Promise<IssuerSession | undefined> {
  const answer = new URL(location.href);
  const pending = takePending();
  // The code is removed from the address and the history before anything else.
  history.replaceState(null, '', `${location.pathname}${pending?.hash ?? ''}`);
  if (answer.searchParams.get('state') !== pending?.state) return undefined;
  const server = await discover(issuer);
  const client = { client_id: clientId };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    oauth.validateAuthResponse(server, client, answer, pending.state),
    redirectUri(),
    pending.verifier,
    { ...requestOptions(issuer), additionalParameters: audienceParameters(audience) },
  );
  const { access_token, id_token } = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: pending.nonce,
    requireIdToken: true,
  });
  return { accessToken: access_token, signOut: () => leave(server.end_session_endpoint, clientId, id_token!) };
}

function takePending(): Pending | undefined {
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

export function failureOf(error: unknown): SignInFailure {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return error.error_description ?? error.error;
  }
  const { code } = error as { code?: string };
  return code !== undefined && refusals.includes(code) ? 'wrong-state' : 'unreachable';
}

function leave(endpoint: string | undefined, clientId: string, idToken: string): void {
  if (endpoint === undefined) return;
  const address = new URL(endpoint);
  address.searchParams.set('client_id', clientId);
  address.searchParams.set('id_token_hint', idToken);
  address.searchParams.set('post_logout_redirect_uri', redirectUri());
  location.assign(address);
}
