/** Sends a one-time code to a user's phone. */
import { secondsAfter, type Clock } from '../values/clock.ts';
import { notDispatched, nothingToResend, phoneUnsupported, sendOutcomeUnknown, unknownUser } from '../errors.ts';
import type { DigestKeys } from '../crypto/digest-keys.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { GivenProof } from '../guard/challenge.ts';
import type { Origin } from '../guard/source.ts';
import type { Dispatch, OutgoingMessage } from '../sms/failover.ts';
import type { MessageText, WriteMessage } from '../sms/message.ts';
import { makeReference } from '../sms/reference.ts';
import type { Owner } from '../sharing/slots.ts';
import { maskPhone, parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import { deriveCode, digestCode, makeSeed, recoverCode } from './code.ts';
import type { FinishedMessage, NewCode, PhoneStore } from './phone.store.ts';
import type { ReserveSend, ReservedSend } from './reserve-send.ts';
import type { SendOnce, SentCode } from './idempotent-send.ts';
import { testGateway, type FindTestNumber } from './test-numbers.ts';

export interface ResendRequest {
  userId: number;
  origin: Origin;
  /** The caller that waits for the answer. */
  owner: Owner;
  /** The proof of the caller. */
  proof: GivenProof;
  idempotencyKey?: string | undefined;
}

export interface SendRequest extends ResendRequest {
  phone: PhoneNumber;
  correlationType: number;
  /** The requested language of the message. */
  locale?: string | undefined;
}

export interface SendRules {
  store: PhoneStore;
  once: SendOnce;
  /** Passes a message to the gateways. */
  dispatch(message: OutgoingMessage, owner: Owner): Promise<Dispatch>;
  write: WriteMessage;
  testNumber: FindTestNumber;
  clock: Clock;
  observe: Observe;
  reserveSend: ReserveSend;
  digestKeys: DigestKeys;
  referenceKeys: DigestKeys;
  codeDigits: number;
  codeSeconds: number;
  /** The number of wrong attempts after which a code is no longer valid. */
  codeAttempts: number;
}

export type SendCode = ReturnType<typeof createSendCode>;

/** A send that was counted, and the code in its message. */
interface Prepared extends ReservedSend {
  code: string;
}

export function createSendCode(rules: SendRules) {
  const { store, clock, observe } = rules;

  /** Returns undefined if the user is already verified and nothing was sent. */
  async function send(request: SendRequest): Promise<SentCode | undefined> {
    const prepared = await prepare(request, true);
    if (!prepared) return undefined;
    const dispatched = await dispatch(request, prepared);
    await store.finishSend(dispatched.message);
    return answer(dispatched, request.origin);
  }

  /**
   * Counts the send and stores its code as pending. If the outcome of the user's latest code is not known, that code is
   * sent again. A code that cannot be recovered, because its key no longer exists, is replaced by a new one.
   */
  async function prepare(request: SendRequest, mayRepeat: boolean): Promise<Prepared | undefined> {
    const { userId, phone, correlationType, origin, proof } = request;
    let code = '';
    const makeCode = (now: Date): NewCode => {
      const made = createCode(userId, phone.e164, now, mayRepeat);
      code = made.code;
      return made.stored;
    };
    const reserved = await rules.reserveSend({ userId, phoneNumber: phone, correlationType, origin, proof, makeCode });
    if (!reserved?.repeated) return reserved && { ...reserved, code };
    const codeOwner = { userId, phone: phone.e164 };
    const recovered = recoverCode(rules.digestKeys, reserved.repeated, codeOwner, rules.codeDigits);
    if (recovered !== undefined) return { ...reserved, code: recovered };
    await store.finishSend(abandoned(request, reserved));
    return prepare(request, false);
  }

  function createCode(userId: number, phone: string, now: Date, mayRepeat: boolean): { code: string; stored: NewCode } {
    const codeOwner = { userId, phone, seed: makeSeed() };
    const test = rules.testNumber(phone, now);
    const code = test?.code ?? deriveCode(rules.digestKeys.current, codeOwner, rules.codeDigits);
    return {
      code,
      stored: {
        seed: codeOwner.seed,
        digest: digestCode(rules.digestKeys.current, codeOwner, code),
        expiresAt: secondsAfter(now, rules.codeSeconds),
        attemptLimit: rules.codeAttempts,
        mayRepeat: mayRepeat && !test,
      },
    };
  }

  /** Outside any transaction: a gateway may take seconds. */
  async function dispatch(request: SendRequest, prepared: Prepared): Promise<Dispatched> {
    const { userId, correlationType, locale } = request;
    const { e164: phone, country } = request.phone;
    const { messageNumber, code, requestedAt } = prepared;
    const written = rules.write({ locale, country, correlationType, code });
    const isTest = rules.testNumber(phone, requestedAt) !== undefined;
    const result = isTest
      ? testDispatch
      : await rules.dispatch(
          {
            referenceOf: (tryNumber) =>
              makeReference(rules.referenceKeys.current, { userId, number: messageNumber }, tryNumber),
            phone,
            country,
            text: written.text,
            code,
            validSeconds: rules.codeSeconds,
            dlt: written.dlt,
            traceId: request.origin.traceId,
          },
          request.owner,
        );
    return { ...result, isTest, code, message: describe(request, prepared, written, result) };
  }

  function describe(
    request: SendRequest,
    { codeNumber, messageNumber, requestedAt, phoneKey, counted }: ReservedSend,
    written: Pick<MessageText, 'locale' | 'segments'>,
    { outcome, gateway, gatewayId, reason, tries }: Dispatch,
  ): FinishedMessage {
    const { userId, phone, correlationType } = request;
    return {
      userId,
      messageNumber,
      codeNumber,
      outcome,
      phone: phone.e164,
      phoneKey,
      maskedPhone: maskPhone(phone.e164),
      country: phone.country ?? '',
      correlationType,
      locale: written.locale,
      segments: written.segments,
      gateway,
      gatewayId: gatewayId ?? null,
      reason: reason ?? null,
      tries: tries.length > 1 || outcome !== 'accepted' ? JSON.stringify(tries) : null,
      requestedAt,
      answeredAt: clock.now(),
      expiresAt: secondsAfter(requestedAt, rules.codeSeconds),
      counted,
    };
  }

  /** A message that was counted but not passed to a gateway. */
  function abandoned(request: SendRequest, reserved: ReservedSend): FinishedMessage {
    const written = { locale: request.locale ?? '', segments: 1 };
    return describe(request, reserved, written, { ...noDispatch, reason: 'the code cannot be sent again' });
  }

  function answer(dispatched: Dispatched, { traceId }: Origin): SentCode {
    const { outcome, gateway, reason, retryAfterSeconds = 1, message, isTest, code } = dispatched;
    const { userId, maskedPhone: phone } = message;
    if (outcome === 'accepted') {
      const sent = { userId, phone, traceId };
      observe(isTest ? { kind: 'test-number-used', ...sent } : { kind: 'code-sent', gateway, ...sent });
      return { codeLength: code.length, expiresInSeconds: rules.codeSeconds };
    }
    if (outcome === 'unknown') {
      observe({ kind: 'send-outcome-unknown', userId, gateway, reason: reason ?? outcome, traceId });
      throw sendOutcomeUnknown(retryAfterSeconds);
    }
    observe({ kind: 'send-failed', userId, gateway, reason: reason ?? outcome, traceId });
    throw outcome === 'refused' ? phoneUnsupported() : notDispatched(retryAfterSeconds);
  }

  async function sendCode(request: SendRequest): Promise<SentCode | undefined> {
    const { userId, phone, correlationType, locale = '', owner, idempotencyKey: key } = request;
    if (key === undefined) return send(request);
    const same = ['send', phone.e164, correlationType, locale].join('\n');
    return rules.once({ userId, key, request: same, owner }, () => send(request));
  }

  /** A send to the phone of the last send. */
  async function resend({ userId, origin, owner, proof }: ResendRequest): Promise<SentCode | undefined> {
    const last = await store.readLastSend(userId);
    if (!last) throw unknownUser();
    if (last.verified) return undefined;
    if (last.phone === null) throw nothingToResend();
    const { phone, correlationType, locale } = last;
    return send({ userId, phone: parsePhoneNumber(phone)!, correlationType, locale, origin, owner, proof });
  }

  async function resendCode(request: ResendRequest): Promise<SentCode | undefined> {
    const { userId, owner, idempotencyKey: key } = request;
    if (key === undefined) return resend(request);
    return rules.once({ userId, key, request: 'resend', owner }, () => resend(request));
  }

  return { sendCode, resendCode };
}

interface Dispatched extends Dispatch {
  isTest: boolean;
  code: string;
  message: FinishedMessage;
}

const testDispatch: Dispatch = {
  outcome: 'accepted',
  gateway: testGateway,
  gatewayId: undefined,
  reason: undefined,
  tries: [],
};

const noDispatch: Dispatch = { ...testDispatch, outcome: 'unavailable', gateway: 'none' };
