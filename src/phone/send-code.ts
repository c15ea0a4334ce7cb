/** Sends a one-time code to a user's phone. */
import { secondsAfter, secondsLeft } from '../values/clock.ts';
import { nothingToResend, unknownUser } from '../errors.ts';
import type { PhoneCodeKind } from '../codes/code.ts';
import type { CodeMaker } from '../codes/code-maker.ts';
import type { CodeDelivery, CountedCode } from '../codes/deliver-code.ts';
import { sentCodeForm, type SendCaller, type SendOnce, type SentCode } from '../codes/idempotent-send.ts';
import type { GivenProof } from '../guard/challenge.ts';
import type { Channels } from '../codes/choose-channels.ts';
import type { CodeChannel } from '../sms/channels.ts';
import type { TextRoute } from '../sms/failover.ts';
import type { WriteMessage } from '../sms/message.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { NewCode, PhoneStore } from './phone.store.ts';
import { PhoneReplaced, type ReserveSend } from './reserve-send.ts';

export interface ResendRequest extends SendCaller {
  kind: PhoneCodeKind;
  /** The proof of the caller. */
  proof: GivenProof;
}

export interface SendRequest extends ResendRequest {
  phoneNumber: PhoneNumber;
  correlationType: number;
  /** The requested language of the message. */
  locale?: string | undefined;
  /** A change needs a confirmation: the one that was given, if any. */
  confirmation?: { id: string | undefined };
}

export interface SendRules {
  store: PhoneStore;
  once: SendOnce;
  delivery: CodeDelivery;
  write: WriteMessage;
  channels: Channels;
  codes: CodeMaker;
  reserveSend: ReserveSend;
  codeSeconds: number;
  /** The number of wrong attempts after which a code is no longer valid. */
  codeAttempts: number;
}

export type SendCode = ReturnType<typeof createSendCode>;

interface PreparedRequest extends SendRequest {
  /** Of a resend: how the last text was sent, and whether it may be lost. */
  resends?: { last: TextRoute | undefined; isDoubtful: boolean };
}

/** A code that was counted, and is to be sent. */
interface Prepared {
  code: string;
  counted: CountedCode;
}

export function createSendCode(rules: SendRules) {
  const { store, codes, delivery, codeSeconds } = rules;

  /** Returns undefined if the user has verified the phone already and nothing was sent. */
  async function send(request: PreparedRequest): Promise<SentCode | undefined> {
    const { kind, phoneNumber, origin, owner, resends } = request;
    const channels = rules.channels.choose({
      country: phoneNumber.country,
      wanted: request.channel,
      first: resends?.last?.channel,
    });
    const prepared = await prepare(request, channels, true);
    if (!prepared) return undefined;
    const { code, counted } = prepared;
    await delivery.deliver({
      code,
      purpose: kind,
      written: writeText(request, code, counted.validSeconds),
      avoid: resends?.isDoubtful ? resends.last : undefined,
      traceId: origin.traceId,
      owner,
      ...counted,
    });
    return { codeLength: code.length, expiresInSeconds: counted.validSeconds };
  }

  function writeText({ locale, phoneNumber, correlationType }: SendRequest, code: string, validSeconds: number) {
    return rules.write({ locale, country: phoneNumber.country, correlationType, code, validSeconds });
  }

  /**
   * Counts the send and stores its code as pending. A resend sends the user's latest code again as long as it is good;
   * so does any send if the outcome of that code is not known. A code that cannot be recovered, because its key no
   * longer exists, is replaced by a new one.
   */
  async function prepare(
    request: PreparedRequest,
    channels: readonly CodeChannel[],
    mayRepeat: boolean,
  ): Promise<Prepared | undefined> {
    const { kind, userId, phoneNumber, correlationType, origin, proof } = request;
    const codeOwner = { kind, userId, boundTo: phoneNumber.e164 };
    let code = '';
    const makeCode = (now: Date): NewCode => {
      const made = codes.make(codeOwner, phoneNumber.e164, now);
      code = made.code;
      return {
        expiresAt: secondsAfter(now, codeSeconds),
        attemptLimit: rules.codeAttempts,
        mayRepeat,
        isResend: request.resends !== undefined,
        ...made.stored,
      };
    };
    const { segments } = writeText(request, codes.sample, codeSeconds);
    const reserved = await rules.reserveSend({
      kind,
      userId,
      phoneNumber,
      channel: channels[0]!,
      correlationType,
      segments,
      origin,
      proof,
      confirmation: request.confirmation,
      makeCode,
    });
    if (!reserved) return undefined;
    const { repeated, requestedAt, expiresAt } = reserved;
    const counted: CountedCode = {
      kind,
      confirmationId: null,
      userId,
      phoneNumber,
      correlationType,
      channels,
      validSeconds: secondsLeft(requestedAt, expiresAt),
      ...reserved,
    };
    if (!repeated) return { code, counted };
    const recovered = codes.recover(repeated, codeOwner, phoneNumber.e164, requestedAt);
    if (recovered !== undefined) return { code: recovered, counted };
    await delivery.abandon(counted, request.locale);
    return prepare(request, channels, false);
  }

  async function sendCode(request: SendRequest): Promise<SentCode | undefined> {
    const { kind, phoneNumber, correlationType, locale = '', confirmation } = request;
    const name = kind === 'change' ? 'change' : 'send';
    const same = [name, phoneNumber.e164, correlationType, locale, confirmation?.id ?? ''];
    return rules.once({ same, ...request }, sentCodeForm, () => send(request));
  }

  /** Goes to the phone of the latest code that counts, over another gateway if the last text may have been lost. */
  async function resend(request: ResendRequest): Promise<SentCode | undefined> {
    const { kind, userId } = request;
    const last = await store.readLastSend(userId, kind);
    if (!last) throw unknownUser();
    if (kind === 'verification' && last.verified) return undefined;
    if (last.e164 === null) throw nothingToResend(kind === 'change' ? 'No change of number is pending.' : undefined);
    const { correlationType, locale, lastRoute, isDoubtful } = last;
    const phoneNumber = parsePhoneNumber(last.e164)!;
    try {
      return await send({ phoneNumber, correlationType, locale, resends: { last: lastRoute, isDoubtful }, ...request });
    } catch (error) {
      if (error instanceof PhoneReplaced) return resend(request);
      throw error;
    }
  }

  async function resendCode(request: ResendRequest): Promise<SentCode | undefined> {
    const same = [request.kind === 'change' ? 'resend change' : 'resend'];
    return rules.once({ same, ...request }, sentCodeForm, () => resend(request));
  }

  return {
    sendCode,
    resendCode,
    /** Whether a channel is allowed for the phone. */
    isAllowed: ({ country }: PhoneNumber, wanted: CodeChannel | undefined): boolean =>
      rules.channels.isAllowed({ country, wanted }),
  };
}
