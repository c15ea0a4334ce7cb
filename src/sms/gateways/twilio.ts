/** Twilio Programmable Messaging: POST /2010-04-01/Accounts/{Sid}/Messages.json. */
import { defineGateway } from '../define-gateway.ts';
import { accepted, unavailable, type GatewayAnswer, type Receipt } from '../gateway.ts';
import { formType, httpCaller, outcomeOfStatus, type HttpAnswer } from '../http.ts';
import {
  readTwilioError,
  readTwilioForm,
  twilioAuthorization,
  twilioBaseUrl,
  twilioSettings,
} from '../twilio-account.ts';

/**
 * Errors about the destination: not a number, a landline or short code, opted out, not verified for a trial account,
 * in a region that the account may not send to (21408), unreachable, or blocked as fraud (30450).
 * https://www.twilio.com/docs/api/errors
 */
const refusals = new Set([
  21211, 21214, 21216, 21217, 21219, 21265, 21266, 21401, 21408, 21421, 21608, 21610, 21614, 21635, 30003, 30004, 30005,
  30006, 30450,
]);

/** Errors about the sender for this destination: it cannot send there (21612 too), or is from another country. */
const wrongSender = new Set([21606, 21612, 21659, 21660, 21661, 21703]);

/** Too many requests (20429), or too many messages queued for the sender (21611, 30001). */
const rateLimits = new Set([20429, 21611, 30001]);

/** The SID of a messaging service, which chooses the sender. */
const messagingService = /^MG[0-9a-f]{32}$/;

const longestValiditySeconds = 36_000;

export const twilio = defineGateway({
  name: 'twilio',
  receiptMethods: ['POST'],
  baseUrl: twilioBaseUrl,
  settings: twilioSettings,
  create(account, { baseUrl, sender, callbackUrl }) {
    const http = httpCaller(baseUrl);
    const { twilioAccount } = account;
    const authorization = twilioAuthorization(account);
    return {
      name: 'twilio',
      send({ e164, text, country, reference, validSeconds }, withinMilliseconds) {
        const form = new URLSearchParams({ To: e164, Body: text });
        const from = sender(country);
        form.set(messagingService.test(from) ? 'MessagingServiceSid' : 'From', from);
        form.set('ValidityPeriod', String(Math.min(longestValiditySeconds, validSeconds)));
        if (callbackUrl) form.set('StatusCallback', callbackUrl(reference));
        const call = {
          path: `/2010-04-01/Accounts/${twilioAccount}/Messages.json`,
          headers: { authorization, 'content-type': formType },
          body: form.toString(),
        };
        return http.send(call, withinMilliseconds, readAnswer);
      },
      readReceipts(callback) {
        const form = readTwilioForm(account, callback);
        return form && readStatus(form);
      },
      check: (withinMilliseconds) =>
        http.check(`/2010-04-01/Accounts/${twilioAccount}.json`, { authorization }, withinMilliseconds),
      close: http.close,
    };
  },
});

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  const code: unknown = json?.error_code ?? json?.code;
  if (typeof code === 'number' && code !== 0)
    return readTwilioError(answer, code, { refusals, wrongSender, rateLimits });
  if ((status !== 200 && status !== 201) || typeof json?.sid !== 'string') return outcomeOfStatus(answer);
  const hasFailed = ['failed', 'undelivered', 'canceled'].includes(json.status);
  return hasFailed ? unavailable(json.status) : accepted(json.sid);
}

function readStatus(form: URLSearchParams): Receipt[] {
  const status = form.get('MessageStatus');
  const id = form.get('MessageSid') ?? '';
  if (status === 'delivered' || status === 'read') return [{ id, state: 'delivered' }];
  if (status === 'failed' || status === 'undelivered') {
    return [{ id, state: 'failed', reason: form.get('ErrorCode') ?? status }];
  }
  return [];
}
