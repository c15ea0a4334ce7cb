/** Twilio Programmable Voice: POST /2010-04-01/Accounts/{Sid}/Calls.json. The call speaks the code twice. */
import { defineGateway } from '../define-gateway.ts';
import { accepted, unavailable, type GatewayAnswer, type Receipt } from '../gateway.ts';
import { formType, httpCaller, outcomeOfStatus, type HttpAnswer } from '../http.ts';
import { speak, type SpokenText } from '../spoken-text.ts';
import {
  readTwilioError,
  readTwilioForm,
  twilioAuthorization,
  twilioBaseUrl,
  twilioSettings,
} from '../twilio-account.ts';

/**
 * Errors about the destination: not a number, not reachable, in a country that the account may not call (21215, 13227),
 * blocked, or not verified for a trial account. https://www.twilio.com/docs/api/errors
 */
const refusals = new Set([13223, 13224, 13225, 13226, 13227, 21211, 21214, 21215, 21216, 21217, 21219, 32205]);

/** Errors about the caller id for this destination. */
const wrongSender = new Set([21210, 21212, 21213]);

/** Too many requests, or too many calls at once. */
const rateLimits = new Set([20429, 10004]);

/** A phone that rings longer than this is not answered any more. */
const ringSeconds = 40;

export const twilioVoice = defineGateway({
  name: 'twilio-voice',
  channel: 'voice',
  receiptMethods: ['POST'],
  baseUrl: twilioBaseUrl,
  settings: twilioSettings,
  create(account, { baseUrl, sender, callbackUrl }) {
    const http = httpCaller(baseUrl);
    const authorization = twilioAuthorization(account);
    const path = `/2010-04-01/Accounts/${account.twilioAccount}`;
    return {
      name: 'twilio-voice',
      send(message, withinMilliseconds) {
        const form = new URLSearchParams({
          To: message.e164,
          From: sender(message.country),
          Twiml: writeTwiml(speak(message)),
          Timeout: String(ringSeconds),
        });
        if (callbackUrl) {
          const address = callbackUrl(message.reference);
          form.set('StatusCallback', address);
          // Who answered is found out while the code is spoken, so that people do not hear silence first.
          form.set('MachineDetection', 'Enable');
          form.set('AsyncAmd', 'true');
          form.set('AsyncAmdStatusCallback', address);
        }
        const headers = { authorization, 'content-type': formType };
        return http.send(
          { path: `${path}/Calls.json`, headers, body: form.toString() },
          withinMilliseconds,
          readAnswer,
        );
      },
      readReceipts(callback) {
        const form = readTwilioForm(account, callback);
        return form && readCall(form);
      },
      check: (withinMilliseconds) => http.check(`${path}.json`, { authorization }, withinMilliseconds),
      close: http.close,
    };
  },
});

function writeTwiml({ language, text }: SpokenText): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const say = `<Say language="${language.replaceAll(/[^\w-]/g, '')}">${escaped}</Say>`;
  return `<Response>${say}<Pause length="1"/>${say}</Response>`;
}

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  const code: unknown = json?.code;
  if (typeof code === 'number' && status >= 400)
    return readTwilioError(answer, code, { refusals, wrongSender, rateLimits });
  if ((status !== 200 && status !== 201) || typeof json?.sid !== 'string') return outcomeOfStatus(answer);
  return ['failed', 'canceled'].includes(json.status) ? unavailable(json.status) : accepted(json.sid);
}

/** Who answered decides: a call that a machine took is completed too. */
function readCall(form: URLSearchParams): Receipt[] {
  const id = form.get('CallSid') ?? '';
  const answeredBy = form.get('AnsweredBy');
  const status = form.get('CallStatus') ?? '';
  if (answeredBy !== null) {
    const isMachine = /^(machine|fax)/.test(answeredBy);
    return isMachine ? [{ id, state: 'failed', reason: 'machine' }] : [{ id, state: 'delivered' }];
  }
  const hasFailed = ['busy', 'no-answer', 'failed', 'canceled'].includes(status);
  return hasFailed ? [{ id, state: 'failed', reason: status }] : [];
}
