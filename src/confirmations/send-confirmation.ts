/** Creates confirmations, and sends their codes. */
import { randomUUID } from 'node:crypto';
import { secondsAfter, secondsLeft } from '../values/clock.ts';
import { nothingToResend, phoneNotVerified, stillSending, unknownConfirmation, unknownUser } from '../errors.ts';
import type { CodeDelivery, CountedCode } from '../codes/deliver-code.ts';
import { sentCodeForm, type AnswerForm, type Draft, type SendOnce, type SentCode } from '../codes/idempotent-send.ts';
import type { Origin } from '../guard/source.ts';
import type { Channels } from '../codes/choose-channels.ts';
import { identityOf, type CodeChannel } from '../sms/channels.ts';
import type { TextRoute } from '../sms/failover.ts';
import type { WriteConfirmation } from '../sms/confirmation-text.ts';
import type { Owner } from '../sharing/slots.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { ConfirmationCodes, SealedTerms } from './confirmation-codes.ts';
import { confirmationPath } from './confirmation-path.ts';
import type { ConfirmationsStore } from './confirmations.store.ts';
import type { ReserveConfirmation, ReservedConfirmation } from './reserve-confirmation.ts';
import { isFreeText, termsText, type Terms } from './terms.ts';

interface Caller {
  userId: number;
  origin: Origin;
  /** The caller that waits for the answer. */
  owner: Owner;
  idempotencyKey: string | undefined;
  /** The only channel that the caller accepts. */
  channel: CodeChannel | undefined;
}

export interface CreateRequest extends Caller {
  purpose: string;
  terms: Terms;
  locale: string | undefined;
}

export interface ResendConfirmationRequest extends Caller {
  confirmationId: string;
}

export interface CreatedConfirmation extends SentCode {
  confirmationId: string;
}

export interface ConfirmationRules {
  store: ConfirmationsStore;
  reserve: ReserveConfirmation;
  codes: ConfirmationCodes;
  delivery: CodeDelivery;
  once: SendOnce;
  write: WriteConfirmation;
  channels: Channels;
  now(): Date;
  confirmationSeconds: number;
}

/** A confirmation whose code is sent, and its text. */
interface Outgoing extends SealedTerms {
  request: Caller;
  confirmationId: string;
  purpose: string;
  phoneNumber: PhoneNumber;
  channels: readonly CodeChannel[];
  /** The gateway that may have lost the last text. */
  avoid?: TextRoute | undefined;
  reserved: ReservedConfirmation;
  code: string;
  validSeconds: number;
  isNew: boolean;
}

/** A phone that changes hands during the call, or a confirmation that ends, is seen once. */
const mostTries = 3;

const createdForm: AnswerForm<CreatedConfirmation> = {
  status: 201,
  write: (created) => JSON.stringify(created),
  read: (stored) => JSON.parse(stored!) as CreatedConfirmation,
};

export type SendConfirmation = ReturnType<typeof createSendConfirmation>;

export function createSendConfirmation(rules: ConfirmationRules) {
  const { store, codes, delivery, confirmationSeconds } = rules;

  /** With the id of the draft. If that confirmation exists and is pending, its code is sent again. */
  async function send(request: CreateRequest, draft: Draft): Promise<CreatedConfirmation> {
    const { userId, purpose, terms, locale, origin, channel } = request;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const e164 = await store.readPhone(userId);
      if (e164 === undefined) throw unknownUser();
      if (e164 === null) throw phoneNotVerified();
      const bound = { userId, confirmationId: draft.text!, terms };
      let code = '';
      const makeDraft = (now: Date) => {
        const made = codes.make(bound, purpose, e164, now);
        ({ code } = made);
        return {
          purpose,
          ...made,
          sealedTerms: codes.seal(bound, locale),
          expiresAt: secondsAfter(now, confirmationSeconds),
        };
      };
      const phoneNumber = parsePhoneNumber(e164)!;
      const channels = rules.channels.choose({
        country: phoneNumber.country,
        wanted: channel,
        isFreeText: isFreeText(purpose, terms),
      });
      const { confirmationId } = bound;
      const reserved = await rules.reserve({
        userId,
        confirmationId,
        phoneNumber,
        channel: channels[0]!,
        segments: segmentsOf({ terms, locale }, purpose, phoneNumber),
        origin,
        makeDraft,
      });
      const { repeated, requestedAt } = reserved;
      if (reserved.decision === 'ended') draft.text = randomUUID();
      if (reserved.decision !== 'reserved') continue;
      const outgoing = { request, confirmationId, purpose, terms, locale, phoneNumber, channels, reserved };
      const found = repeated ? codes.recover(repeated.codeDigest, bound, purpose, e164, requestedAt) : code;
      if (found === undefined) {
        // Its key no longer exists: another confirmation takes its place.
        await abandon({ code, validSeconds: confirmationSeconds, isNew: false, ...outgoing });
        draft.text = randomUUID();
        continue;
      }
      await deliver({ code: found, validSeconds: confirmationSeconds, isNew: true, ...outgoing });
      return { confirmationId, codeLength: found.length, expiresInSeconds: confirmationSeconds };
    }
    throw stillSending();
  }

  async function create(request: CreateRequest): Promise<CreatedConfirmation> {
    const { userId, purpose, terms, locale = '', owner, idempotencyKey: key, channel } = request;
    const draft = randomUUID();
    if (key === undefined) return send(request, { text: draft });
    const same = ['confirmation', purpose, termsText(terms), locale, ...identityOf(channel)].join('\n');
    return rules.once({ userId, key, request: same, owner, draft }, createdForm, (taken) => send(request, taken));
  }

  async function resend(request: ResendConfirmationRequest): Promise<SentCode> {
    const { userId, confirmationId, origin } = request;
    const known = await store.readConfirmation({ userId, confirmationId }, rules.now());
    if (!known) throw (await store.isUser(userId)) ? unknownConfirmation() : unknownUser();
    for (let tries = 0; tries < mostTries; tries += 1) {
      const e164 = known.state === 'pending' ? await store.readPhone(userId) : null;
      // If the phone was unlinked, the confirmation is void.
      if (!e164) throw noLongerPending();
      const phoneNumber = parsePhoneNumber(e164)!;
      const { segments, ...route } = await chooseRoute(request, known.purpose, phoneNumber);
      const reserved = await rules.reserve({
        userId,
        confirmationId,
        phoneNumber,
        channel: route.channels[0]!,
        segments,
        origin,
      });
      if (reserved.decision === 'other-phone') continue;
      if (reserved.decision !== 'reserved') throw noLongerPending();
      return sendAgain(request, phoneNumber, route, reserved);
    }
    throw stillSending();
  }

  /** Over another gateway of the same channel first, unless the last text was delivered, then over the next channel. */
  async function chooseRoute(
    { userId, confirmationId, channel }: ResendConfirmationRequest,
    purpose: string,
    phoneNumber: PhoneNumber,
  ): Promise<Pick<Outgoing, 'channels' | 'avoid'> & { segments: number }> {
    const { sealedTerms, lastRoute, isDoubtful } = await store.readLastText({ userId, confirmationId });
    // Without the terms the confirmation is not sent again.
    const sealed = (sealedTerms && codes.unseal({ userId, confirmationId }, sealedTerms)) || noTerms;
    const channels = rules.channels.choose({
      country: phoneNumber.country,
      wanted: channel,
      first: lastRoute?.channel,
      isFreeText: isFreeText(purpose, sealed.terms),
    });
    return { channels, avoid: isDoubtful ? lastRoute : undefined, segments: segmentsOf(sealed, purpose, phoneNumber) };
  }

  /** Of the text, as far as it is known before it is counted. */
  function segmentsOf({ terms, locale }: SealedTerms, purpose: string, { country }: PhoneNumber): number {
    const code = codes.sample;
    return rules.write({ locale, country, code, validSeconds: confirmationSeconds, purpose, ...terms }).segments;
  }

  async function sendAgain(
    request: ResendConfirmationRequest,
    phoneNumber: PhoneNumber,
    route: Pick<Outgoing, 'channels' | 'avoid'>,
    reserved: ReservedConfirmation,
  ): Promise<SentCode> {
    const { userId, confirmationId } = request;
    const { requestedAt } = reserved;
    const { purpose, codeDigest, sealedTerms, expiresAt } = reserved.repeated!;
    const validSeconds = secondsLeft(requestedAt, expiresAt);
    const sealed = codes.unseal({ userId, confirmationId }, sealedTerms);
    const bound = sealed && { userId, confirmationId, terms: sealed.terms };
    const code = bound && codes.recover(codeDigest, bound, purpose, phoneNumber.e164, requestedAt);
    const outgoing = { request, confirmationId, purpose, phoneNumber, ...route, reserved, validSeconds, isNew: false };
    if (!sealed || code === undefined) {
      await abandon({ ...outgoing, ...noTerms, code: '' });
      throw noLongerPending();
    }
    await deliver({ ...outgoing, ...sealed, code });
    return { codeLength: code.length, expiresInSeconds: validSeconds };
  }

  async function resendCode(request: ResendConfirmationRequest): Promise<SentCode> {
    const { userId, confirmationId, owner, idempotencyKey: key } = request;
    if (key === undefined) return resend(request);
    const same = [`resend confirmation ${confirmationId}`, ...identityOf(request.channel)].join('\n');
    return (await rules.once({ userId, key, request: same, owner }, sentCodeForm, () => resend(request)))!;
  }

  async function deliver(outgoing: Outgoing): Promise<void> {
    const { request, confirmationId, purpose, phoneNumber, terms, locale, code, validSeconds, isNew } = outgoing;
    const { userId, origin, owner } = request;
    await delivery.deliver({
      code,
      purpose,
      written: rules.write({ locale, country: phoneNumber.country, code, validSeconds, purpose, ...terms }),
      avoid: outgoing.avoid,
      traceId: origin.traceId,
      owner,
      ...countedCode(outgoing),
      ...(isNew && { location: confirmationPath(userId, confirmationId) }),
    });
  }

  const abandon = (outgoing: Outgoing): Promise<void> =>
    delivery.abandon(countedCode(outgoing), outgoing.locale ?? '', 'the code cannot be sent again');

  return { create, resendCode };
}

function countedCode({
  request,
  confirmationId,
  phoneNumber,
  channels,
  reserved,
  validSeconds,
}: Outgoing): CountedCode {
  const { codeNumber, messageNumber, requestedAt } = reserved;
  return {
    kind: 'confirmation',
    confirmationId,
    userId: request.userId,
    phoneNumber,
    correlationType: 0,
    codeNumber,
    messageNumber,
    requestedAt,
    channels,
    validSeconds,
    // A confirmation is counted for its user only.
    phoneKey: null,
    counted: [],
  };
}

const noTerms: SealedTerms = {
  terms: { amount: undefined, currency: undefined, payee: undefined },
  locale: undefined,
};

const noLongerPending = () => nothingToResend('The confirmation is no longer pending.');
