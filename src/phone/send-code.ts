/** Sends a one-time code to a user's phone. */
import { secondsAfter, type Clock } from '../clock.ts';
import { notDispatched, nothingToResend, phoneUnsupported, unknownUser } from '../errors.ts';
import type { DigestKeys } from '../digest-keys.ts';
import type { Observe } from '../observe.ts';
import type { Dispatch, OutgoingMessage } from '../sms/failover.ts';
import type { WriteMessage } from '../sms/message.ts';
import { makeReference } from '../sms/reference.ts';
import { digestCode, makeCode } from './code.ts';
import type { Origin } from '../guard/source.ts';
import { maskPhone, parsePhoneNumber, type PhoneNumber } from './phone-number.ts';
import type { PhoneStore } from './phone.store.ts';
import type { GuardedSend, ReservedSend } from './reserve-send.ts';
import type { SendOnce, SentCode } from './send-once.ts';
import { testGateway, type FindTestNumber } from './test-numbers.ts';
import type { MessageRow, SentMessageStore } from './sent-message.store.ts';

export interface SendRequest {
  userId: number;
  phone: PhoneNumber;
  correlationType: number;
  /** The language wanted for the message. */
  locale?: string | undefined;
  origin: Origin;
  idempotencyKey?: string | undefined;
}

export interface SendRules {
  store: PhoneStore;
  sentMessages: SentMessageStore;
  once: SendOnce;
  /** Hands a message to the gateways. */
  dispatch(message: OutgoingMessage): Promise<Dispatch>;
  write: WriteMessage;
  testNumber: FindTestNumber;
  clock: Clock;
  observe: Observe;
  /** Undefined: the user is verified already. */
  reserveSend(send: GuardedSend): Promise<ReservedSend | undefined>;
  digestKeys: DigestKeys;
  referenceKeys: DigestKeys;
  codeDigits: number;
  codeSeconds: number;
}

export type SendCode = ReturnType<typeof createSendCode>;

export function createSendCode(rules: SendRules) {
  const { store, clock, observe, reserveSend } = rules;

  /** Undefined: the user is verified already, and nothing was sent. */
  async function send(request: SendRequest): Promise<SentCode | undefined> {
    const { userId, phone, correlationType, origin } = request;
    const reserved = await reserveSend({ userId, number: phone, correlationType, origin });
    return reserved && dispatch(request, reserved);
  }

  /** Outside any transaction: a gateway may take seconds. Until it accepts, the earlier code stays good. */
  async function dispatch(request: SendRequest, { number, now, counted }: ReservedSend): Promise<SentCode> {
    const { userId, correlationType } = request;
    const { key: phone, country } = request.phone;
    const test = rules.testNumber(phone, now);
    const code = test?.code ?? makeCode(rules.codeDigits);
    const written = rules.write({ locale: request.locale, country, correlationType, code });
    const { outcome, gateway, gatewayId, reason, tries, retryAfterSeconds } = test
      ? testDispatch()
      : await rules.dispatch({
          referenceOf: (tryNumber) => makeReference(rules.referenceKeys.current, { userId, number }, tryNumber),
          phone,
          country,
          text: written.text,
          code,
          validSeconds: rules.codeSeconds,
        });
    const expiresAt = secondsAfter(now, rules.codeSeconds);
    const message: MessageRow = {
      userId,
      number,
      phone: maskPhone(phone),
      country: country ?? '',
      correlationType,
      locale: written.locale,
      segments: written.segments,
      gateway,
      gatewayId: gatewayId ?? null,
      reason: reason ?? null,
      tries: tries.length > 1 || outcome !== 'accepted' ? JSON.stringify(tries) : null,
      requestedAt: now,
      answeredAt: clock.now(),
      expiresAt,
    };
    if (outcome === 'accepted') {
      const digest = digestCode(rules.digestKeys.current, { userId, number, phone }, code);
      await store.acceptCode({ userId, number, phone, digest, issuedAt: now, expiresAt }, message);
      if (test) observe({ kind: 'test-number-used', userId, phone: maskPhone(phone) });
      else observe({ kind: 'code-sent', userId, phone: maskPhone(phone), gateway });
      return { codeLength: code.length, expiresInSeconds: rules.codeSeconds };
    }
    observe({ kind: 'send-failed', userId, gateway, reason: reason ?? outcome });
    if (outcome === 'refused') {
      // It draws on the budget, so that nobody can try numbers out for free.
      await rules.sentMessages.recordRefused(message);
      throw phoneUnsupported();
    }
    await Promise.all([store.giveBackSend(userId, phone, now, counted), rules.sentMessages.recordRefused(message)]);
    throw notDispatched(retryAfterSeconds ?? 1);
  }

  async function sendCode(request: SendRequest): Promise<SentCode | undefined> {
    const { userId, phone, correlationType, locale = '', idempotencyKey } = request;
    if (idempotencyKey === undefined) return send(request);
    const same = ['send', phone.key, correlationType, locale].join('\n');
    return rules.once(userId, idempotencyKey, same, () => send(request));
  }

  /** A new code to the phone of the last send. */
  async function resend(userId: number, origin: Origin): Promise<SentCode | undefined> {
    const last = await store.readLastSend(userId);
    if (!last) throw unknownUser();
    if (last.verified) return undefined;
    if (last.phone === null) throw nothingToResend();
    const { phone, correlationType, locale } = last;
    return send({ userId, phone: parsePhoneNumber(phone)!, correlationType, locale, origin });
  }

  async function resendCode(userId: number, origin: Origin, idempotencyKey?: string): Promise<SentCode | undefined> {
    if (idempotencyKey === undefined) return resend(userId, origin);
    return rules.once(userId, idempotencyKey, 'resend', () => resend(userId, origin));
  }

  return { sendCode, resendCode };
}

function testDispatch(): Dispatch {
  return { outcome: 'accepted', gateway: testGateway, gatewayId: undefined, reason: undefined, tries: [] };
}
