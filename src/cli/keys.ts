/** `ledgerline keys`: generates the keys and secrets that production needs. */
import { createHash, randomBytes } from 'node:crypto';
import { makeDigestKey, makeSigningKey } from '../auth/keys.ts';
import { isClientId, scopes, type ClientSetting } from '../config/settings/tokens.ts';
import { StartError } from '../errors.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

export async function keys({ client }: { client: string }): Promise<number> {
  // The start would refuse the client.
  if (!isClientId(client) || client === 'sandbox') {
    throw new StartError('--client must be 1 to 100 printable ASCII characters without spaces, and not sandbox.');
  }
  const secret = randomBytes(32).toString('base64url');
  const entry: ClientSetting = {
    id: client,
    secretSha256: createHash('sha256').update(secret).digest('hex'),
    scopes: scopes.filter((scope) => !scope.startsWith('operator:')),
    mayBindUsers: true,
    mustBindUsers: false,
  };
  const pem = await makeSigningKey();
  console.error(`The secret of the client ${client}, shown this once: ${secret}\n`);
  console.log(`LEDGERLINE_DIGEST_KEY=${makeDigestKey()}`);
  // Base64: shells, systemd and container platforms disagree on quotes and spaces in such files.
  console.log(`LEDGERLINE_SIGNING_KEY=${base64(pem)}`);
  console.log(`LEDGERLINE_CLIENTS=${base64(JSON.stringify([entry]))}`);
  return 0;
}
