/** `ledgerline token`: mints an access token of the embedded issuer, without asking the service. */
import path from 'node:path';
import { embeddedIssuer } from '../app/tokens.ts';
import { ServiceClock } from '../clock.ts';
import { loadConfig } from '../config/load.ts';
import { scopes } from '../config/settings/tokens.ts';
import { StartError } from '../errors.ts';
import { readOptionalFile } from '../read-optional-file.ts';

export const issuerFile = (dataDir: string) => path.join(path.resolve(dataDir), 'keys', 'issuer');

export async function token({ scope, user }: { scope?: string; user?: string }): Promise<number> {
  const config = loadConfig(process.env);
  if (config.issuer) {
    throw new StartError(`Tokens come from ${config.issuer}; only the embedded issuer's can be minted here.`);
  }
  if (config.mode === 'production' && !config.signingKey) {
    throw new StartError('Set LEDGERLINE_SIGNING_KEY and PUBLIC_URL to those of the service.');
  }
  const url = config.publicUrl ?? (await readOptionalFile(issuerFile(config.dataDir)));
  if (!url) throw new StartError('Start the service once, or set PUBLIC_URL: tokens carry its address.');
  const asked = scope?.split(/[\s,]+/).filter(Boolean) ?? [...scopes];
  const known: readonly string[] = scopes;
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown) throw new StartError(`There is no scope ${unknown}. The scopes are ${scopes.join(', ')}.`);
  if (user !== undefined && !(/^[1-9]\d{0,9}$/.test(user) && Number(user) <= 2_147_483_647)) {
    throw new StartError('--user must be an integer from 1 to 2147483647.');
  }
  const issuer = await embeddedIssuer(config, url, new ServiceClock());
  const { access_token } = await issuer.mint('cli', asked, user === undefined ? undefined : Number(user));
  console.log(access_token);
  return 0;
}
