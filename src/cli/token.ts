/** `ledgerline token`: mints an access token of the embedded issuer, without asking the service. */
import { boundScopes } from '../auth/issuer.ts';
import { embeddedIssuer } from '../app/tokens.ts';
import { ServiceClock } from '../values/clock.ts';
import { loadConfig } from '../config/load.ts';
import { scopes } from '../config/settings/tokens.ts';
import { StartError } from '../errors.ts';
import { readNumber } from './read-number.ts';
import { findIssuer } from './remembered-issuer.ts';

export async function token({ scope, user }: { scope?: string; user?: string }): Promise<number> {
  const config = loadConfig(process.env);
  if (config.issuer) {
    throw new StartError(`Tokens come from ${config.issuer}; only the embedded issuer's can be minted here.`);
  }
  if (config.mode === 'production' && !config.signingKey) {
    throw new StartError('Set LEDGERLINE_SIGNING_KEY and PUBLIC_URL to those of the service.');
  }
  const url = await findIssuer(config);
  if (!url) throw new StartError('Start the service once, or set PUBLIC_URL: tokens carry its address.');
  const userId = user === undefined ? undefined : readNumber('--user', user);
  const asked = readScopes(scope, userId !== undefined);
  const issuer = await embeddedIssuer(config, url, new ServiceClock());
  const { access_token } = await issuer.mint('cli', asked, userId);
  console.log(access_token);
  return 0;
}

/** All that the token may have if none is named. */
function readScopes(text: string | undefined, isBound: boolean): string[] {
  const granted: readonly string[] = isBound ? boundScopes : scopes;
  const asked = text?.split(/[\s,]+/).filter(Boolean) ?? [...granted];
  if (asked.length === 0) throw new StartError(`--scope names no scope. The scopes are ${granted.join(', ')}.`);
  const known: readonly string[] = scopes;
  const refused = asked.find((name) => !granted.includes(name));
  if (refused === undefined) return asked;
  throw new StartError(
    known.includes(refused)
      ? `A token that is bound to a user cannot have the scope ${refused}, only ${granted.join(' and ')}.`
      : `There is no scope ${refused}. The scopes are ${granted.join(', ')}.`,
  );
}
