/** Passes a text with a code to the gateways, and records the outcome. */
import { secondsAfter, type Clock } from '../values/clock.ts';
import { notDispatched, phoneUnsupported, sendOutcomeUnknown } from '../errors.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Source } from '../guard/source.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { Dispatch, OutgoingMessage, TextRoute } from '../sms/failover.ts';
import type { GatewayOutcome } from '../sms/gateway.ts';
import type { MessageText } from '../sms/message.ts';
import { makeReference } from '../sms/reference.ts';
import type { Owner } from '../sharing/slots.ts';
import { maskPhone, type PhoneNumber } from '../values/phone-number.ts';
import type { CodeKind } from './code.ts';
import type { FinishedMessage, FinishSend } from './finished-message.ts';
import type { ObjectToChannel } from './object-to-channel.ts';
import { testGateway, type FindTestNumber } from './test-numbers.ts';

export interface DeliveryParts {
  finishSend: FinishSend;
  /** Passes a message to the gateways. */
  dispatch(message: OutgoingMessage, owner: Owner): Promise<Dispatch>;
  /** Why a message may not be sent over a channel that the reservation did not count; undefined if it may. */
  objectToChannel: ObjectToChannel;
  testNumber: FindTestNumber;
  referenceKeys: DigestKeys;
  clock: Clock;
  observe: Observe;
}

/** A code that was counted and stored, and whose text is to be sent. */
export interface CountedCode {
  kind: CodeKind;
  confirmationId: string | null;
  userId: number;
  phoneNumber: PhoneNumber;
  correlationType: number;
  codeNumber: number;
  messageNumber: number;
  requestedAt: Date;
  /** How it may be sent, first to last. */
  channels: readonly CodeChannel[];
  validSeconds: number;
  phoneKey: Buffer | null;
  counted: readonly Source[];
}

export interface CodeText extends CountedCode {
  code: string;
  /** What the text is for, as the sandbox's inbox shows it. */
  purpose: string;
  written: MessageText;
  /** The gateway that is asked last over this channel, because it may have lost an earlier text. */
  avoid?: TextRoute | undefined;
  /** A gateway that is not asked at all. */
  except?: string | undefined;
  traceId: string;
  owner: Owner;
  /** The path of what is created with this text, if something is. */
  location?: string;
}

export type CodeDelivery = ReturnType<typeof createDelivery>;

export function createDelivery(parts: DeliveryParts) {
  const { finishSend, clock, observe } = parts;

  /** Outside any transaction, because a gateway may take seconds. Throws if no gateway accepted the text. */
  async function deliver(text: CodeText): Promise<void> {
    const isTest = parts.testNumber(text.phoneNumber.e164, text.requestedAt) !== undefined;
    const result = isTest
      ? noDispatch(text, 'accepted', testGateway)
      : await parts.dispatch(outgoing(text), text.owner);
    await finishSend(describe(text, text.written, result));
    answer(text, result, isTest);
  }

  /** Records that a counted code was not passed to a gateway, so that it is given back. */
  async function abandon(code: CountedCode, locale: string, reason: string): Promise<void> {
    await finishSend(describe(code, { locale, segments: 1 }, { ...noDispatch(code, 'unavailable', 'none'), reason }));
  }

  function outgoing({ userId, messageNumber, phoneNumber, code, purpose, ...text }: CodeText): OutgoingMessage {
    return {
      referenceOf: (tryNumber) =>
        makeReference(parts.referenceKeys.current, { userId, number: messageNumber }, tryNumber),
      e164: phoneNumber.e164,
      country: phoneNumber.country,
      channels: text.channels,
      text: text.written.text,
      locale: text.written.locale,
      code,
      purpose,
      validSeconds: text.validSeconds,
      avoid: text.avoid,
      except: text.except,
      admitChannel: async (channel) => {
        const { segments } = text.written;
        return (await parts.objectToChannel(text.kind, { phoneNumber, channel, segments })) === undefined;
      },
      dlt: text.written.dlt,
      traceId: text.traceId,
    };
  }

  function describe(
    { phoneNumber, validSeconds, ...code }: CountedCode,
    { locale, segments }: Pick<MessageText, 'locale' | 'segments'>,
    { outcome, gateway, channel, gatewayId, reason, tries }: Dispatch,
  ): FinishedMessage {
    const { e164, country } = phoneNumber;
    return {
      kind: code.kind,
      confirmationId: code.confirmationId,
      userId: code.userId,
      messageNumber: code.messageNumber,
      codeNumber: code.codeNumber,
      outcome,
      e164,
      maskedPhone: maskPhone(e164),
      country: country ?? '',
      correlationType: code.correlationType,
      locale,
      segments,
      gateway,
      channel,
      gatewayId: gatewayId ?? null,
      reason: reason ?? null,
      tries: tries.length > 1 || outcome !== 'accepted' ? JSON.stringify(tries) : null,
      requestedAt: code.requestedAt,
      answeredAt: clock.now(),
      expiresAt: secondsAfter(code.requestedAt, validSeconds),
      phoneKey: code.phoneKey,
      counted: code.counted,
    };
  }

  function answer(
    { kind, userId, phoneNumber, traceId, location }: CodeText,
    { outcome, gateway, reason = outcome, retryAfterSeconds = 1 }: Dispatch,
    isTest: boolean,
  ): void {
    if (outcome === 'accepted') {
      const sent = { userId, maskedPhone: maskPhone(phoneNumber.e164), traceId };
      return observe(
        isTest ? { kind: 'test-number-used', ...sent } : { kind: 'code-sent', for: kind, gateway, ...sent },
      );
    }
    if (outcome === 'unknown') {
      observe({ kind: 'send-outcome-unknown', for: kind, userId, gateway, reason, traceId });
      throw sendOutcomeUnknown(retryAfterSeconds, location);
    }
    observe({ kind: 'send-failed', for: kind, userId, gateway, reason, traceId });
    throw outcome === 'refused' ? phoneUnsupported() : notDispatched(retryAfterSeconds);
  }

  return { deliver, abandon };
}

/** The outcome of a text that is passed to no gateway. */
function noDispatch({ channels }: CountedCode, outcome: GatewayOutcome, gateway: string): Dispatch {
  return { outcome, gateway, channel: channels[0]!, gatewayId: undefined, reason: undefined, tries: [] };
}
