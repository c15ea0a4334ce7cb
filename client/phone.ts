/** Phone verification, in its own file, so that a page that only verifies loads nothing else. */
import { get, post, remove, type CallOptions, type Calls } from './calls.ts';
import { LedgerlineError, textOf } from './errors.ts';
import { solveChallenge, type SolveChallenge } from './solve-challenge.ts';
import type { Call } from './transport.ts';
import type * as wire from './types.ts';

export interface PhoneOptions {
  /** Minimum number of seconds between two codes for one user. Default 30; 0 for none. */
  resendSeconds?: number;
  /** The clock of the resend delay, in milliseconds since 1970. Default: the machine's. */
  now?: () => number;
  /** Solves the service's challenges instead of the built-in solver; false to solve none. */
  solveChallenge?: SolveChallenge | false;
}

export interface SendOptions extends CallOptions {
  /** An attestation of your back end that it trusts this send, instead of the solution of a challenge. */
  attestation?: string;
  /**
   * Identifies the send: if it is repeated with the same key within a day, nothing is sent twice. Generated if not
   * given.
   */
  idempotencyKey?: string;
}

export interface ResendOptions extends SendOptions {
  /** How the code is sent this time. If absent, another gateway of the same channel comes first, then the next channel. */
  channel?: NonNullable<wire.ResendCodeRequest['channel']>;
}

/** What the service says about the code it sent; nothing is sent to a user who is verified already. */
export type SentCode =
  | { alreadyVerified: false; codeLength: number; expiresInSeconds: number }
  | { alreadyVerified: true; codeLength?: undefined; expiresInSeconds?: undefined };

const e164 = /^\+[1-9]\d{6,14}$/;

/** Whether the service accepts the format: `+`, country code and number, without spaces and punctuation. */
export function isE164(phoneNumber: string): boolean {
  return e164.test(phoneNumber);
}

function requireE164(phoneNumber: string): void {
  if (isE164(phoneNumber)) return;
  const message = 'The PhoneNumber field is not a valid phone number.';
  throw new LedgerlineError('invalid', message, {
    reason: 'invalid-request',
    problem: { errors: { PhoneNumber: [message] } },
  });
}

/** A send with a key may be repeated if there was no answer. */
function once(call: Call, { idempotencyKey = newIdempotencyKey(), attestation }: SendOptions = {}): Call {
  return { ...call, idempotencyKey, attestation, repeatable: true };
}

/** There is a second challenge if the send failed after the first one was solved, or if solving took too long. */
const solutionLimit = 2;

/** `randomUUID` is missing on pages without TLS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface LastSend {
  at: number;
  phoneNumber: string | undefined;
}

export type PhoneFunctions = ReturnType<typeof phoneFunctions>;

export function phoneFunctions({ transport, json, discardBody }: Calls, options: PhoneOptions = {}) {
  const { resendSeconds = 30, now = Date.now, solveChallenge: solve = solveChallenge } = options;
  const lastSends = new Map<number, LastSend>();

  /** Seconds until the app should offer another code. A phone number that got none yet need not wait. */
  function secondsUntilResend(userId: number, phoneNumber?: string): number {
    const sent = lastSends.get(userId);
    if (!sent || (phoneNumber !== undefined && phoneNumber !== sent.phoneNumber)) return 0;
    return Math.max(0, Math.ceil(resendSeconds - (now() - sent.at) / 1000));
  }

  /** The oldest come first, and those that nobody has to wait for are of no use. */
  function forgetOldSends(): void {
    for (const [userId, { at }] of lastSends) {
      if (now() - at < resendSeconds * 1000) return;
      lastSends.delete(userId);
    }
  }

  function noteSend(userId: number, sent: LastSend | undefined): void {
    lastSends.delete(userId);
    if (sent) lastSends.set(userId, sent);
  }

  /** If the service asks for a proof, the same call is made again with a proof. */
  async function sendWithProof(call: Call, solved = 0): Promise<Response> {
    try {
      return await transport(call);
    } catch (error) {
      const challenge = error instanceof LedgerlineError ? error.challenge : undefined;
      if (challenge === undefined || solve === false || solved === solutionLimit) throw error;
      const challengeSolution = await solve(challenge, call.signal);
      if (challengeSolution === undefined) throw error;
      return sendWithProof({ ...call, challengeSolution }, solved + 1);
    }
  }

  async function send(userId: number, call: Call, phoneNumber?: string): Promise<SentCode> {
    forgetOldSends();
    const seconds = secondsUntilResend(userId, phoneNumber);
    if (seconds > 0) {
      throw new LedgerlineError('too-many', `Another code can be requested in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    }
    const before = lastSends.get(userId);
    noteSend(userId, { at: now(), phoneNumber: phoneNumber ?? before?.phoneNumber });
    try {
      const response = await sendWithProof(call);
      await textOf(response, call.signal);
      const code = sentCode(response.headers);
      if (code.alreadyVerified) noteSend(userId, before);
      return code;
    } catch (error) {
      // The text may arrive, so the user should wait for it before another one is requested.
      if (error instanceof LedgerlineError && error.reason === 'send-outcome-unknown') throw error;
      // Either nothing was sent, so there is nothing to wait for. Or there was no answer: then the caller repeats the
      // call with the same key, and should not have to wait before that.
      noteSend(userId, before);
      throw error;
    }
  }

  return {
    secondsUntilResend,

    /** Checks the phone number and the resend delay before the call. */
    async sendCode(request: wire.SendCodeRequest, sendOptions?: SendOptions): Promise<SentCode> {
      requireE164(request.phoneNumber);
      const call = once(post('/User/phone-number/send-code', request, sendOptions), sendOptions);
      return send(request.id, call, request.phoneNumber);
    },

    resendCode: (userId: number, options?: ResendOptions): Promise<SentCode> =>
      send(userId, once(post(`/User/${userId}/phone-number/resend-code`, over(options), options), options)),

    verify: (request: wire.VerifyRequest, callOptions?: CallOptions): Promise<void> =>
      discardBody(post('/User/phone-number/verify', request, callOptions)),

    /**
     * Sends a code to another number of a verified user, whose number stays until `verifyChange`. `alreadyVerified` means
     * that the user has this number already. A user-bound token needs a `confirmationId`.
     */
    async changePhone(userId: number, request: wire.ChangePhoneRequest, sendOptions?: SendOptions): Promise<SentCode> {
      requireE164(request.phoneNumber);
      const call = once(post(`/User/${userId}/phone-number/change`, request, sendOptions), sendOptions);
      return send(userId, call, request.phoneNumber);
    },

    resendChange: (userId: number, options?: ResendOptions): Promise<SentCode> =>
      send(userId, once(post(`/User/${userId}/phone-number/change/resend-code`, over(options), options), options)),

    verifyChange: (userId: number, code: string, callOptions?: CallOptions): Promise<void> =>
      discardBody(post(`/User/${userId}/phone-number/change/verify`, { code }, callOptions)),

    giveUpChange: (userId: number, callOptions?: CallOptions): Promise<void> =>
      discardBody(remove(`/User/${userId}/phone-number/change`, callOptions)),

    userStatus: (userId: number, callOptions?: CallOptions): Promise<wire.UserStatus> =>
      json(get(`/User/${userId}/status`, callOptions)),
  };
}

/** The body of a resend. It needs none without a channel. */
function over(options?: ResendOptions): wire.ResendCodeRequest | undefined {
  return options?.channel && { channel: options.channel };
}

export function sentCode(headers: Headers): SentCode {
  const [codeLength, expiresInSeconds] = [headers.get('code-length'), headers.get('code-expires-in')];
  if (codeLength === null || expiresInSeconds === null) return { alreadyVerified: true };
  return { alreadyVerified: false, codeLength: Number(codeLength), expiresInSeconds: Number(expiresInSeconds) };
}
