/**
 * WhatsApp Cloud API: POST /{version}/{phone number id}/messages, with an authentication template whose body and button
 * contain the code. https://developers.facebook.com/docs/whatsapp/cloud-api
 */
import { createHmac } from 'node:crypto';
import { requiredSetting, setting, word } from '../../formats/setting-kinds.ts';
import { sameText } from '../../crypto/constant-time.ts';
import { defineGateway } from '../define-gateway.ts';
import { accepted, throttled, unable, unavailable, type GatewayAnswer, type Receipt } from '../gateway.ts';
import { headerOf, httpCaller, outcomeOfStatus, readJsonReceipts, retryAfterOf, type HttpAnswer } from '../http.ts';

const version = 'v23.0';

/**
 * Errors about the recipient, whom another channel may reach: not on WhatsApp (131026), the sender itself, not on the
 * list of a test number, left out by an experiment or by Meta's own limits (130472, 131049), opted out, in a country that
 * the account may not write to (130497), asked too often (131056), or a number that is none (100, 131008, 131009).
 */
const aboutRecipient = new Set([
  100, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131047, 131049, 131050, 131056,
]);

/**
 * The template is not there in this language (132001), has other parameters, or was paused or disabled. A caller chooses
 * the language, so this says nothing about the gateway's health; but operators must see it.
 */
const aboutTemplate = new Set([132000, 132001, 132005, 132007, 132012, 132015, 132016]);

/** Of the app, of the account, or of the sender. */
const rateLimits = new Set([4, 80007, 130429, 131048]);

export const whatsapp = defineGateway({
  name: 'whatsapp',
  channel: 'whatsapp',
  receiptMethods: ['POST', 'GET'],
  hasHandshake: true,
  baseUrl: 'https://graph.facebook.com',
  settings: {
    whatsappPhone: requiredSetting({
      env: 'LEDGERLINE_WHATSAPP_PHONE_ID',
      kind: word,
      about: 'WhatsApp: the id of the phone number that sends. It is also the verify token of the webhook.',
    }),
    whatsappToken: requiredSetting({
      env: 'LEDGERLINE_WHATSAPP_TOKEN',
      kind: word,
      secret: true,
      about: 'WhatsApp: the access token of a system user.',
    }),
    whatsappSecret: requiredSetting({
      env: 'LEDGERLINE_WHATSAPP_SECRET',
      kind: word,
      secret: true,
      about: 'WhatsApp: the app secret, which signs receipts.',
    }),
    whatsappTemplate: setting<string>({
      env: 'LEDGERLINE_WHATSAPP_TEMPLATE',
      kind: word,
      default: 'verification_code',
      about: 'WhatsApp: the name of the authentication template.',
    }),
  },
  create({ whatsappPhone: phoneNumberId, whatsappToken, whatsappSecret, whatsappTemplate: template }, context) {
    const http = httpCaller(context.baseUrl);
    const headers = { authorization: `Bearer ${whatsappToken}`, 'content-type': 'application/json' };
    let isTemplateMissing = false;

    function readAnswer(answer: HttpAnswer, language: string): GatewayAnswer {
      const { status, json } = answer;
      const id: unknown = json?.messages?.[0]?.id;
      if (status === 200 && typeof id === 'string') {
        if (isTemplateMissing) context.onLink(true);
        isTemplateMissing = false;
        return accepted(id);
      }
      const code: unknown = json?.error?.code;
      if (typeof code !== 'number' || status < 400) return outcomeOfStatus(answer);
      if (!aboutTemplate.has(code)) return readError(answer, code);
      isTemplateMissing = true;
      const reason = `${nameOf(code)}: template ${template} in ${language}`;
      context.onLink(false, reason);
      return unable(reason);
    }

    return {
      name: 'whatsapp',
      async send({ e164, code, country, locale, reference }, withinMilliseconds) {
        // Authentication templates have a fixed text, and there are no others for codes.
        if (code === null) return unavailable('not a code');
        const language = languageOf(locale, country);
        const body = JSON.stringify({
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: e164.slice(1),
          type: 'template',
          template: {
            name: template,
            language: { policy: 'deterministic', code: language },
            components: [
              { type: 'body', parameters: [{ type: 'text', text: code }] },
              { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: code }] },
            ],
          },
          biz_opaque_callback_data: reference,
        });
        return http.send(
          { path: `/${version}/${phoneNumberId}/messages`, headers, body },
          withinMilliseconds,
          (answer) => readAnswer(answer, language),
        );
      },
      /** X-Hub-Signature-256: HMAC-SHA256 over the body. */
      readReceipts({ headers: given, body }) {
        const expected = `sha256=${createHmac('sha256', whatsappSecret).update(body).digest('hex')}`;
        if (!sameText(headerOf(given, 'x-hub-signature-256'), expected)) return undefined;
        return readJsonReceipts(body, (event) => readStatuses(event, phoneNumberId));
      },
      // The token protects nothing: receipts of another app are not signed with our secret.
      readHandshake({ url }) {
        const query = new URL(url).searchParams;
        const challenge = query.get('hub.challenge') ?? '';
        const isOurs = query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === phoneNumberId;
        return isOurs && /^[\w-]{1,200}$/.test(challenge) ? challenge : undefined;
      },
      check: (withinMilliseconds) =>
        http.check(
          `/${version}/${phoneNumberId}?fields=id`,
          { authorization: headers.authorization },
          withinMilliseconds,
        ),
      close: http.close,
    };
  },
});

/** WhatsApp writes pt_BR, and has no Portuguese without a country. */
function languageOf(locale: string, country: string | undefined): string {
  const [language = 'en', region] = locale.toLowerCase().split('-');
  if (region !== undefined) return `${language}_${region.toUpperCase()}`;
  return language === 'pt' ? `pt_${country === 'PT' ? 'PT' : 'BR'}` : language;
}

function readError(answer: HttpAnswer, code: number): GatewayAnswer {
  const reason = nameOf(code);
  if (aboutRecipient.has(code)) return unable(reason);
  return rateLimits.has(code) ? throttled(reason, retryAfterOf(answer)) : outcomeOfStatus(answer, reason);
}

/** 131-026: six digits in a row would be taken for a part of a phone number, and removed. */
function nameOf(code: number): string {
  return String(code).replace(/(?<=^\d{3})(?=\d{3}$)/, '-');
}

/** The form of our references. The number may send messages of other systems, too. */
const reference = /^\d+\.\d+\./;

/** The app may have other numbers, and other events than the statuses of messages. */
function readStatuses(event: unknown, phoneNumberId: string): Receipt[] {
  const changes = listOf(Object(event).entry).flatMap((entry) => listOf(entry.changes));
  const ours = changes.filter(({ value }) => value?.metadata?.phone_number_id === phoneNumberId);
  return ours
    .flatMap(({ value }) => listOf(value.statuses))
    .filter((status) => reference.test(String(status.biz_opaque_callback_data)))
    .flatMap(({ id, status, errors, biz_opaque_callback_data: own }): Receipt[] => {
      const about = { reference: String(own), id: String(id ?? '') };
      if (status === 'delivered' || status === 'read') return [{ ...about, state: 'delivered' }];
      if (status !== 'failed') return [];
      return [{ ...about, state: 'failed', reason: nameOf(Number(listOf(errors)[0]?.code ?? 0)) }];
    });
}

// oxlint-disable-next-line no-explicit-any -- what is not documented is left out
function listOf(value: unknown): any[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
