/** Creates confirmations, and sends their codes. */
import { randomUUID } from 'node:crypto';
import { secondsAfter, secondsLeft } from '../values/clock.ts';
import { nothingToResend, phoneNotVerified, stillSending, unknownUser } from '../errors.ts';
import type { CodeDelivery, CodeText, CountedCode } from '../codes/deliver-code.ts';
import {
  sentCodeForm,
  type AnswerForm,
  type Draft,
  type SendCaller,
  type SendOnce,
  type SentCode,
} from '../codes/idempotent-send.ts';
import type { Channels } from '../codes/choose-channels.ts';
import type { TextRoute } from '../sms/failover.ts';
import type { WriteConfirmation } from '../sms/confirmation-text.ts';
import { parsePhoneNumber, type PhoneNumber } from '../values/phone-number.ts';
import type { ConfirmationCodes, SealedTerms } from './confirmation-codes.ts';
import { confirmationPath } from './confirmation-path.ts';
import type { ConfirmationsStore } from './confirmations.store.ts';
import type { ReadConfirmation } from './read-confirmation.ts';
import type { ReserveConfirmation, ReservedConfirmation } from './reserve-confirmation.ts';
import { isFreeText, termsText, type Terms } from './terms.ts';

export interface CreateRequest extends SendCaller {
  purpose: string;
  terms: Terms;
  locale: string | undefined;
}

export interface ResendConfirmationRequest extends SendCaller {
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
  read: ReadConfirmation['read'];
  confirmationSeconds: number;
}

type Route = Pick<CodeText, 'channels' | 'avoid'>;

/** What the text of a confirmation is written from, and how it is sent. */
interface Text extends SealedTerms {
  purpose: string;
  code: string;
  /** The gateway that may have lost the last text. */
  avoid?: TextRoute | undefined;
  /** The path of the confirmation, if it is created with this text. */
  location?: string | undefined;
}

/** A phone that changes hands during the call, or a confirmation that ends, is seen once. */
const tryLimit = 3;

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
    for (let tries = 0; tries < tryLimit; tries += 1) {
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
      if (reserved.decision === 'ended') draft.text = randomUUID();
      if (reserved.decision !== 'reserved') continue;
      const counted = countedCode(reserved, {
        userId,
        confirmationId,
        phoneNumber,
        channels,
        validSeconds: confirmationSeconds,
      });
      const { repeated, requestedAt } = reserved;
      const found = repeated ? codes.recover(repeated.codeDigest, bound, purpose, e164, requestedAt) : code;
      if (found === undefined) {
        // Its key no longer exists: another confirmation takes its place.
        await delivery.abandon(counted, locale);
        draft.text = randomUUID();
        continue;
      }
      const location = confirmationPath(userId, confirmationId);
      await deliver(request, counted, { purpose, terms, locale, code: found, location });
      return { confirmationId, codeLength: found.length, expiresInSeconds: confirmationSeconds };
    }
    throw stillSending();
  }

  async function create(request: CreateRequest): Promise<CreatedConfirmation> {
    const { purpose, terms, locale = '' } = request;
    const same = ['confirmation', purpose, termsText(terms), locale];
    return rules.once({ same, draft: randomUUID(), ...request }, createdForm, (draft) => send(request, draft));
  }

  async function resend(request: ResendConfirmationRequest): Promise<SentCode> {
    const { userId, confirmationId, origin } = request;
    const known = await rules.read(userId, confirmationId);
    for (let tries = 0; tries < tryLimit; tries += 1) {
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
  ): Promise<Route & { segments: number }> {
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
    const text = { locale, country, code: codes.sample, validSeconds: confirmationSeconds, purpose, ...terms };
    return rules.write(text).segments;
  }

  async function sendAgain(
    request: ResendConfirmationRequest,
    phoneNumber: PhoneNumber,
    { channels, avoid }: Route,
    reserved: ReservedConfirmation,
  ): Promise<SentCode> {
    const { userId, confirmationId } = request;
    const { requestedAt } = reserved;
    const { purpose, codeDigest, sealedTerms, expiresAt } = reserved.repeated!;
    const validSeconds = secondsLeft(requestedAt, expiresAt);
    const counted = countedCode(reserved, { userId, confirmationId, phoneNumber, channels, validSeconds });
    const sealed = codes.unseal({ userId, confirmationId }, sealedTerms);
    const bound = sealed && { userId, confirmationId, terms: sealed.terms };
    const code = bound && codes.recover(codeDigest, bound, purpose, phoneNumber.e164, requestedAt);
    if (!sealed || code === undefined) {
      await delivery.abandon(counted, undefined);
      throw noLongerPending();
    }
    await deliver(request, counted, { purpose, code, avoid, ...sealed });
    return { codeLength: code.length, expiresInSeconds: validSeconds };
  }

  async function resendCode(request: ResendConfirmationRequest): Promise<SentCode> {
    const same = [`resend confirmation ${request.confirmationId}`];
    return (await rules.once({ same, ...request }, sentCodeForm, () => resend(request)))!;
  }

  async function deliver({ origin, owner }: SendCaller, counted: CountedCode, text: Text): Promise<void> {
    const { purpose, terms, locale, code, avoid, location } = text;
    const { phoneNumber, validSeconds } = counted;
    await delivery.deliver({
      code,
      purpose,
      written: rules.write({ locale, country: phoneNumber.country, code, validSeconds, purpose, ...terms }),
      avoid,
      traceId: origin.traceId,
      owner,
      location,
      ...counted,
    });
  }

  return { create, resendCode };
}

/** A confirmation is counted for its user only. */
function countedCode(
  reserved: ReservedConfirmation,
  about: Pick<CountedCode, 'userId' | 'confirmationId' | 'phoneNumber' | 'channels' | 'validSeconds'>,
): CountedCode {
  const { codeNumber, messageNumber, requestedAt } = reserved;
  const reservedCode = { codeNumber, messageNumber, requestedAt };
  return { kind: 'confirmation', correlationType: 0, phoneKey: null, counted: [], ...reservedCode, ...about };
}

const noTerms: SealedTerms = {
  terms: { amount: undefined, currency: undefined, payee: undefined },
  locale: undefined,
};

const noLongerPending = () => nothingToResend('The confirmation is no longer pending.');
