/**
 * The digest keys that are registered in a database. Nodes with different keys would refuse each other's codes. So a
 * node may start only if it has the current key, and may create digests only with a key that was registered before: see
 * docs/production.md, "Rotating keys".
 */
import { deriveKey } from '../crypto/digest-keys.ts';
import { seal, unseal } from '../crypto/seal.ts';
import { StartError } from '../errors.ts';

export interface KnownKey {
  fingerprint: string;
  isCurrent: boolean;
  /** The guard's key, encrypted with this key. */
  wrappedGuardKey: Buffer;
}

export interface KeyPlan {
  /** Keys of this node that are not registered yet. */
  added: KnownKey[];
  currentFingerprint: string;
  /** All keys of this node; a key that is older than the current one and not in this list is no longer used. */
  fingerprints: string[];
  /**
   * The key of the guard's counters and safe list. They are looked up by digest and may be kept for an unlimited time,
   * so their key stays the same through every rotation. It is stored in the database, encrypted with each known key.
   */
  guardKey: Buffer;
}

export interface NodeKeys {
  /** The first key creates digests, all keys verify them. */
  keys: readonly Buffer[];
  /** Whether they come from LEDGERLINE_DIGEST_KEY. Otherwise the sandbox has made one in DATA_DIR. */
  isConfigured: boolean;
}

/** Decides whether a node with these keys may start. */
export function planKeys(known: readonly KnownKey[], { keys, isConfigured }: NodeKeys): KeyPlan {
  const fingerprints = keys.map(fingerprintOf);
  const currentFingerprint = fingerprints[0]!;
  if (known.length > 0) refuseStranger(known, fingerprints, isConfigured);
  const guardKey = known.length > 0 ? findGuardKey(known, keys) : deriveKey(keys[0]!, 'guard');
  const added = keys
    .filter((key) => !known.some(({ fingerprint }) => fingerprint === fingerprintOf(key)))
    .map((key) => ({ fingerprint: fingerprintOf(key), isCurrent: false, wrappedGuardKey: wrap(key, guardKey) }));
  return { added, currentFingerprint, fingerprints, guardKey };
}

function refuseStranger(known: readonly KnownKey[], fingerprints: string[], isConfigured: boolean): void {
  const [first] = fingerprints;
  const current = known.find(({ isCurrent }) => isCurrent)?.fingerprint;
  if (current !== undefined && !fingerprints.includes(current)) {
    throw new StartError(
      `This node lacks the digest key that the database uses (fingerprint ${current}), so it would refuse the codes of other nodes. ` +
        (isConfigured
          ? 'Give every node the same LEDGERLINE_DIGEST_KEY. If the key is lost, see "Rotating keys" in docs/production.md.'
          : 'The sandbox keeps its key in DATA_DIR: set DATA_DIR to the folder it had, set LEDGERLINE_DIGEST_KEY, or empty the sandbox with --fresh.'),
    );
  }
  if (!known.some(({ fingerprint }) => fingerprint === first)) {
    throw new StartError(
      `LEDGERLINE_DIGEST_KEY begins with a key that the database does not know (fingerprint ${first}), so other nodes would refuse the codes that it makes. ` +
        'Put the new key second on every node first, then move it to the front.',
    );
  }
}

/** A name for a key that reveals nothing about it. */
export function fingerprintOf(key: Buffer): string {
  return deriveKey(key, 'fingerprint').toString('hex').slice(0, 16);
}

function findGuardKey(known: readonly KnownKey[], keys: readonly Buffer[]): Buffer {
  for (const key of keys) {
    const row = known.find(({ fingerprint }) => fingerprint === fingerprintOf(key));
    if (row) return unwrap(key, row.wrappedGuardKey);
  }
  throw new Error('No known key is among those of this node.');
}

function wrap(key: Buffer, guardKey: Buffer): Buffer {
  return seal(deriveKey(key, 'wrap guard key'), guardKey);
}

function unwrap(key: Buffer, wrapped: Buffer): Buffer {
  const guardKey = unseal(deriveKey(key, 'wrap guard key'), wrapped);
  if (!guardKey) throw new Error('The guard key in the database was changed or is damaged.');
  return guardKey;
}
