/** Twilio Programmable Messaging: POST /2010-04-01/Accounts/{Sid}/Messages.json. */
import { createHmac } from 'node:crypto';
import { accepted, refused, unavailable, type Callback, type Gateway, type Answer, type Receipt } from '../gateway.ts';
import { outcomeOfStatus, formType, headerOf, httpCaller, type HttpAnswer } from '../http.ts';
import { sameText } from '../same.ts';
import type { SenderOf } from '../senders.ts';

export interface TwilioSettings {
  url: string;
  accountSid: string;
  authToken: string;
  messagingServiceSid: string | undefined;
  sender: SenderOf;
  callbackUrl: ((reference: string) => string) | undefined;
}

/**
 * Errors about the destination: not a number, not a mobile, opted out, unreachable, blocked as fraud, or in a
 * region that the account does not send to (21408).
 */
const refusals = new Set([
  21211, 21214, 21216, 21217, 21219, 21265, 21401, 21408, 21421, 21608, 21610, 21612, 21614, 21635, 30003, 30004, 30005,
  30006, 30450,
]);

/** Twilio's bounds on ValidityPeriod. */
const longestSeconds = 36_000;

export function twilio(settings: TwilioSettings): Gateway {
  const http = httpCaller(settings.url);
  const { accountSid, authToken } = settings;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

  function read(answer: HttpAnswer): Answer {
    const { status, json } = answer;
    const code: unknown = json?.error_code ?? json?.code;
    if (typeof code === 'number' && code !== 0) {
      return refusals.has(code) ? refused(code) : unavailable(code);
    }
    if ((status === 200 || status === 201) && typeof json?.sid === 'string') {
      const failed = json.status === 'failed' || json.status === 'undelivered' || json.status === 'canceled';
      return failed ? unavailable(json.status) : accepted(json.sid);
    }
    return outcomeOfStatus(answer);
  }

  return {
    name: 'twilio',
    send({ phone, text, country, reference, validSeconds }, withinMilliseconds) {
      const form = new URLSearchParams({ To: phone, Body: text });
      if (settings.messagingServiceSid) form.set('MessagingServiceSid', settings.messagingServiceSid);
      else form.set('From', settings.sender(country));
      form.set('ValidityPeriod', String(Math.min(longestSeconds, validSeconds)));
      if (settings.callbackUrl) form.set('StatusCallback', settings.callbackUrl(reference));
      const call = {
        path: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
        headers: { authorization, 'content-type': formType },
        body: form.toString(),
      };
      return http.outcome(call, withinMilliseconds, read);
    },
    /** X-Twilio-Signature: HMAC-SHA1 over the address and the sorted names with their values. */
    readReceipts({ url, headers, body }: Callback): Receipt[] | undefined {
      const form = new URLSearchParams(body.toString());
      const parameters = [...form].sort(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)));
      const signed = url + parameters.map(([name, value]) => name + value).join('');
      const expected = createHmac('sha1', authToken).update(signed).digest('base64');
      if (!sameText(headerOf(headers, 'x-twilio-signature'), expected)) return undefined;
      if (form.get('AccountSid') !== accountSid) return undefined;
      return readStatus(form);
    },
    close: http.close,
  };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
