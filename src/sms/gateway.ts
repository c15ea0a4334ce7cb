/** The port to SMS gateways: what a gateway is given, and the four ways in which it can answer. */

/** One text for one gateway. */
export interface Message {
  /** Our name for this text. Receipts carry it back to us. It cannot be guessed, and no other text has it. */
  reference: string;
  /** In E.164. */
  phone: string;
  /** ISO 3166 code of the phone's country; undefined if the number is not valid. */
  country: string | undefined;
  text: string;
  /** The code inside the text, for gateways that show it. */
  code: string;
  /** The code expires after this time, so the gateway need not try longer. */
  validSeconds: number;
}

/**
 * - accepted: the gateway took the text.
 * - refused: the gateway will not send to this destination. Asking another gateway is no use, and the answer
 *   says nothing about the health of this one.
 * - unavailable: the gateway certainly did not send the text.
 * - unknown: the request was written, and no answer says what became of it. The text may arrive.
 */
export type Outcome = 'accepted' | 'refused' | 'unavailable' | 'unknown';

/** What a gateway said about one text. */
export type Answer =
  | { outcome: 'accepted'; /** The gateway's own id of the text. */ gatewayId: string | undefined }
  | { outcome: 'refused'; reason: string }
  | {
      outcome: 'unavailable';
      reason: string;
      /** The gateway asked us to wait this long before the next request. */
      retryAfterSeconds?: number;
      /** The gateway works, but does not take this message, or not now. The breaker does not count it as a failure. */
      isHealthy?: true;
    }
  | { outcome: 'unknown'; reason: string };

export interface Gateway {
  readonly name: string;
  /** Whether the same reference never sends a second text, so that an unknown outcome may be asked for again. */
  readonly idempotent?: boolean;
  /** Answers within the given time, and never throws. */
  send(message: Message, withinMilliseconds: number): Promise<Answer>;
  /** Asks the gateway something that needs our credentials and sends no text. Never throws. */
  check?(withinMilliseconds: number): Promise<CheckAnswer>;
  /** The receipts in a callback of the gateway; undefined if the callback is not authentic. */
  readReceipts?(callback: Callback): Receipt[] | undefined;
  close?(): Promise<void> | void;
}

/** Whether the gateway can be reached and accepts our credentials. */
export type CheckAnswer = { isUsable: true } | { isUsable: false; reason: string };

/** A request that claims to come from a gateway. */
export interface Callback {
  /** The whole URL, as the gateway was given it. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** What became of a text, as the gateway reports it. */
export interface Receipt {
  /** Our reference, if the gateway gives it in the callback and not in its URL. */
  reference?: string;
  /** The gateway's own id of the text. */
  id?: string;
  state: 'delivered' | 'failed';
  reason?: string;
}

const longestIdLength = 200;

export function accepted(gatewayId?: unknown): Answer {
  const hasId = typeof gatewayId === 'string' && gatewayId !== '';
  return { outcome: 'accepted', gatewayId: hasId ? gatewayId.slice(0, longestIdLength) : undefined };
}

export function refused(reason: unknown): Answer {
  return { outcome: 'refused', reason: brief(reason) };
}

export function unavailable(reason: unknown, retryAfterSeconds?: number): Answer {
  return {
    outcome: 'unavailable',
    reason: brief(reason),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** The gateway limits the rate. Without a time of its own, a second: most rate limits count by the second. */
export function throttled(reason: unknown, retryAfterSeconds = 1): Answer {
  return { outcome: 'unavailable', reason: brief(reason), retryAfterSeconds, isHealthy: true };
}

/**
 * The gateway does not send this message from this account, but another gateway may: the sender is not allowed in the
 * destination's country, for example. Callers choose the destination, so this must not count against the gateway.
 */
export function unable(reason: unknown): Answer {
  return { outcome: 'unavailable', reason: brief(reason), isHealthy: true };
}

export function unknown(reason: unknown): Answer {
  return { outcome: 'unknown', reason: brief(reason) };
}

/** Reasons go to logs and to the trail. A gateway may quote the phone number in them, so long digit runs are removed. */
export function brief(reason: unknown): string {
  return String(reason)
    .replaceAll(/\+?\d{6,}/g, '…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 120);
}
