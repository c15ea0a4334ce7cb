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

/** Whether the text says more than the code: the terms, or that the number is to be changed. */
export function isFreeText(purpose: string, { amount, payee }: Terms): boolean {
  return purpose === 'change-phone' || amount !== undefined || payee !== undefined;
}
