/** Sends a one-time code to a user's phone. */
import { secondsAfter } from '../clock.ts';
import { notDispatched, nothingToResend, unknownUser } from '../errors.ts';
import type { Observe } from '../observe.ts';
import type { Gateway } from '../sms/gateway.ts';
import { writeMessage } from '../sms/message.ts';
import { digestCode, makeCode } from './code.ts';
import type { Origin } from './guard-source.ts';
import { maskPhone, parsePhoneNumber, type PhoneNumber } from './number.ts';
import type { PhoneStore } from './phone.store.ts';
import type { GuardedSend, ReservedSend } from './reserve-send.ts';

export interface SendRequest {
  userId: number;
  phone: PhoneNumber;
  correlationType: number;
  origin: Origin;
}

export interface SendRules {
  store: PhoneStore;
  gateway: Gateway;
  observe: Observe;
  /** Undefined: the user is verified already. */
  reserveSend(send: GuardedSend): Promise<ReservedSend | undefined>;
  digestKey: Buffer;
  brand: string;
  codeDigits: number;
  codeSeconds: number;
}

export type SendCode = ReturnType<typeof createSendCode>;

export function createSendCode(rules: SendRules) {
  const { store, observe, reserveSend } = rules;

  async function sendCode({ userId, phone, correlationType, origin }: SendRequest): Promise<void> {
    const reserved = await reserveSend({ userId, number: phone, correlationType, origin });
    if (reserved) await dispatch(userId, phone.key, reserved);
  }

  /** Outside any transaction: a gateway may take seconds. Until it accepts, the earlier code stays good. */
  async function dispatch(userId: number, phone: string, { number, now, counted }: ReservedSend): Promise<void> {
    const code = makeCode(rules.codeDigits);
    const outcome = await rules.gateway.send({
      phone,
      text: writeMessage(rules.brand, code, rules.codeSeconds),
      code,
      validSeconds: rules.codeSeconds,
    });
    if (outcome.kind !== 'accepted') {
      await store.giveBackSend(userId, phone, now, counted);
      observe({ kind: 'send-failed', userId, gateway: outcome.gateway, reason: outcome.reason });
      throw notDispatched();
    }
    await store.acceptCode({
      userId,
      number,
      phone,
      digest: digestCode(rules.digestKey, { userId, number, phone }, code),
      issuedAt: now,
      expiresAt: secondsAfter(now, rules.codeSeconds),
    });
    observe({ kind: 'code-sent', userId, phone: maskPhone(phone), gateway: outcome.gateway });
  }

  /** A new code to the phone of the last send. */
  async function resendCode(userId: number, origin: Origin): Promise<void> {
    const last = await store.readLastSend(userId);
    if (!last) throw unknownUser();
    if (last.verified) return;
    if (last.phone === null) throw nothingToResend();
    await sendCode({ userId, phone: parsePhoneNumber(last.phone)!, correlationType: last.correlationType, origin });
  }

  return { sendCode, resendCode };
}
