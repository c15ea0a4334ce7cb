/** A text with a code that was passed to the gateways, and its outcome. */
import type { CodeChannel } from '../sms/channels.ts';
import type { GatewayOutcome } from '../sms/gateway.ts';
import type { Source } from '../guard/source.ts';
import type { CodeKind } from './code.ts';

export interface FinishedMessage {
  kind: CodeKind;
  /** Null unless it is a code of a confirmation. */
  confirmationId: string | null;
  userId: number;
  messageNumber: number;
  codeNumber: number;
  outcome: GatewayOutcome;
  e164: string;
  maskedPhone: string;
  /** ISO 3166, or empty. */
  country: string;
  correlationType: number;
  locale: string;
  segments: number;
  gateway: string;
  channel: CodeChannel;
  gatewayId: string | null;
  reason: string | null;
  /** The tries at each gateway as JSON, or null. */
  tries: string | null;
  requestedAt: Date;
  answeredAt: Date;
  expiresAt: Date;
  /** The key of the phone, and the sources, that the send was counted for. */
  phoneKey: Buffer | null;
  counted: readonly Source[];
}

/** Records the outcome, with its consequences for the code and the counters. */
export type FinishSend = (message: FinishedMessage) => Promise<void>;
