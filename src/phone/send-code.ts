/** Sends a one-time code to a user's phone. */
import { secondsAfter, type Clock } from '../clock.ts';
import { notDispatched, nothingToResend, phoneTaken, tooManySends, unknownUser } from '../errors.ts';
import type { Observe } from '../observe.ts';
import type { Gateway } from '../sms/gateway.ts';
import { writeMessage } from '../sms/message.ts';
import { digestCode, makeCode } from './code.ts';
import { secondsUntilFits } from './limits.ts';
import { maskPhone } from './number.ts';
import type { PhoneStore, SendLimits } from './phone.store.ts';

export interface SendRequest {
  userId: number;
  /** The phone's key. */
  phone: string;
  correlationType: number;
}

export interface SendRules {
  store: PhoneStore;
  gateway: Gateway;
  clock: Clock;
  observe: Observe;
  limits: SendLimits;
  digestKey: Buffer;
  brand: string;
  codeDigits: number;
  codeSeconds: number;
}

export type SendCode = ReturnType<typeof createSendCode>;

export function createSendCode(rules: SendRules) {
  const { store, clock, observe, limits } = rules;

  async function sendCode(request: SendRequest): Promise<void> {
    const { userId, phone, correlationType } = request;
    const now = clock.now();
    const reserved = await store.reserveSend(userId, phone, correlationType, now, limits);
    if (!reserved) throw unknownUser();
    if (reserved.verified) return;
    if (reserved.issued === null) return refuse(request, now);
    if (reserved.other) {
      observe({ kind: 'send-refused', userId, reason: 'phone-taken' });
      throw phoneTaken();
    }
    if (limits.phone.length > 0 && !reserved.phoneCounted) {
      // The phone's first sends raced, and this one lost.
      await store.giveBackSend(userId, undefined, now);
      return refuse(request, now);
    }
    await dispatch(request, reserved.issued, now);
  }

  async function refuse({ userId, phone }: SendRequest, now: Date): Promise<void> {
    const { verified, userTimes, phoneTimes } = await store.readSendState(userId, phone, limits);
    if (verified) return;
    observe({ kind: 'send-refused', userId, reason: 'budget' });
    const wait = Math.max(
      secondsUntilFits(now, limits.user, userTimes),
      secondsUntilFits(now, limits.phone, phoneTimes),
    );
    throw tooManySends(wait);
  }

  /** Outside any transaction: a gateway may take seconds. Until it accepts, the earlier code stays good. */
  async function dispatch({ userId, phone }: SendRequest, number: number, now: Date): Promise<void> {
    const code = makeCode(rules.codeDigits);
    const outcome = await rules.gateway.send({
      phone,
      text: writeMessage(rules.brand, code, rules.codeSeconds),
      code,
      validSeconds: rules.codeSeconds,
    });
    if (outcome.kind !== 'accepted') {
      await store.giveBackSend(userId, phone, now);
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
  async function resendCode(userId: number): Promise<void> {
    const last = await store.readLastSend(userId);
    if (!last) throw unknownUser();
    if (last.verified) return;
    if (last.phone === null) throw nothingToResend();
    await sendCode({ userId, phone: last.phone, correlationType: last.correlationType });
  }

  return { sendCode, resendCode };
}
