/**
 * Signing in at the operator's own identity provider: authorization code with PKCE (RFC 7636), as OpenID Connect Core
 * 1.0 describes it for a public client. The data of a sign-in is kept in the session storage of the tab until the
 * answer arrives; tokens stay in the memory of the page.
 */

import { claimsOf } from './token-claims.ts';

export interface IssuerSettings {
  issuer: string;
  clientId: string;
  audience: string;
}

export interface IssuerSession {
  accessToken: string;
  /** Also ends the session at the provider, if it has an endpoint for that. */
  signOut(): void;
}

interface Discovered {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string;
}

interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  /** The view to return to. */
  hash: string;
}

export type SignInFailure = 'wrong-state' | 'unreachable' | (string & {});

/** Why it failed, as the provider or this page says it. */
export class SignInError extends Error {
  readonly failure: SignInFailure;

  constructor(failure: SignInFailure) {
    super(failure);
    this.failure = failure;
  }
}

const pendingKey = 'ledgerline-console-sign-in';
const scope = 'openid operator:read operator:write events:write';

/** Written into the page by the service, if it is configured. */
export function issuerSettings(): IssuerSettings | undefined {
  const { issuer, client, audience = '' } = document.documentElement.dataset;
  return issuer && client ? { issuer, clientId: client, audience } : undefined;
}

const redirectUri = () => `${location.origin}${location.pathname}`;

async function discover(issuer: string): Promise<Discovered> {
  const found = await requestJson(`${issuer}/.well-known/openid-configuration`);
  // The document must be about the configured provider. The setting has no trailing slash.
  if (String(found.issuer).replace(/\/+$/, '') !== issuer) throw new SignInError('unreachable');
  return found as unknown as Discovered;
}

async function requestJson(address: string, form?: URLSearchParams): Promise<Record<string, unknown>> {
  const init: RequestInit = { credentials: 'omit', redirect: 'error', ...(form && { method: 'POST', body: form }) };
  let response: Response;
  let body: Record<string, unknown>;
  try {
    response = await fetch(address, init);
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    throw new SignInError('unreachable');
  }
  if (!response.ok) throw new SignInError(String(body.error_description ?? body.error ?? response.status));
  return body;
}

const randomText = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** RFC 8707 needs a URI; other providers have their own parameter. */
function audienceParameters(audience: string): Record<string, string> {
  return { audience, ...(URL.canParse(audience) && { resource: audience }) };
}

/** Leaves the page. It is loaded again with the answer. */
export async function startSignIn({ issuer, clientId, audience }: IssuerSettings): Promise<void> {
  const { authorization_endpoint } = await discover(issuer);
  const pending: Pending = { state: randomText(), nonce: randomText(), verifier: randomText(), hash: location.hash };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const address = new URL(authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...audienceParameters(audience),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}

/** Whether the page was loaded with the answer of the provider. */
export function hasAnswer(): boolean {
  const answer = new URL(location.href).searchParams;
  return answer.has('state') && (answer.has('code') || answer.has('error'));
}

export async function finishSignIn(settings: IssuerSettings): Promise<IssuerSession> {
  const answer = new URL(location.href).searchParams;
  const pending = takePending();
  // The code is removed from the address and the history before anything else.
  history.replaceState(null, '', `${location.pathname}${pending?.hash ?? ''}`);
  if (!pending || answer.get('state') !== pending.state) throw new SignInError('wrong-state');
  const { issuer, clientId, audience } = settings;
  const speaker = answer.get('iss');
  if (speaker !== null && speaker.replace(/\/+$/, '') !== issuer) throw new SignInError('wrong-state');
  const code = answer.get('code');
  if (code === null) throw new SignInError(answer.get('error_description') ?? answer.get('error')!);
  const discovered = await discover(issuer);
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri(),
    client_id: clientId,
    code_verifier: pending.verifier,
    ...audienceParameters(audience),
  });
  const { access_token, id_token } = await requestJson(discovered.token_endpoint, form);
  checkIdToken(String(id_token), settings, pending.nonce);
  return {
    accessToken: String(access_token),
    signOut: () => leave(discovered.end_session_endpoint, clientId, String(id_token)),
  };
}

function takePending(): Pending | undefined {
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/**
 * The token came directly from the token endpoint over TLS, so its signature need not be checked (Core 3.1.3.7, number
 * 6).
 */
function checkIdToken(token: string, { issuer, clientId }: IssuerSettings, nonce: string): void {
  const claims = claimsOf(token);
  const isOurs =
    claims.nonce === nonce &&
    String(claims.iss).replace(/\/+$/, '') === issuer &&
    [claims.aud].flat().includes(clientId);
  if (!isOurs) throw new SignInError('wrong-state');
}

function leave(endpoint: string | undefined, clientId: string, idToken: string): void {
  if (endpoint === undefined) return;
  const address = new URL(endpoint);
  address.searchParams.set('client_id', clientId);
  address.searchParams.set('id_token_hint', idToken);
  address.searchParams.set('post_logout_redirect_uri', redirectUri());
  location.assign(address);
}
