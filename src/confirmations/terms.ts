/** What a person agrees to. A code is good for exactly these terms. */
import { withoutScale } from '../transactions/amount.ts';

/** Each is undefined if it was not given. */
export interface Terms {
  amount: string | undefined;
  currency: string | undefined;
  /** Trimmed, in Unicode's form NFC. */
  payee: string | undefined;
}

/** One line that is the same for terms that mean the same: 24.9 eur is 24.90 EUR. */
export function termsText({ amount, currency, payee }: Terms): string {
  return JSON.stringify([
    amount === undefined ? null : withoutScale(amount),
    currency?.toUpperCase() ?? null,
    payee ?? null,
  ]);
}
