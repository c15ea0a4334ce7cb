/** Writes the text of a verification or a change again, with the same code. */
import type { PhoneCodeKind } from '../codes/code.ts';
import type { CodeMaker } from '../codes/code-maker.ts';
import type { TextRebuilder } from '../codes/second-route.ts';
import type { WriteMessage } from '../sms/message.ts';
import { secondsLeft } from '../values/clock.ts';

export function createPhoneRebuilder(kind: PhoneCodeKind, codes: CodeMaker, write: WriteMessage): TextRebuilder {
  return {
    isFreeText: () => false,
    rebuild({ userId, locale, correlationType }, { seed, digest, e164, expiresAt }, { country }, now) {
      const code = codes.recover({ seed: seed!, digest }, { kind, userId, boundTo: e164 }, e164, now);
      if (code === undefined) return undefined;
      const validSeconds = secondsLeft(now, expiresAt);
      return { code, purpose: kind, written: write({ locale, country, correlationType, code, validSeconds }) };
    },
  };
}
