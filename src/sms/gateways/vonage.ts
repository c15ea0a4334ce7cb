/** Vonage SMS API: POST /sms/json. It always answers 200; the outcome is in messages[].status. */
import { createHash, createHmac } from 'node:crypto';
import { requiredSetting, word } from '../../formats/setting-kinds.ts';
import { defineGateway } from '../define-gateway.ts';
import { isGsm } from '../encoding.ts';
import {
  accepted,
  refused,
  throttled,
  unable,
  unavailable,
  unknown,
  type Callback,
  type GatewayAnswer,
} from '../gateway.ts';
import { formType, httpCaller, outcomeOfStatus, type HttpAnswer } from '../http.ts';
import { sameText } from '../../crypto/constant-time.ts';
import { vonageSignatureSettings, type VonageSignature } from '../vonage-account.ts';

/**
 * Statuses about the destination: unknown prefix (6), barred (7), not on the list of a demo account (29), deactivated
 * (33). https://developer.vonage.com/api-errors/sms
 */
const refusals = new Set(['6', '7', '29', '33']);
const invalidParameter = '3';
/** The sender is not allowed in the destination's country. */
const wrongSender = '15';
/** Too many requests for the account, or too many connections. */
const rateLimits = new Set(['1', '10']);

const shortestTtlMilliseconds = 20_000;
const longestTtlMilliseconds = 604_800_000;

const signatureToleranceSeconds = 300;

export const vonage = defineGateway({
  name: 'vonage',
  receiptMethods: ['POST', 'GET'],
  needsDltIds: true,
  baseUrl: 'https://rest.nexmo.com',
  settings: {
    vonageKey: requiredSetting({ env: 'LEDGERLINE_VONAGE_KEY', kind: word, about: 'Vonage: the API key.' }),
    vonageSecret: requiredSetting({
      env: 'LEDGERLINE_VONAGE_SECRET',
      kind: word,
      secret: true,
      about: 'Vonage: the API secret.',
    }),
    ...vonageSignatureSettings,
  },
  create(values, { baseUrl, sender, callbackUrl, now }) {
    const http = httpCaller(baseUrl);
    const { vonageSignature: signature } = values;
    return {
      name: 'vonage',
      send({ e164, text, country, reference, validSeconds, dlt }, withinMilliseconds) {
        const form = new URLSearchParams({
          api_key: values.vonageKey,
          api_secret: values.vonageSecret,
          from: sender(country).replace(/^\+/, ''),
          to: e164.slice(1),
          text,
          type: isGsm(text) ? 'text' : 'unicode',
          ttl: String(Math.min(longestTtlMilliseconds, Math.max(shortestTtlMilliseconds, validSeconds * 1000))),
          'client-ref': reference,
        });
        if (callbackUrl) form.set('callback', callbackUrl(reference));
        if (dlt) form.set('entity-id', dlt.entity);
        if (dlt?.template) form.set('content-id', dlt.template);
        const call = { path: '/sms/json', headers: { 'content-type': formType }, body: form.toString() };
        return http.send(call, withinMilliseconds, readAnswer);
      },
      readReceipts(callback) {
        const parameters = readParameters(callback);
        if (!parameters || parameters['api-key'] !== values.vonageKey) return undefined;
        // Without a secret receipts are unsigned, and only their secret URL makes them authentic.
        if (signature !== undefined && !isSigned(signature, parameters, now())) return undefined;
        const { status, messageId = '', 'err-code': code = '' } = parameters;
        if (status === 'delivered') return [{ id: messageId, state: 'delivered' }];
        if (status === 'failed' || status === 'rejected' || status === 'expired') {
          return [{ id: messageId, state: 'failed', reason: `${status} ${code}`.trim() }];
        }
        return [];
      },
      check(withinMilliseconds) {
        const query = new URLSearchParams({ api_key: values.vonageKey, api_secret: values.vonageSecret });
        return http.check(`/account/get-balance?${query}`, {}, withinMilliseconds);
      },
      close: http.close,
    };
  },
});

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const parts: unknown = answer.json?.messages;
  if (answer.status !== 200 || !Array.isArray(parts) || parts.length === 0) return outcomeOfStatus(answer);
  const statuses = parts.map((part) => String(part?.status));
  const failed = statuses.findIndex((status) => status !== '0');
  if (failed < 0) return accepted(parts[0]['message-id']);
  const status = statuses[failed]!;
  // Some parts of a long message are on their way.
  if (statuses.includes('0')) return unknown(`status ${status} of a part`);
  if (!/^\d+$/.test(status)) return outcomeOfStatus(answer);
  return readError(status, String(parts[failed]['error-text']));
}

function readError(status: string, errorText: string): GatewayAnswer {
  const reason = `status ${status}`;
  const isAboutDestination = status === invalidParameter && /\bto\b/.test(errorText);
  if (refusals.has(status) || isAboutDestination) return refused(reason);
  if (status === wrongSender) return unable(reason);
  return rateLimits.has(status) ? throttled(reason) : unavailable(reason);
}

/** In the query string, as a form or as JSON: the account's settings decide. */
function readParameters({ url: calledUrl, headers, body }: Callback): Record<string, string> | undefined {
  if (body.length === 0) return Object.fromEntries(new URL(calledUrl).searchParams);
  if (!String(headers['content-type']).includes('json')) {
    return Object.fromEntries(new URLSearchParams(body.toString()));
  }
  try {
    const members = Object.entries(Object(JSON.parse(body.toString())));
    return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
  } catch {
    return undefined;
  }
}

/** `sig` over `&name=value` in the order of the names, with _ for & and = in values. */
function isSigned({ method, secret }: VonageSignature, parameters: Record<string, string>, now: Date): boolean {
  const { sig = '', timestamp = '' } = parameters;
  const ageSeconds = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (!(ageSeconds <= signatureToleranceSeconds)) return false;
  // It is not documented whether our own query parameter is signed.
  return [['sig'], ['sig', 'message']].some((unsigned) => {
    const text = Object.keys(parameters)
      .filter((name) => !unsigned.includes(name))
      .sort()
      .map((name) => `&${name}=${parameters[name]!.replaceAll(/[&=]/g, '_')}`)
      .join('');
    const expected =
      method === 'md5hash' ? createHash('md5').update(text + secret) : createHmac(method, secret).update(text);
    return sameText(sig.toLowerCase(), expected.digest('hex'));
  });
}
