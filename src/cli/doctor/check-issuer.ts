/** The token issuer: whether its keys can be read, and, with a token, whether it would be accepted. */
import { text as readText } from 'node:stream/consumers';
import { createTokens } from '../../app/tokens.ts';
import { explainIssuerFailure } from '../../auth/explain.ts';
import { readPublishedKeys } from '../../auth/key-set.ts';
import { readSigningKeys } from '../../auth/keys.ts';
import { ServiceClock } from '../../values/clock.ts';
import type { Config } from '../../config/load.ts';
import { openInput } from '../input.ts';
import { findIssuer } from '../remembered-issuer.ts';
import { findingOf, okFinding, problemFinding, type Finding } from './finding.ts';

export async function checkIssuer(config: Config, { tokenFile }: { tokenFile?: string }): Promise<Finding[]> {
  const { issuer, jwksUrl, signingKey } = config;
  const keys: Finding[] = [];
  if (issuer) keys.push(await checkKeys(issuer, jwksUrl));
  // A sandbox may have its own in DATA_DIR.
  else if (signingKey) keys.push(await checkSigningKey(signingKey));
  // Without the keys no token can be verified.
  if (tokenFile === undefined || keys.some(({ level }) => level === 'problem')) return keys;
  const { chunks } = await openInput(tokenFile);
  return [...keys, await checkToken(config, await readText(chunks))];
}

async function checkKeys(issuer: string, jwksUrl: string | undefined): Promise<Finding> {
  try {
    const keys = await readPublishedKeys(issuer, jwksUrl);
    if (keys.length > 0) return okFinding('Issuer', `${keys.length} keys of ${issuer}`);
    return problemFinding('Issuer', `${issuer} publishes no key that can verify a signature.`, 'Check its key set.');
  } catch (error) {
    const { cause, cure } = explainIssuerFailure(error);
    return problemFinding('Issuer', `the keys of ${issuer} cannot be read: ${cause}.`, cure);
  }
}

/** That of the embedded issuer, as the start reads it. */
function checkSigningKey(signingKey: string): Promise<Finding> {
  return findingOf('Signing key', '`ledgerline keys` makes one.', async () => {
    const [first, ...others] = await readSigningKeys(signingKey);
    const more = others.length > 0 ? `, and ${others.length} more verify them` : '';
    return okFinding('Signing key', `${first!.id} signs tokens${more}`);
  });
}

async function checkToken(config: Config, token: string): Promise<Finding> {
  const unread: string[] = [];
  const url = (await findIssuer(config)) ?? '';
  const { verifier } = await createTokens(config, url, new ServiceClock(), {
    observe: (observation) => observation.kind === 'keys-unread' && unread.push(observation.reason),
  });
  try {
    const { client, scopes, userId } = await verifier(token.trim());
    const bound = userId === undefined ? '' : `, bound to user ${userId}`;
    return okFinding('Token', `accepted: client ${client}, scopes ${[...scopes].join(' ') || 'none'}${bound}`);
  } catch (error) {
    const { details } = error as { details?: { headers?: Record<string, string> } };
    const why = /error_description="([^"]+)"/.exec(details?.headers?.['www-authenticate'] ?? '')?.[1];
    return problemFinding(
      'Token',
      `refused: ${why ?? unread[0] ?? (error as Error).message}.`,
      'Compare its iss, aud and exp with LEDGERLINE_ISSUER and LEDGERLINE_AUDIENCE.',
    );
  }
}
