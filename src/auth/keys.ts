/**
 * Reads the keys. In production they are configured, since all nodes share them. The sandbox creates its own, next to
 * its database.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { ConfigError, type Config } from '../config/load.ts';
import { readOptionalFile } from '../formats/read-optional-file.ts';
import type { NodeKeys } from './digest-key-registry.ts';

export interface SigningKey {
  id: string;
  privateKey: KeyObject;
  publicJwk: JWK;
}

export async function makeSigningKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

export function makeDigestKey(): string {
  return randomBytes(32).toString('base64');
}

export async function readSigningKeys(pem: string): Promise<SigningKey[]> {
  const blocks = pem.match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/g) ?? [];
  if (blocks.length === 0 || blocks.length < pem.split('-----BEGIN').length - 1) {
    throw new ConfigError(['LEDGERLINE_SIGNING_KEY must hold whole blocks of PRIVATE KEY, and no others.']);
  }
  const keys = await Promise.all(blocks.map(readSigningKey));
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new ConfigError(['LEDGERLINE_SIGNING_KEY names a key twice.']);
  }
  return keys;
}

async function readSigningKey(pem: string): Promise<SigningKey> {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    throw new ConfigError(['LEDGERLINE_SIGNING_KEY cannot be read as a PKCS #8 key.']);
  }
  if (privateKey.asymmetricKeyType !== 'rsa' || (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    throw new ConfigError(['LEDGERLINE_SIGNING_KEY must be an RSA key of 2048 bits or more.']);
  }
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
  const id = await calculateJwkThumbprint(jwk);
  return { id, privateKey, publicJwk: { ...jwk, kid: id, alg: 'RS256', use: 'sig' } };
}

/** The sandbox's own keys, outside the directory of the database. Only the owner can read them. */
export async function sandboxKey(dataDir: string, name: string, make: () => string | Promise<string>): Promise<string> {
  const folder = path.join(path.resolve(dataDir), 'keys');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, name);
  const known = await readOptionalFile(file);
  if (known) return known;
  const made = await make();
  await writeFile(file, made, { mode: 0o600 });
  return made;
}

/** The configured digest keys, or the one that the sandbox has created. */
export async function readDigestKeys({ digestKeys, dataDir }: Config): Promise<NodeKeys> {
  if (digestKeys) return { keys: digestKeys, isConfigured: true };
  const made = await sandboxKey(dataDir, 'digest.key', makeDigestKey);
  return { keys: [Buffer.from(made, 'base64')], isConfigured: false };
}
