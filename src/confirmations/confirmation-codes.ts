/**
 * The codes of confirmations. A code is derived from its terms, so that no other terms have the same code, and its digest
 * needs nothing that is stored: one statement can compare both.
 */
import { deriveCode, digestCode, type CodeOwner } from '../codes/code.ts';
import type { FindTestNumber } from '../codes/test-numbers.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import { seal, unseal } from '../crypto/seal.ts';
import { termsText, type Terms } from './terms.ts';

export interface ConfirmationCodeParts {
  digestKeys: DigestKeys;
  sealKeys: DigestKeys;
  testNumber: FindTestNumber;
  codeDigits: number;
}

/** A confirmation and what it is bound to. */
export interface Bound {
  userId: number;
  confirmationId: string;
  terms: Terms;
}

/** What a text is written from. */
export interface SealedTerms {
  terms: Terms;
  locale: string | undefined;
}

export interface MadeConfirmation {
  code: string;
  codeDigest: Buffer;
  termsDigest: Buffer;
}

export type ConfirmationCodes = ReturnType<typeof createConfirmationCodes>;

export function createConfirmationCodes({ digestKeys, sealKeys, testNumber, codeDigits }: ConfirmationCodeParts) {
  /** The code for the terms and the purpose, or the fixed one of a test number. */
  function codeOf(key: Buffer, bound: Bound, purpose: string, e164: string, now: Date): string {
    const owner = ownerOf(bound);
    return (
      testNumber(e164, now)?.code ??
      deriveCode(key, { ...owner, boundTo: JSON.stringify([purpose, owner.boundTo]) }, codeDigits)
    );
  }

  return {
    /** As long as any other, for a text that is measured before its code is made. */
    sample: '0'.repeat(codeDigits),

    make(bound: Bound, purpose: string, e164: string, now: Date): MadeConfirmation {
      const key = digestKeys.current;
      const code = codeOf(key, bound, purpose, e164, now);
      return { code, codeDigest: digestCode(key, ownerOf(bound), code), termsDigest: digestTerms(key, bound) };
    },

    /** The code whose digest is stored; undefined if its key no longer exists. */
    recover(digest: Buffer, bound: Bound, purpose: string, e164: string, now: Date): string | undefined {
      return digestKeys.all
        .map((key) => ({ key, code: codeOf(key, bound, purpose, e164, now) }))
        .find(({ key, code }) => digestCode(key, ownerOf(bound), code).equals(digest))?.code;
    },

    /** The digests that a confirmation with these terms and this code may have, one for each key. */
    digestsOf(bound: Bound, code: string): { terms: Buffer[]; code: Buffer[] } {
      const { all } = digestKeys;
      return {
        terms: all.map((key) => digestTerms(key, bound)),
        code: all.map((key) => digestCode(key, ownerOf(bound), code)),
      };
    },

    seal: ({ userId, confirmationId, terms }: Bound, locale: string | undefined): Buffer =>
      seal(sealKeys.current, JSON.stringify({ terms, locale } satisfies SealedTerms), `${userId} ${confirmationId}`),

    /** Undefined if its key no longer exists. */
    unseal({ userId, confirmationId }: Omit<Bound, 'terms'>, sealed: Buffer): SealedTerms | undefined {
      for (const key of sealKeys.all) {
        const content = unseal(key, sealed, `${userId} ${confirmationId}`);
        if (content) return JSON.parse(content.toString()) as SealedTerms;
      }
      return undefined;
    },
  };
}

/** The id is random, so it serves as the seed. */
function ownerOf({ userId, confirmationId, terms }: Bound): CodeOwner {
  const seed = Buffer.from(confirmationId.replaceAll('-', ''), 'hex');
  return { kind: 'confirmation', userId, boundTo: termsText(terms), seed };
}

/** No code is empty, so this is the digest of no code. */
function digestTerms(key: Buffer, bound: Bound): Buffer {
  return digestCode(key, ownerOf(bound), '');
}
