/** Passes a text with a code to the gateways, and records the outcome. */
import type { Clock } from '../values/clock.ts';
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
import type { ObjectToChannel } from './object-to-channel.ts';
import { testGateway, type FindTestNumber } from './test-numbers.ts';

export interface DeliveryParts {
  /** Records the outcome, with its consequences for the code and the counters. */
  finishSend(finished: FinishedText): Promise<void>;
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
  /** Null unless it is a code of a confirmation. */
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
  /** The key of the phone, and the sources, that it was counted for. */
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
  location?: string | undefined;
}

/** A text that was passed to the gateways, and its outcome. */
export interface FinishedText {
  code: CountedCode;
  text: Pick<MessageText, 'locale' | 'segments'>;
  dispatch: Dispatch;
  answeredAt: Date;
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
    await finishSend({ code: text, text: text.written, dispatch: result, answeredAt: clock.now() });
    answer(text, result, isTest);
  }

  /** Records that a counted code was not passed to a gateway, so that it is given back. */
  async function abandon(
    code: CountedCode,
    locale: string | undefined,
    reason = 'the code cannot be sent again',
  ): Promise<void> {
    const dispatch = { ...noDispatch(code, 'unavailable', 'none'), reason };
    await finishSend({ code, text: { locale: locale ?? '', segments: 1 }, dispatch, answeredAt: clock.now() });
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
