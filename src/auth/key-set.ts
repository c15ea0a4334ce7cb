/** The public keys of the token issuer: our own, or those that another issuer publishes. */
import { calculateJwkThumbprint, createLocalJWKSet, type JWK, type JWSHeaderParameters } from 'jose';
import { issuerAway } from '../errors.ts';
import { explainIssuerFailure } from './explain.ts';

type Keys = ReturnType<typeof createLocalJWKSet>;

/** Finds a key by the `kid` and `alg` of a token; without a `kid`, only if a single one fits. */
type FindKey = (header: JWSHeaderParameters) => Promise<VerifyingKey | undefined>;

export type VerifyingKey = Awaited<ReturnType<Keys>>;

export interface KeySet {
  find: FindKey;
  /** Called on every request, so that a removed key is noticed although verified tokens are remembered. */
  keepFresh(): void;
  onChange(listener: () => void): void;
  /** Why no key can be used yet; undefined as soon as the keys have been read once. */
  readonly unreadReason: string | undefined;
  /** Reads the keys if they have never been read. Does not throw. */
  readFirst(): Promise<void>;
}

function findIn(published: JWK[]): FindKey {
  const keys = createLocalJWKSet({ keys: published });
  return (header) => keys(header).catch(() => undefined);
}

export function ownKeySet(keys: JWK[]): KeySet {
  return {
    find: findIn(keys),
    keepFresh() {},
    onChange() {},
    unreadReason: undefined,
    readFirst: async () => {},
  };
}

interface RemoteKeySetOptions {
  issuer: string;
  jwksUrl: string | undefined;
  refreshSeconds: number;
  cooldownSeconds: number;
  onUnread(reason: string): void;
  onRead(): void;
}

const fetchTimeoutMilliseconds = 5000;
const largestDocument = 1024 * 1024;

export function remoteKeySet(options: RemoteKeySetOptions): KeySet {
  const listeners: (() => void)[] = [];
  let findPublished: FindKey | undefined;
  let publishedText: string | undefined;
  let readAt = -Infinity;
  let triedAt = -Infinity;
  let lastFailed = false;
  let reading: Promise<void> | undefined;
  let unreadReason: string | undefined = 'The keys of the token issuer have not been read yet.';

  const age = (since: number) => (performance.now() - since) / 1000;

  async function read(): Promise<void> {
    triedAt = performance.now();
    try {
      const published = await readPublishedKeys(options.issuer, options.jwksUrl);
      unreadReason = undefined;
      options.onRead();
      readAt = performance.now();
      lastFailed = false;
      const text = JSON.stringify(published);
      if (text === publishedText) return;
      publishedText = text;
      findPublished = findIn(published);
      for (const listener of listeners) listener();
    } catch (error) {
      lastFailed = true;
      const { cause, cure } = explainIssuerFailure(error);
      if (!findPublished) unreadReason = `The keys of the token issuer cannot be read: ${cause}. ${cure}`;
      options.onUnread(cause);
      throw issuerAway();
    }
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  }

  return {
    async find(header) {
      if (!findPublished) {
        // After a failed first read, the cool-down applies too.
        if (age(triedAt) < 1 && !reading) throw issuerAway();
        await readOnce();
      }
      const known = await findPublished!(header);
      if (known) return known;
      if (age(triedAt) < options.cooldownSeconds && !reading) {
        // If the issuer could not be asked, it is not known whether it has such a key.
        if (lastFailed) throw issuerAway();
        return undefined;
      }
      await readOnce();
      return findPublished!(header);
    },
    keepFresh() {
      if (!findPublished || age(readAt) < options.refreshSeconds || age(triedAt) < options.cooldownSeconds) return;
      // The old keys are used until the new ones have been read. A failure has been observed already.
      readOnce().catch(() => undefined);
    },
    onChange: (listener) => void listeners.push(listener),
    get unreadReason() {
      return unreadReason;
    },
    async readFirst() {
      // A failure has been observed, and is the reason that readiness gives.
      if (!findPublished) await readOnce().catch(() => undefined);
    },
  };
}

/** The keys that an issuer publishes and that can verify a signature. One that cannot be read does not affect the others. */
export async function readPublishedKeys(issuer: string, jwksUrl: string | undefined): Promise<JWK[]> {
  const document = await fetchJson(jwksUrl ?? (await discover(issuer)));
  if (!Array.isArray(document.keys)) throw new Error('the key document has no keys');
  const keys = (document.keys as JWK[]).filter(
    ({ kty, use }) => ['RSA', 'EC', 'OKP'].includes(kty ?? '') && use !== 'enc',
  );
  const settled = await Promise.allSettled(keys.map(readKey));
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Rejects if a member is missing or malformed. The use has been checked: jose accepts no other spelling of it than `sig`. */
async function readKey(published: JWK): Promise<JWK> {
  await calculateJwkThumbprint(published);
  const { use: _, ...key } = published;
  return key;
}

async function discover(issuer: string): Promise<string> {
  const document = await fetchJson(`${issuer}/.well-known/openid-configuration`);
  if (typeof document.issuer !== 'string' || document.issuer.replace(/\/+$/, '') !== issuer) {
    throw new Error('the discovery document names another issuer');
  }
  const url = String(document.jwks_uri);
  if (!URL.canParse(url) || new URL(url).protocol !== new URL(issuer).protocol) {
    throw new Error('the discovery document has no usable jwks_uri');
  }
  return url;
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(fetchTimeoutMilliseconds),
  });
  if (!response.ok) throw new Error(`the issuer answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body!) {
    size += chunk.length;
    if (size > largestDocument) throw new Error('the issuer’s document is too large');
    chunks.push(chunk);
  }
  return Object(JSON.parse(Buffer.concat(chunks).toString())) as Record<string, unknown>;
}
