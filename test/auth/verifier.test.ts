/** Which tokens the verifier remembers. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { ownKeySet, type KeySet } from '../../src/auth/key-set.ts';
import { createVerifier } from '../../src/auth/verifier.ts';
import { ServiceClock } from '../../src/values/clock.ts';

it('a token whose key leaves while it is being verified is not remembered', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const published = ownKeySet([await exportJWK(publicKey)]);
  let isPublished = true;
  let announceChange = () => {};
  const keys: KeySet = {
    ...published,
    async find(header) {
      if (!isPublished) return undefined;
      const key = await published.find(header);
      // The signature is checked with a key that has just been removed.
      isPublished = false;
      announceChange();
      return key;
    },
    onChange: (listener) => (announceChange = listener),
  };
  const expected = { issuer: 'issuer', audience: 'audience', algorithms: ['ES256'], skewSeconds: 0, userClaim: 'user' };
  const verify = createVerifier({ ...expected, keys, clock: new ServiceClock() });
  const token = await new SignJWT({ scope: 'users' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('issuer')
    .setAudience('audience')
    .setExpirationTime('1h')
    .sign(privateKey);
  expect((await verify(token)).scopes).toEqual(new Set(['users']));
  await expect(async () => verify(token)).rejects.toThrow();
});
