/** The types of what the element tells the page. They are the beginning of the types that are shipped with its script. */

export type Channel = 'sms' | 'whatsapp' | 'voice';

/** What a promise may be rejected with. Errors of `@ledgerline/client` have these members. */
export interface Rejection {
  /** An Error-Reason, or the state of the confirmation after the check: expired, failed or void. */
  reason?: string;
  retryAfterSeconds?: number;
  /** A sentence of your own, shown instead of the element's. */
  text?: string;
}

/**
 * Answers the element. Fulfilled means yes, except for a `Response` that is not ok: its header Error-Reason is the reason.
 * Only the first call counts.
 */
export type Respond = (answer: unknown) => void;

/** The detail of `ledgerline-code`: give the code to your back end, which checks it. */
export interface CodeDetail {
  confirmationId: string;
  code: string;
  respond: Respond;
}

/** The detail of `ledgerline-resend`: have the code sent again. */
export interface ResendDetail {
  confirmationId: string;
  /** Undefined for the service's own choice. */
  channel: Channel | undefined;
  respond: Respond;
}

/** The detail of `ledgerline-approved` and `ledgerline-expired`. */
export interface EndedDetail {
  confirmationId: string;
}

export interface FailedDetail {
  confirmationId: string;
  /** The reason of the rejection; without one: offline, unreachable or problem. */
  reason: string;
  retryAfterSeconds: number | undefined;
  /** Whether the confirmation is of no more use. */
  isFinal: boolean;
  /** What the page answered with. */
  error: unknown;
  /** The `traceId` of that, if it has one. */
  traceId: string | undefined;
}
