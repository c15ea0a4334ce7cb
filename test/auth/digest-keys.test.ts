/** What was made with one digest key is good for every node that holds it, first or not. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, planKeys, type KnownKey } from '../../src/auth/digest-key-registry.ts';
import { deriveKeys } from '../../src/crypto/digest-keys.ts';
import { makeReference, readReference } from '../../src/sms/reference.ts';
import { createPageTokens } from '../../src/transactions/list/page-token.ts';

const [old, next, other] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const now = new Date('2026-01-01T00:00:00Z');

describe('keys of an overlap', () => {
  it('verify page tokens and message references of each other, and of no one else', () => {
    for (const purpose of ['page tokens', 'message references']) {
      const [before, after] = [deriveKeys([old, next], purpose), deriveKeys([next, old], purpose)];
      const token = createPageTokens(before).issue(1, 2, now);
      expect(createPageTokens(after).read(token, 1, now)).toBe(2);
      expect(() => createPageTokens(deriveKeys([next], purpose)).read(token, 1, now)).toThrow();
      const reference = makeReference(before.current, { userId: 1, number: 2 }, 1);
      expect(readReference(after.all, reference)).toMatchObject({ userId: 1, number: 2 });
      expect(readReference(deriveKeys([next], purpose).all, reference)).toBeUndefined();
    }
  });
});

/** The keys that the database knows after nodes with these keys have started, one after the other. */
function startNodes(...nodes: Buffer[][]): { known: KnownKey[]; guardKeys: string[] } {
  let known: KnownKey[] = [];
  const guardKeys = nodes.map((keys) => {
    const plan = planKeys(known, { keys, isConfigured: true });
    known = [...known, ...plan.added].map((key) => ({
      ...key,
      isCurrent: key.fingerprint === plan.currentFingerprint,
    }));
    return plan.guardKey.toString('hex');
  });
  return { known, guardKeys };
}

describe('the registry of keys', () => {
  it('keeps the key of the guard through a rotation, and stores it only encrypted', () => {
    const { known, guardKeys } = startNodes([old], [old, next], [next, old], [next]);
    expect(new Set(guardKeys).size).toBe(1);
    expect(known.find(({ isCurrent }) => isCurrent)?.fingerprint).toBe(fingerprintOf(next));
    for (const { wrappedGuardKey } of known) expect(wrappedGuardKey.toString('hex')).not.toContain(guardKeys[0]!);
  });

  it('allows a rotation to be undone step by step', () => {
    expect(() => startNodes([old], [old, next], [next, old], [old, next], [old])).not.toThrow();
  });

  it('refuses a node without the current key, and one that begins with a key that is not known', () => {
    expect(() => startNodes([old], [other])).toThrow(/lacks the digest key/);
    expect(() => startNodes([old], [next, old])).toThrow(/begins with a key that the database does not know/);
    expect(() => startNodes([old], [old, next], [next, old], [old])).toThrow(/lacks the digest key/);
  });
});
