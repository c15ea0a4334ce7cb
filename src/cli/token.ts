/** `ledgerline token`: mints an access token of the embedded issuer, without asking the service. */
import { embeddedIssuer } from '../app/tokens.ts';
import { ServiceClock } from '../values/clock.ts';
import { loadConfig } from '../config/load.ts';
import { scopes } from '../config/settings/tokens.ts';
import { StartError } from '../errors.ts';
import { readNumber } from './read-number.ts';
import { readIssuer } from './remembered-issuer.ts';

export async function token({ scope, user }: { scope?: string; user?: string }): Promise<number> {
  const config = loadConfig(process.env);
  if (config.issuer) {
    throw new StartError(`Tokens come from ${config.issuer}; only the embedded issuer's can be minted here.`);
  }
  if (config.mode === 'production' && !config.signingKey) {
    throw new StartError('Set LEDGERLINE_SIGNING_KEY and PUBLIC_URL to those of the service.');
  }
  const url = config.publicUrl ?? (await readIssuer(config.dataDir));
  if (!url) throw new StartError('Start the service once, or set PUBLIC_URL: tokens carry its address.');
  const asked = scope?.split(/[\s,]+/).filter(Boolean) ?? [...scopes];
  const known: readonly string[] = scopes;
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown) throw new StartError(`There is no scope ${unknown}. The scopes are ${scopes.join(', ')}.`);
  const userId = user === undefined ? undefined : readNumber('--user', user);
  const issuer = await embeddedIssuer(config, url, new ServiceClock());
  const { access_token } = await issuer.mint('cli', asked, userId);
  console.log(access_token);
  return 0;
}
