/** Phone verification, in its own file, so that a page that only verifies loads nothing else. */
import { get, post, type CallOptions, type Calls } from './calls.ts';
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

/** What the service says about the code it sent. Both members are absent if the user is already verified. */
export interface SentCode {
  codeLength?: number;
  expiresInSeconds?: number;
}

const e164 = /^\+[1-9]\d{6,14}$/;

/** Whether the service accepts the format: `+`, country code and number, without spaces and punctuation. */
export function isE164(phoneNumber: string): boolean {
  return e164.test(phoneNumber);
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

export type PhoneFunctions = ReturnType<typeof phoneFunctions>;

export function phoneFunctions({ transport, json, discardBody }: Calls, options: PhoneOptions = {}) {
  const { resendSeconds = 30, now = Date.now, solveChallenge: solve = solveChallenge } = options;
  const lastSends = new Map<number, number>();

  /** Seconds until the app should offer another code. */
  function secondsUntilResend(userId: number): number {
    const sent = lastSends.get(userId);
    return sent === undefined ? 0 : Math.max(0, Math.ceil(resendSeconds - (now() - sent) / 1000));
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

  async function send(userId: number, call: Call): Promise<SentCode> {
    const seconds = secondsUntilResend(userId);
    if (seconds > 0) {
      throw new LedgerlineError('too-many', `Another code can be requested in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    }
    const before = lastSends.get(userId);
    lastSends.set(userId, now());
    try {
      const response = await sendWithProof(call);
      await textOf(response, call.signal);
      return sentCode(response.headers);
    } catch (error) {
      // The text may arrive, so the user should wait for it before another one is requested.
      if (error instanceof LedgerlineError && error.reason === 'send-outcome-unknown') throw error;
      // Either nothing was sent, so there is nothing to wait for. Or there was no answer: then the caller repeats the
      // call with the same key, and should not have to wait before that.
      if (before === undefined) lastSends.delete(userId);
      else lastSends.set(userId, before);
      throw error;
    }
  }

  return {
    secondsUntilResend,

    /** Checks the phone number and the resend delay before the call. */
    async sendCode(request: wire.SendCodeRequest, sendOptions?: SendOptions): Promise<SentCode> {
      if (!isE164(request.phoneNumber)) {
        const message = 'The PhoneNumber field is not a valid phone number.';
        throw new LedgerlineError('invalid', message, {
          reason: 'invalid-request',
          problem: { errors: { PhoneNumber: [message] } },
        });
      }
      return send(request.id, once(post('/User/phone-number/send-code', request, sendOptions), sendOptions));
    },

    resendCode: (userId: number, sendOptions?: SendOptions): Promise<SentCode> =>
      send(userId, once(post(`/User/${userId}/phone-number/resend-code`, undefined, sendOptions), sendOptions)),

    verify: (request: wire.VerifyRequest, callOptions?: CallOptions): Promise<void> =>
      discardBody(post('/User/phone-number/verify', request, callOptions)),

    userStatus: (userId: number, callOptions?: CallOptions): Promise<wire.UserStatus> =>
      json(get(`/User/${userId}/status`, callOptions)),
  };
}

function sentCode(headers: Headers): SentCode {
  const [codeLength, expiresInSeconds] = [headers.get('code-length'), headers.get('code-expires-in')];
  return {
    ...(codeLength !== null && { codeLength: Number(codeLength) }),
    ...(expiresInSeconds !== null && { expiresInSeconds: Number(expiresInSeconds) }),
  };
}
