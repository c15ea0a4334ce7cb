/** Every operation of the service as a function. */
import { createCalls, get, post, remove, withQuery, type CallOptions } from './calls.ts';
import { LedgerlineError } from './errors.ts';
import { eventFunctions, webhookFunctions } from './events.ts';
import { operatorFunctions } from './operator.ts';
import { readStream } from './streams.ts';
import { transactionFunctions } from './transactions.ts';
import type { Call, TransportOptions } from './transport.ts';
import type * as wire from './types.ts';

export interface ClientOptions extends TransportOptions {
  /** Minimum number of seconds between two codes for one user. Default 30; 0 for none. */
  resendSeconds?: number;
  /** The clock of the resend delay, in milliseconds since 1970. Default: the machine's. */
  now?: () => number;
}

/** The state of an individual's transactions. */
export interface LiveState {
  /** Grows with every change. */
  sequence: number;
  transactionCount: number;
}

export interface SendOptions extends CallOptions {
  /** The same key means the same send: repeated within a day, nothing is sent twice. Generated if not given. */
  idempotencyKey?: string;
}

const e164 = /^\+[1-9]\d{6,14}$/;

/** Whether the service accepts the form: `+`, country code and number, without spaces and punctuation. */
export function isE164(phoneNumber: string): boolean {
  return e164.test(phoneNumber);
}

/** A send with a key may be repeated if no answer came. */
function once(call: Call, { idempotencyKey = newKey() }: SendOptions = {}): Call {
  return { ...call, idempotencyKey, repeatable: true };
}

/** `randomUUID` is missing on pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions = {}) {
  const { resendSeconds = 30, now = Date.now } = options;
  const calls = createCalls(options);
  const { json, nothing } = calls;
  const lastSends = new Map<number, number>();

  /** Seconds until the app should offer another code. */
  function secondsUntilResend(userId: number): number {
    const sent = lastSends.get(userId);
    return sent === undefined ? 0 : Math.max(0, Math.ceil(resendSeconds - (now() - sent) / 1000));
  }

  async function sending(userId: number, send: () => Promise<void>): Promise<void> {
    const seconds = secondsUntilResend(userId);
    if (seconds > 0) {
      throw new LedgerlineError('too-many', `Another code can be asked for in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    }
    const before = lastSends.get(userId);
    lastSends.set(userId, now());
    try {
      await send();
    } catch (error) {
      // The text may arrive, so the user should wait for it before another one is requested.
      if (error instanceof LedgerlineError && error.reason === 'send-outcome-unknown') throw error;
      // Nothing was sent, so there is nothing to wait for.
      if (before === undefined) lastSends.delete(userId);
      else lastSends.set(userId, before);
      throw error;
    }
  }

  return {
    secondsUntilResend,

    /** Checks the phone number and the resend delay before the call. */
    async sendCode(request: wire.SendCodeRequest, options?: SendOptions): Promise<void> {
      if (!isE164(request.phoneNumber)) {
        const message = 'The PhoneNumber field is not a valid phone number.';
        throw new LedgerlineError('invalid', message, {
          reason: 'invalid-request',
          problem: { errors: { PhoneNumber: [message] } },
        });
      }
      const call = once(post('/User/phone-number/send-code', request, options), options);
      await sending(request.id, () => nothing(call));
    },

    async resendCode(userId: number, options?: SendOptions): Promise<void> {
      const call = once(post(`/User/${userId}/phone-number/resend-code`, undefined, options), options);
      await sending(userId, () => nothing(call));
    },

    verify: (request: wire.VerifyRequest, options?: CallOptions): Promise<void> =>
      nothing(post('/User/phone-number/verify', request, options)),

    createUser: (request: wire.CreateUserRequest = {}, options?: CallOptions): Promise<wire.CreatedUser> =>
      json(post('/User', request, options)),

    userStatus: (userId: number, options?: CallOptions): Promise<wire.UserStatus> =>
      json(get(`/User/${userId}/status`, options)),

    /** Erases the user. Erasing one again is not an error. */
    eraseUser: (userId: number, options?: CallOptions): Promise<void> => nothing(remove(`/User/${userId}`, options)),

    /** Everything that is stored about the user. */
    readUserData: (userId: number, options?: CallOptions): Promise<wire.UserData> =>
      json(get(`/User/${userId}/data`, options)),

    unlinkPhone: (userId: number, options?: CallOptions): Promise<void> =>
      nothing(remove(`/User/${userId}/phone-number`, options)),

    events: eventFunctions(calls),
    webhooks: webhookFunctions(calls),

    ...transactionFunctions(calls),

    /** Whether the service is ready. */
    isReady: ({ signal }: CallOptions = {}): Promise<boolean> =>
      nothing({ method: 'GET', path: '/health/ready', open: true, signal }).then(
        () => true,
        () => false,
      ),

    /**
     * The state of an individual's transactions, at once and after every change; read the list then. Reconnects by itself,
     * and ends when the signal is aborted. A token that is bound to a user needs no id.
     */
    async *live(individualId?: number, options?: CallOptions): AsyncGenerator<LiveState, void> {
      const call = { ...get(withQuery('/app/live', { individualId }), options), accept: 'text/event-stream' };
      for await (const { data } of readStream(calls.transport, call)) yield JSON.parse(data) as LiveState;
    },

    /** For operators: scopes operator:read and operator:write. */
    operator: operatorFunctions(calls),

    /** Only in a sandbox. */
    sandbox: {
      messages: (phoneNumber?: string, options?: CallOptions): Promise<wire.SandboxMessage[]> =>
        json({ ...get(withQuery('/sandbox/messages', { phoneNumber }), options), open: true }),

      /** Moves the service's clock forward. 0 only reads it. */
      advanceClock: (advanceSeconds: number, options?: CallOptions): Promise<wire.SandboxClock> =>
        json({ ...post('/sandbox/clock', { advanceSeconds }, options), open: true }),

      resetClock: (options?: CallOptions): Promise<void> =>
        nothing({ ...remove('/sandbox/clock', options), open: true }),

      empty: (options?: CallOptions): Promise<void> => nothing({ ...remove('/sandbox/data', options), open: true }),
    },
  };
}
