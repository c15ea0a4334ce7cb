/** Writes the text of a confirmation again, with the same code and terms. */
import type { TextRebuilder } from '../codes/second-route.ts';
import type { LostText } from '../codes/lost-text.ts';
import type { WriteConfirmation } from '../sms/confirmation-text.ts';
import { secondsLeft } from '../values/clock.ts';
import type { ConfirmationCodes, SealedTerms } from './confirmation-codes.ts';
import { isFreeText } from './terms.ts';

export function createConfirmationRebuilder(codes: ConfirmationCodes, write: WriteConfirmation): TextRebuilder {
  const unseal = ({ userId, confirmation }: LostText): SealedTerms | undefined =>
    codes.unseal({ userId, confirmationId: confirmation!.confirmationId }, confirmation!.sealedTerms);

  return {
    isFreeText(text) {
      const sealed = unseal(text);
      // Without the terms nothing is sent.
      return sealed === undefined || isFreeText(text.confirmation!.purpose, sealed.terms);
    },
    rebuild(text, { digest, e164, expiresAt }, { country }, now) {
      const { userId, confirmation } = text;
      const { confirmationId, purpose } = confirmation!;
      const sealed = unseal(text);
      const code = sealed && codes.recover(digest, { userId, confirmationId, terms: sealed.terms }, purpose, e164, now);
      if (code === undefined) return undefined;
      const { terms, locale } = sealed!;
      const validSeconds = secondsLeft(now, expiresAt);
      return { code, purpose, written: write({ locale, country, code, validSeconds, purpose, ...terms }) };
    },
  };
}
