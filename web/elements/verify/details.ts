/** The types of what the element tells the page. They are the beginning of the types that are shipped with its script. */

/** Gives a token; `refused` is true when the service refused the last one. */
export type TokenSource = (refused: boolean) => string | Promise<string>;

/** The detail of `ledgerline-step`. */
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
  error: unknown;
  /** The id of the request in the log of the service, if it answered. */
  traceId: string | undefined;
}
