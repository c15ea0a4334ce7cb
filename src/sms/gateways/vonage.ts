/** Vonage SMS API: POST /sms/json. It answers 200 whatever happened; the truth stands in messages[].status. */
import { createHash, createHmac } from 'node:crypto';
import { isGsm } from '../encoding.ts';
import { accepted, refused, unavailable, unknown, type Callback, type Gateway, type Answer } from '../gateway.ts';
import { outcomeOfStatus, formType, httpCaller, type HttpAnswer } from '../http.ts';
import { sameText } from '../same.ts';
import type { SenderOf } from '../senders.ts';

export const vonageSignatures = ['md5hash', 'md5', 'sha1', 'sha256', 'sha512'] as const;
export type VonageSignature = (typeof vonageSignatures)[number];

export interface VonageSettings {
  url: string;
  apiKey: string;
  apiSecret: string;
  /** Without one receipts are unsigned, and only their address keeps strangers out. */
  signatureSecret: string | undefined;
  signature: VonageSignature;
  sender: SenderOf;
  callbackUrl: ((reference: string) => string) | undefined;
  now(): Date;
}

/** Of the phone: no valid message to it, barred, deactivated. */
const rejections = new Set(['6', '7', '33']);

/** Vonage's bounds on ttl, in milliseconds. */
const shortestTtl = 20_000;
const longestTtl = 604_800_000;

const toleranceSeconds = 300;

export function vonage(settings: VonageSettings): Gateway {
  const http = httpCaller(settings.url);

  function read(answer: HttpAnswer): Answer {
    const parts: unknown = answer.json?.messages;
    if (answer.status !== 200 || !Array.isArray(parts) || parts.length === 0) return outcomeOfStatus(answer);
    const statuses = parts.map((part) => String(part?.status));
    const failed = statuses.findIndex((status) => status !== '0');
    if (failed < 0) return accepted(parts[0]['message-id']);
    // Of a long message some parts are on their way.
    if (statuses.includes('0')) return unknown(`status ${statuses[failed]} of a part`);
    const status = statuses[failed]!;
    const ofThePhone = status === '3' && /\bto\b/.test(String(parts[failed]?.['error-text']));
    if (rejections.has(status) || ofThePhone) return refused(`status ${status}`);
    return unavailable(`status ${status}`);
  }

  return {
    name: 'vonage',
    send({ phone, text, country, reference, validSeconds }, withinMilliseconds) {
      const form = new URLSearchParams({
        api_key: settings.apiKey,
        api_secret: settings.apiSecret,
        from: settings.sender(country).replace(/^\+/, ''),
        to: phone.slice(1),
        text,
        type: isGsm(text) ? 'text' : 'unicode',
        ttl: String(Math.min(longestTtl, Math.max(shortestTtl, validSeconds * 1000))),
        'client-ref': reference,
      });
      if (settings.callbackUrl) form.set('callback', settings.callbackUrl(reference));
      const call = { path: '/sms/json', headers: { 'content-type': formType }, body: form.toString() };
      return http.outcome(call, withinMilliseconds, read);
    },
    readReceipts(callback) {
      const parameters = readParameters(callback);
      if (!parameters || parameters['api-key'] !== settings.apiKey) return undefined;
      if (settings.signatureSecret !== undefined && !isSigned(settings, parameters)) return undefined;
      const { status, messageId = '', 'err-code': code = '' } = parameters;
      if (status === 'delivered') return [{ id: messageId, state: 'delivered' }];
      if (status === 'failed' || status === 'rejected' || status === 'expired') {
        return [{ id: messageId, state: 'failed', reason: `${status} ${code}`.trim() }];
      }
      return [];
    },
    close: http.close,
  };
}

/** In the address, as a form or as JSON: the account's settings decide. */
function readParameters({ url, headers, body }: Callback): Record<string, string> | undefined {
  if (body.length === 0) return Object.fromEntries(new URL(url).searchParams);
  if (!String(headers['content-type']).includes('json'))
    return Object.fromEntries(new URLSearchParams(body.toString()));
  try {
    const members = Object.entries(Object(JSON.parse(body.toString())));
    return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
  } catch {
    return undefined;
  }
}

/** `sig` over `&name=value` in the order of the names, with & and = in values made _. */
function isSigned({ signatureSecret, signature, now }: VonageSettings, parameters: Record<string, string>): boolean {
  const { sig = '', timestamp = '' } = parameters;
  const age = Math.abs(now().getTime() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) return false;
  // Whether our own parameter in the address is signed along is nowhere written.
  return [['sig'], ['sig', 'message']].some((left) => {
    const text = Object.keys(parameters)
      .filter((name) => !left.includes(name))
      .sort()
      .map((name) => `&${name}=${parameters[name]!.replaceAll(/[&=]/g, '_')}`)
      .join('');
    const expected =
      signature === 'md5hash'
        ? createHash('md5').update(text + signatureSecret!)
        : createHmac(signature, signatureSecret!).update(text);
    return sameText(sig.toLowerCase(), expected.digest('hex'));
  });
}
