/** The port to SMS gateways: what a gateway is given, and the four ways in which it can answer. */

import type { CodeChannel } from './channels.ts';
import type { DltIds } from './dlt.ts';

/** One text for one gateway. */
export interface Message {
  /** Our id of this text, which receipts contain. It cannot be guessed, and no other text has it. */
  reference: string;
  e164: string;
  /** ISO 3166 code of the phone's country; undefined if the number is not valid. */
  country: string | undefined;
  /** How it is sent: one of the gateway's channels. */
  channel: CodeChannel;
  text: string;
  /** The language of the text. */
  locale: string;
  /** The code inside the text, for the sandbox's inbox; null if the text has none. */
  code: string | null;
  /** What the text is for, for the sandbox's inbox: `verification`, or the purpose of a confirmation. */
  purpose: string;
  /** The code expires after this time, so the gateway need not try longer. */
  validSeconds: number;
  /** The ids under which the text is registered in the phone's country, if it is. */
  dlt?: DltIds | undefined;
}

/**
 * - accepted: the gateway accepted the text.
 * - refused: the gateway will not send to this destination. Asking another gateway does not help, and the answer
 *   says nothing about the health of this one.
 * - unavailable: the gateway certainly did not send the text.
 * - unknown: the request was written, and there is no clear answer. The text may arrive.
 */
export type GatewayOutcome = 'accepted' | 'refused' | 'unavailable' | 'unknown';

/** The answer of a gateway about one text. */
export type GatewayAnswer =
  | { outcome: 'accepted'; /** The gateway's own id of the text. */ gatewayId: string | undefined }
  | { outcome: 'refused'; reason: string }
  | {
      outcome: 'unavailable';
      reason: string;
      /** The gateway asked us to wait this long before the next request. */
      retryAfterSeconds?: number;
      /**
       * The gateway works, but does not accept this message, or not now. The breaker does not count it as a failure.
       */
      isHealthy?: true;
    }
  | { outcome: 'unknown'; reason: string };

export interface Gateway {
  readonly name: string;
  /**
   * Whether a second request with the same reference never sends a second text. If so, it may be sent again after an
   * unknown outcome.
   */
  readonly idempotent?: boolean;
  /** Answers within the given time, and never throws. */
  send(message: Message, withinMilliseconds: number): Promise<GatewayAnswer>;
  /** Asks the gateway something that needs our credentials and sends no text. Never throws. */
  check?(withinMilliseconds: number): Promise<CheckAnswer>;
  /** The receipts in a callback of the gateway; undefined if the callback is not authentic. */
  readReceipts?(callback: Callback): Receipt[] | undefined;
  /** The answer to a GET by which the gateway checks our URL for receipts; undefined if it is not for us. */
  readHandshake?(callback: Callback): string | undefined;
  close?(): Promise<void> | void;
}

/** Whether the gateway can be reached and accepts our credentials. */
export type CheckAnswer = { isUsable: true } | { isUsable: false; reason: string; cure?: string };

/** A request that claims to come from a gateway. */
export interface Callback {
  /** The whole URL, as it was given to the gateway. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The outcome of a text, as the gateway reports it. */
export interface Receipt {
  /** Our reference, if the gateway sends it in the callback and not in its URL. */
  reference?: string;
  /** The gateway's own id of the text. */
  id?: string;
  state: 'delivered' | 'failed';
  reason?: string;
}

const longestIdLength = 200;

export function accepted(gatewayId?: unknown): GatewayAnswer {
  return { outcome: 'accepted', gatewayId: gatewayIdOf(gatewayId) };
}

/** The gateway's id of a text, as it is stored, in the answer and in receipts. Undefined if there is none. */
export function gatewayIdOf(id: unknown): string | undefined {
  const text = typeof id === 'string' ? id.replaceAll(/\p{C}/gu, '') : '';
  return text === '' ? undefined : text.slice(0, longestIdLength).toWellFormed();
}

export function refused(reason: unknown): GatewayAnswer {
  return { outcome: 'refused', reason: brief(reason) };
}

export function unavailable(reason: unknown, retryAfterSeconds?: number): GatewayAnswer {
  return {
    outcome: 'unavailable',
    reason: brief(reason),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** The gateway limits the rate. The default is one second: most rate limits count by the second. */
export function throttled(reason: unknown, retryAfterSeconds = 1): GatewayAnswer {
  return { outcome: 'unavailable', reason: brief(reason), retryAfterSeconds, isHealthy: true };
}

/**
 * The gateway does not send this message from this account, but another gateway may: the sender is not allowed in the
 * destination's country, for example. Callers choose the destination, so this must not count against the gateway.
 */
export function unable(reason: unknown): GatewayAnswer {
  return { outcome: 'unavailable', reason: brief(reason), isHealthy: true };
}

export function unknown(reason: unknown): GatewayAnswer {
  return { outcome: 'unknown', reason: brief(reason) };
}

/**
 * Reasons go to logs, to the trail and to events. A gateway may quote the phone number in them, so long numbers are
 * removed; and characters that PostgreSQL does not store (U+0000, half of a character) or that a terminal obeys.
 */
export function brief(reason: unknown): string {
  return String(reason)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .replaceAll(/\+?\(?\d(?:[ ().\-/]{0,3}\d){6,}|\d{6,}/g, '…')
    .slice(0, 120)
    .toWellFormed();
}
