/** A message that did not arrive, and the one that follows it. */
import type { CodeChannel } from '../sms/channels.ts';
import type { CodeKind } from './code.ts';

/** How a code is sent once more without being asked for: each way once for a code. */
export type SecondWay = 'gateway' | 'channel';

/** A message whose receipt says that it failed, or that has no receipt. */
export interface LostText {
  kind: CodeKind;
  /** Null unless it is a code of a confirmation. */
  confirmation: { confirmationId: string; purpose: string; sealedTerms: Buffer } | null;
  userId: number;
  codeNumber: number;
  gateway: string;
  channel: CodeChannel;
  /** ISO 3166, or empty. */
  country: string;
  correlationType: number;
  locale: string;
  hasFailed: boolean;
}

export interface ClaimedText {
  messageNumber: number;
  e164: string;
  expiresAt: Date;
  digest: Buffer;
  /** Null for a confirmation, which needs none. */
  seed: Buffer | null;
}
