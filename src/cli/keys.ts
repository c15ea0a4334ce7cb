/** `ledgerline keys`: what production needs and nobody should make up by hand. */
import { createHash, randomBytes } from 'node:crypto';
import { makeDigestKey, makeSigningKey } from '../auth/keys.ts';
import { scopes, type ClientSetting } from '../config/settings/tokens.ts';

export async function keys({ client = 'backend' }: { client?: string }): Promise<number> {
  const secret = randomBytes(32).toString('base64url');
  const entry: ClientSetting = {
    id: client,
    secretSha256: createHash('sha256').update(secret).digest('hex'),
    scopes: scopes.filter((scope) => !scope.startsWith('operator:')),
    mayBindUsers: true,
  };
  const pem = (await makeSigningKey()).trim().replaceAll('\n', '\\n');
  console.error(`The secret of the client ${client}, shown this once: ${secret}\n`);
  console.log(`LEDGERLINE_DIGEST_KEY=${makeDigestKey()}`);
  console.log(`LEDGERLINE_SIGNING_KEY="${pem}"`);
  console.log(`LEDGERLINE_CLIENTS='${JSON.stringify([entry])}'`);
  return 0;
}
