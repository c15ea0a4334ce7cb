/** The types of the element, shipped next to its script. */

/** Gives a token; `refused` is true when the service refused the last one. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

/** The detail of the event `step`, when another step is shown. */
export interface StepDetail {
  step: 'number' | 'code' | 'verified';
}

export interface SentDetail {
  userId: number;
  phoneNumber: string;
  /** Undefined if it is not known whether the text was sent. */
  expiresInSeconds: number | undefined;
}

export interface VerifiedDetail {
  userId: number;
  /** Undefined if the user was verified before. */
  phoneNumber: string | undefined;
}

export interface FailedDetail {
  step: 'number' | 'code';
  /** The Error-Reason of the answer, or one of the words that docs/web.md lists if there was no answer. */
  reason: string;
  retryAfterSeconds: number | undefined;
}

export declare class LedgerlineVerify extends HTMLElement {
  getToken: TokenSource | undefined;
  /** Instead of the attribute `user`, for a user that is created only when a code is sent. */
  getUserId: (() => number | Promise<number>) | undefined;
  /** Texts in another language; those not given stay English. */
  texts: Record<string, unknown>;
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now: () => number;
  readonly chosenCountry: string | undefined;
  /** Fills in a number, in E.164 or as people of the chosen country write it. */
  enterNumber(text: string): void;
  /** Enters a code that the app has read itself. */
  enterCode(code: string): void;
  /** Starts over with the same country. */
  reset(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'ledgerline-verify': LedgerlineVerify;
  }
}
