/** Sends a one-time code to a user's phone. */
import { secondsAfter } from '../values/clock.ts';
import { nothingToResend, unknownUser } from '../errors.ts';
import type { CodeMaker } from '../codes/code-maker.ts';
import type { CodeDelivery, CountedCode } from '../codes/deliver-code.ts';
import type { SendOnce, SentCode } from '../codes/idempotent-send.ts';
import type { GivenProof } from '../guard/challenge.ts';
import type { Origin } from '../guard/source.ts';
import type { WriteMessage } from '../sms/message.ts';
import type { Owner } from '../sharing/slots.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { NewCode, PhoneStore } from './phone.store.ts';
import type { ReserveSend, ReservedSend } from './reserve-send.ts';

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
  phoneNumber: PhoneNumber;
  correlationType: number;
  /** The requested language of the message. */
  locale?: string | undefined;
}

export interface SendRules {
  store: PhoneStore;
  once: SendOnce;
  delivery: CodeDelivery;
  write: WriteMessage;
  codes: CodeMaker;
  reserveSend: ReserveSend;
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
  const { store, codes, delivery, codeSeconds } = rules;

  /** Returns undefined if the user is already verified and nothing was sent. */
  async function send(request: SendRequest): Promise<SentCode | undefined> {
    const prepared = await prepare(request, true);
    if (!prepared) return undefined;
    const { phoneNumber, correlationType, locale, origin, owner } = request;
    const { code } = prepared;
    await delivery.deliver({
      ...countedCode(request, prepared),
      code,
      purpose: 'verification',
      written: rules.write({ locale, country: phoneNumber.country, correlationType, code }),
      traceId: origin.traceId,
      owner,
    });
    return { codeLength: code.length, expiresInSeconds: codeSeconds };
  }

  /**
   * Counts the send and stores its code as pending. If the outcome of the user's latest code is not known, that code is
   * sent again. A code that cannot be recovered, because its key no longer exists, is replaced by a new one.
   */
  async function prepare(request: SendRequest, mayRepeat: boolean): Promise<Prepared | undefined> {
    const { userId, phoneNumber, correlationType, origin, proof } = request;
    const codeOwner = { kind: 'verification' as const, userId, boundTo: phoneNumber.e164 };
    let code = '';
    const makeCode = (now: Date): NewCode => {
      const made = codes.make(codeOwner, phoneNumber.e164, now);
      code = made.code;
      return {
        ...made.stored,
        expiresAt: secondsAfter(now, codeSeconds),
        attemptLimit: rules.codeAttempts,
        mayRepeat: mayRepeat && !made.isTest,
      };
    };
    const reserved = await rules.reserveSend({ userId, phoneNumber, correlationType, origin, proof, makeCode });
    if (!reserved?.repeated) return reserved && { ...reserved, code };
    const recovered = codes.recover(reserved.repeated, codeOwner);
    if (recovered !== undefined) return { ...reserved, code: recovered };
    await delivery.abandon(countedCode(request, reserved), request.locale ?? '', 'the code cannot be sent again');
    return prepare(request, false);
  }

  function countedCode(
    { userId, phoneNumber, correlationType }: SendRequest,
    { codeNumber, messageNumber, requestedAt, phoneKey, counted }: ReservedSend,
  ): CountedCode {
    return {
      kind: 'verification',
      confirmationId: null,
      userId,
      phoneNumber,
      correlationType,
      codeNumber,
      messageNumber,
      requestedAt,
      validSeconds: codeSeconds,
      phoneKey,
      counted,
    };
  }

  async function sendCode(request: SendRequest): Promise<SentCode | undefined> {
    const { userId, phoneNumber, correlationType, locale = '', owner, idempotencyKey: key } = request;
    if (key === undefined) return send(request);
    const same = ['send', phoneNumber.e164, correlationType, locale].join('\n');
    return rules.once({ userId, key, request: same, owner }, () => send(request));
  }

  /** A send to the phone of the last send. */
  async function resend({ userId, origin, owner, proof }: ResendRequest): Promise<SentCode | undefined> {
    const last = await store.readLastSend(userId);
    if (!last) throw unknownUser();
    if (last.verified) return undefined;
    if (last.e164 === null) throw nothingToResend();
    const { correlationType, locale } = last;
    const phoneNumber = parsePhoneNumber(last.e164)!;
    return send({ userId, phoneNumber, correlationType, locale, origin, owner, proof });
  }

  async function resendCode(request: ResendRequest): Promise<SentCode | undefined> {
    const { userId, owner, idempotencyKey: key } = request;
    if (key === undefined) return resend(request);
    return rules.once({ userId, key, request: 'resend', owner }, () => resend(request));
  }

  return { sendCode, resendCode };
}
