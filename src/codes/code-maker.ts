/** Makes the codes that are sent: derived from a key, or fixed for a test number. */
import type { DigestKeys } from '../crypto/digest-keys.ts';
import { deriveCode, digestCode, isCodeOf, makeSeed, recoverCode, type CodeOwner, type StoredCode } from './code.ts';
import type { FindTestNumber } from './test-numbers.ts';

export interface CodeMakerParts {
  digestKeys: DigestKeys;
  testNumber: FindTestNumber;
  codeDigits: number;
}

export type CodeMaker = ReturnType<typeof createCodeMaker>;

export function createCodeMaker({ digestKeys, testNumber, codeDigits }: CodeMakerParts) {
  return {
    /** As long as any other, for a text that is measured before its code is made. */
    sample: '0'.repeat(codeDigits),

    make(owner: Omit<CodeOwner, 'seed'>, e164: string, now: Date): { code: string; stored: StoredCode } {
      const seed = makeSeed();
      const code = testNumber(e164, now)?.code ?? deriveCode(digestKeys.current, { seed, ...owner }, codeDigits);
      const digest = digestCode(digestKeys.current, { seed, ...owner }, code);
      return { code, stored: { seed, digest } };
    },

    /** The stored code; undefined if its key no longer exists, or if it is not the one of the test number any more. */
    recover(stored: StoredCode, owner: Omit<CodeOwner, 'seed'>, e164: string, now: Date): string | undefined {
      const test = testNumber(e164, now);
      if (!test) return recoverCode(digestKeys, stored, owner, codeDigits);
      return isCodeOf(digestKeys, stored.digest, { seed: stored.seed, ...owner }, test.code) ? test.code : undefined;
    },
  };
}
