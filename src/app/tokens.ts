/** Wires the issuer of tokens and their verification. */
import { createIssuer, type Issuer } from '../auth/issuer.ts';
import { ownKeySet, remoteKeySet, type KeySet } from '../auth/key-set.ts';
import { makeSigningKey, readSigningKeys, sandboxKey } from '../auth/keys.ts';
import { createVerifier, type Verifier } from '../auth/verifier.ts';
import type { ServiceClock } from '../values/clock.ts';
import type { Config } from '../config/load.ts';
import { scopes, type ClientSetting } from '../config/settings/tokens.ts';
import type { Observer } from '../monitoring/observe.ts';

export interface Tokens {
  issuer: Issuer | undefined;
  verifier: Verifier;
  keys: KeySet;
}

/** How far the clock of an external issuer may differ. The embedded issuer uses the service's own clock. */
const issuerSkewSeconds = 60;

/** The minimum time between two reads of the issuer's keys, as a share of the time after which they are read again. */
const cooldownShare = 0.1;

export async function createTokens(
  config: Config,
  url: string,
  clock: ServiceClock,
  { observe }: Pick<Observer, 'observe'>,
): Promise<Tokens> {
  const common = { audience: config.audience, userClaim: config.userClaim, clock };
  if (config.issuer) {
    const keys = remoteKeySet({
      issuer: config.issuer,
      jwksUrl: config.jwksUrl,
      refreshSeconds: config.jwksRefreshSeconds,
      cooldownSeconds: config.jwksRefreshSeconds * cooldownShare,
      onUnread: (reason) => observe({ kind: 'keys-unread', reason }),
      onRead: () => observe({ kind: 'keys-read' }),
    });
    // The setting has no trailing slash, but the issuer's own spelling may have one.
    const issuers = [config.issuer, `${config.issuer}/`];
    return {
      issuer: undefined,
      keys,
      verifier: createVerifier({
        ...common,
        issuer: issuers,
        algorithms: config.algorithms,
        skewSeconds: issuerSkewSeconds,
        keys,
      }),
    };
  }
  const issuer = await embeddedIssuer(config, url, clock);
  const keys = ownKeySet(issuer.publicKeys);
  observe({ kind: 'keys-read' });
  return {
    issuer,
    keys,
    verifier: createVerifier({
      ...common,
      issuer: url,
      algorithms: ['RS256'],
      skewSeconds: 0,
      keys,
    }),
  };
}

export async function embeddedIssuer(config: Config, url: string, clock: ServiceClock): Promise<Issuer> {
  const pem = config.signingKey ?? (await sandboxKey(config.dataDir, 'signing.pem', makeSigningKey));
  return createIssuer({
    url,
    audience: config.audience,
    userClaim: config.userClaim,
    tokenSeconds: config.tokenSeconds,
    keys: await readSigningKeys(pem),
    clients: config.clients ?? [sandboxClient],
    clock,
  });
}

/** A client for the sandbox only, since everyone knows its secret, which is its name. */
const sandboxClient: ClientSetting = {
  id: 'sandbox',
  secretSha256: 'b7ad567477c83756aab9a542b2be04f77dbae25115d85f22070d74d8cc4779dc',
  scopes: [...scopes],
  mayBindUsers: true,
  mustBindUsers: false,
};
