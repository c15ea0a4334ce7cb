/** Sends a one-time code to a user's phone. */
import { secondsAfter, secondsLeft } from '../values/clock.ts';
import { nothingToResend, unknownUser } from '../errors.ts';
import type { PhoneCodeKind } from '../codes/code.ts';
import type { CodeMaker } from '../codes/code-maker.ts';
import type { CodeDelivery, CountedCode } from '../codes/deliver-code.ts';
import { sentCodeForm, type SendOnce, type SentCode } from '../codes/idempotent-send.ts';
import type { GivenProof } from '../guard/challenge.ts';
import type { Origin } from '../guard/source.ts';
import type { Channels } from '../codes/choose-channels.ts';
import { identityOf, type CodeChannel } from '../sms/channels.ts';
import type { TextRoute } from '../sms/failover.ts';
import type { WriteMessage } from '../sms/message.ts';
import type { Owner } from '../sharing/slots.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { NewCode, PhoneStore } from './phone.store.ts';
import { PhoneReplaced, type ReserveSend, type ReservedSend } from './reserve-send.ts';

export interface ResendRequest {
  kind: PhoneCodeKind;
  userId: number;
  origin: Origin;
  /** The caller that waits for the answer. */
  owner: Owner;
  /** The proof of the caller. */
  proof: GivenProof;
  idempotencyKey?: string | undefined;
  /** The only channel that the caller accepts. */
  channel?: CodeChannel | undefined;
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

/** A send that was counted, and the code in its message. */
interface Prepared extends ReservedSend {
  code: string;
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
    const { code } = prepared;
    const counted = countedCode(request, prepared, channels);
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
    if (!reserved?.repeated) return reserved && { code, ...reserved };
    const recovered = codes.recover(reserved.repeated, codeOwner, phoneNumber.e164, reserved.requestedAt);
    if (recovered !== undefined) return { code: recovered, ...reserved };
    await delivery.abandon(
      countedCode(request, reserved, channels),
      request.locale ?? '',
      'the code cannot be sent again',
    );
    return prepare(request, channels, false);
  }

  function countedCode(
    { kind, userId, phoneNumber, correlationType }: SendRequest,
    { codeNumber, messageNumber, requestedAt, expiresAt, phoneKey, counted }: ReservedSend,
    channels: readonly CodeChannel[],
  ): CountedCode {
    return {
      kind,
      confirmationId: null,
      userId,
      phoneNumber,
      correlationType,
      codeNumber,
      messageNumber,
      requestedAt,
      channels,
      validSeconds: secondsLeft(requestedAt, expiresAt),
      phoneKey,
      counted,
    };
  }

  async function sendCode(request: SendRequest): Promise<SentCode | undefined> {
    const { kind, userId, phoneNumber, correlationType, locale = '', channel, owner, idempotencyKey: key } = request;
    if (key === undefined) return send(request);
    const name = kind === 'change' ? 'change' : 'send';
    const same = [
      name,
      phoneNumber.e164,
      correlationType,
      locale,
      request.confirmation?.id ?? '',
      ...identityOf(channel),
    ];
    return rules.once({ userId, key, request: same.join('\n'), owner }, sentCodeForm, () => send(request));
  }

  /** Goes to the phone of the latest code that counts, over another gateway if the last text may have been lost. */
  async function resend(request: ResendRequest): Promise<SentCode | undefined> {
    const { kind, userId, origin, owner, proof, channel } = request;
    const last = await store.readLastSend(userId, kind);
    if (!last) throw unknownUser();
    if (kind === 'verification' && last.verified) return undefined;
    if (last.e164 === null) throw nothingToResend(kind === 'change' ? 'No change of number is pending.' : undefined);
    const { correlationType, locale, lastRoute, isDoubtful } = last;
    const phoneNumber = parsePhoneNumber(last.e164)!;
    try {
      return await send({
        kind,
        userId,
        phoneNumber,
        correlationType,
        locale,
        origin,
        owner,
        proof,
        channel,
        resends: { last: lastRoute, isDoubtful },
      });
    } catch (error) {
      if (error instanceof PhoneReplaced) return resend(request);
      throw error;
    }
  }

  async function resendCode(request: ResendRequest): Promise<SentCode | undefined> {
    const { kind, userId, owner, idempotencyKey: key } = request;
    if (key === undefined) return resend(request);
    const same = [kind === 'change' ? 'resend change' : 'resend', ...identityOf(request.channel)].join('\n');
    return rules.once({ userId, key, request: same, owner }, sentCodeForm, () => resend(request));
  }

  return {
    sendCode,
    resendCode,
    /** Whether a channel is allowed for the phone. */
    isAllowed: ({ country }: PhoneNumber, wanted: CodeChannel | undefined): boolean =>
      rules.channels.isAllowed({ country, wanted }),
  };
}
