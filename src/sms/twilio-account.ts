/** What Twilio's messages and calls have in common: the account, its signature, and its errors. */
import { createHmac } from 'node:crypto';
import { sameText } from '../crypto/constant-time.ts';
import { requiredSetting, word } from '../formats/setting-kinds.ts';
import type { GatewayValues } from './define-gateway.ts';
import { refused, throttled, unable, unavailable, type Callback, type GatewayAnswer } from './gateway.ts';
import { headerOf, outcomeOfStatus, retryAfterOf, type HttpAnswer } from './http.ts';

export const twilioSettings = {
  twilioAccount: requiredSetting({ env: 'LEDGERLINE_TWILIO_ACCOUNT', kind: word, about: 'Twilio: the account’s SID.' }),
  twilioToken: requiredSetting({
    env: 'LEDGERLINE_TWILIO_TOKEN',
    kind: word,
    secret: true,
    about: 'Twilio: the account’s auth token; it also signs receipts.',
  }),
};

type TwilioAccount = GatewayValues<typeof twilioSettings>;

export const twilioBaseUrl = 'https://api.twilio.com';

export function twilioAuthorization({ twilioAccount, twilioToken }: TwilioAccount): string {
  return `Basic ${Buffer.from(`${twilioAccount}:${twilioToken}`).toString('base64')}`;
}

/**
 * The form of a callback of this account; undefined if it is not authentic. X-Twilio-Signature: HMAC-SHA1 over the URL
 * and the sorted names with their values.
 */
export function readTwilioForm(
  { twilioAccount, twilioToken }: TwilioAccount,
  { url, headers, body }: Callback,
): URLSearchParams | undefined {
  const form = new URLSearchParams(body.toString());
  const parameters = [...form].sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)));
  const signed = url + parameters.map(([name, value]) => name + value).join('');
  const expected = createHmac('sha1', twilioToken).update(signed).digest('base64');
  if (!sameText(headerOf(headers, 'x-twilio-signature'), expected)) return undefined;
  return form.get('AccountSid') === twilioAccount ? form : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The codes of errors. Messages and calls have different ones. */
interface TwilioErrors {
  /** About the destination. */
  refusals: ReadonlySet<number>;
  /** About the sender for this destination. */
  wrongSender: ReadonlySet<number>;
  rateLimits: ReadonlySet<number>;
}

export function readTwilioError(answer: HttpAnswer, code: number, errors: TwilioErrors): GatewayAnswer {
  if (errors.refusals.has(code)) return refused(code);
  if (errors.wrongSender.has(code)) return unable(code);
  if (errors.rateLimits.has(code)) return throttled(code, retryAfterOf(answer));
  return answer.status >= 400 ? outcomeOfStatus(answer, code) : unavailable(code);
}
