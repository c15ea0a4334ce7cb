/** MessageBird (Bird): POST /messages. */
import { hash } from 'node:crypto';
import { requiredSetting, setting, word } from '../../formats/setting-kinds.ts';
import { defineGateway } from '../define-gateway.ts';
import { isGsm } from '../encoding.ts';
import { accepted, refused, unable, unavailable, type Callback, type GatewayAnswer, type Receipt } from '../gateway.ts';
import { headerOf, httpCaller, outcomeOfStatus, type HttpAnswer } from '../http.ts';
import { readSignedToken } from '../signed-token.ts';
import { sameText } from '../../crypto/constant-time.ts';

/** Error codes for parameters that are missing, wrong or not allowed; `parameter` is the name of the parameter. */
const parameterErrors = new Set([9, 10]);

/** Reasons why a recipient got no message that are about the recipient. */
const refusalReasons = new Set([
  'carrier rejected',
  'incorrect number',
  'opted out',
  'unavailable subscriber',
  'unknown subscriber',
]);

export const messageBird = defineGateway({
  name: 'messagebird',
  receiptMethods: ['GET', 'POST'],
  baseUrl: 'https://rest.messagebird.com',
  settings: {
    messagebirdKey: requiredSetting({
      env: 'LEDGERLINE_MESSAGEBIRD_KEY',
      kind: word,
      secret: true,
      about: 'MessageBird: the access key.',
    }),
    messagebirdSigningKey: setting<string | undefined>({
      env: 'LEDGERLINE_MESSAGEBIRD_SIGNING_KEY',
      kind: word,
      default: undefined,
      secret: true,
      about: 'MessageBird: the key that signs its webhooks.',
    }),
  },
  create({ messagebirdKey, messagebirdSigningKey }, { baseUrl, sender, callbackUrl, now }) {
    const http = httpCaller(baseUrl);
    return {
      name: 'messagebird',
      send({ e164, text, country, reference, validSeconds }, withinMilliseconds) {
        const message = {
          originator: sender(country),
          recipients: [e164.slice(1)],
          body: text,
          validity: validSeconds,
          datacoding: isGsm(text) ? 'plain' : 'unicode',
          reference,
          ...(callbackUrl && { reportUrl: callbackUrl(reference) }),
        };
        const call = {
          path: '/messages',
          headers: { authorization: `AccessKey ${messagebirdKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(message),
        };
        return http.send(call, withinMilliseconds, readAnswer);
      },
      /** A report is a GET with everything in the query string. */
      readReceipts(callback: Callback): Receipt[] | undefined {
        // Without a key receipts are unsigned, and only their secret URL makes them authentic.
        if (messagebirdSigningKey !== undefined && !isSigned(messagebirdSigningKey, callback, now())) return undefined;
        const report = new URL(callback.url).searchParams;
        const id = report.get('id') ?? '';
        const status = report.get('status');
        if (status === 'delivered') return [{ id, state: 'delivered' }];
        const reason = `${status} ${report.get('statusErrorCode') ?? ''}`.trim();
        return status === 'delivery_failed' || status === 'expired' ? [{ id, state: 'failed', reason }] : [];
      },
      check: (withinMilliseconds) =>
        http.check('/balance', { authorization: `AccessKey ${messagebirdKey}` }, withinMilliseconds),
      close: http.close,
    };
  },
});

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  const error = Array.isArray(json?.errors) ? json.errors[0] : undefined;
  if (error) return readError(answer, Number(error.code), String(error.parameter ?? ''));
  const recipients = json?.recipients;
  if ((status !== 200 && status !== 201) || typeof recipients?.totalSentCount !== 'number') {
    return outcomeOfStatus(answer);
  }
  const recipient = recipients.items?.[0];
  if (recipients.totalSentCount >= 1 && recipient?.status !== 'delivery_failed') return accepted(json.id);
  const reason = String(recipient?.statusReason ?? recipient?.status ?? 'sent to nobody');
  return refusalReasons.has(reason) ? refused(reason) : unavailable(reason);
}

function readError(answer: HttpAnswer, code: number, parameter: string): GatewayAnswer {
  const reason = `error ${code} ${parameter}`.trim();
  if (parameterErrors.has(code) && parameter.startsWith('recipient')) return refused(reason);
  if (parameterErrors.has(code) && parameter === 'originator') return unable(reason);
  return answer.status >= 400 ? outcomeOfStatus(answer, reason) : unavailable(reason);
}

/** MessageBird-Signature-JWT: HS256 over claims that contain digests of the URL and of the body. */
function isSigned(key: string, { url: calledUrl, headers, body }: Callback, now: Date): boolean {
  const { head, claims } = readSignedToken(headerOf(headers, 'messagebird-signature-jwt'), key) ?? {};
  if (head?.alg !== 'HS256' || !claims) return false;
  const seconds = now.getTime() / 1000;
  return (
    claims.iss === 'MessageBird' &&
    Number(claims.nbf) <= seconds + 1 &&
    Number(claims.exp) >= seconds - 1 &&
    sameText(String(claims.url_hash), hash('sha256', calledUrl)) &&
    (body.length === 0
      ? claims.payload_hash === undefined
      : sameText(String(claims.payload_hash), hash('sha256', body)))
  );
}
