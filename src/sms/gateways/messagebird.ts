/** MessageBird (Bird): POST /messages. */
import { createHash, createHmac } from 'node:crypto';
import { isGsm } from '../encoding.ts';
import { accepted, refused, unavailable, type Callback, type Gateway, type Answer, type Receipt } from '../gateway.ts';
import { outcomeOfStatus, headerOf, httpCaller, type HttpAnswer } from '../http.ts';
import { sameText } from '../same.ts';
import type { SenderOf } from '../senders.ts';

export interface MessageBirdSettings {
  url: string;
  accessKey: string;
  /** Without one receipts are unsigned, and only their address keeps strangers out. */
  signingKey: string | undefined;
  sender: SenderOf;
  callbackUrl: ((reference: string) => string) | undefined;
  now(): Date;
}

export function messageBird(settings: MessageBirdSettings): Gateway {
  const http = httpCaller(settings.url);

  function read(answer: HttpAnswer): Answer {
    const { status, json } = answer;
    const error = Array.isArray(json?.errors) ? json.errors[0] : undefined;
    if (error) {
      const reason = `error ${error.code} ${error.parameter ?? ''}`.trim();
      // Code 9 with the recipient named: it is the phone that is wrong.
      if (error.code === 9 && String(error.parameter).startsWith('recipient')) return refused(reason);
      return status >= 500 ? outcomeOfStatus(answer) : unavailable(reason);
    }
    const recipients = json?.recipients;
    if ((status !== 200 && status !== 201) || typeof recipients?.totalSentCount !== 'number') {
      return outcomeOfStatus(answer);
    }
    const state: unknown = recipients.items?.[0]?.status;
    if (recipients.totalSentCount >= 1 && state !== 'delivery_failed') return accepted(json.id);
    return unavailable(state ?? 'sent to nobody');
  }

  return {
    name: 'messagebird',
    send({ phone, text, country, reference, validSeconds }, withinMilliseconds) {
      const message = {
        originator: settings.sender(country),
        recipients: [phone.slice(1)],
        body: text,
        validity: validSeconds,
        datacoding: isGsm(text) ? 'plain' : 'unicode',
        reference,
        ...(settings.callbackUrl && { reportUrl: settings.callbackUrl(reference) }),
      };
      const call = {
        path: '/messages',
        headers: { authorization: `AccessKey ${settings.accessKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      };
      return http.outcome(call, withinMilliseconds, read);
    },
    /** A report comes as a GET with everything in the address. */
    readReceipts(callback: Callback): Receipt[] | undefined {
      if (settings.signingKey !== undefined && !isSigned(settings.signingKey, callback, settings.now())) {
        return undefined;
      }
      const report = new URL(callback.url).searchParams;
      const id = report.get('id') ?? '';
      const status = report.get('status');
      if (status === 'delivered') return [{ id, state: 'delivered' }];
      const reason = `${status} ${report.get('statusErrorCode') ?? ''}`.trim();
      return status === 'delivery_failed' || status === 'expired' ? [{ id, state: 'failed', reason }] : [];
    },
    close: http.close,
  };
}

/** MessageBird-Signature-JWT: HS256 over claims that hold digests of the address and of the body. */
function isSigned(key: string, { url, headers, body }: Callback, now: Date): boolean {
  const [header, payload, signature] = headerOf(headers, 'messagebird-signature-jwt').split('.');
  if (!header || !payload || !signature) return false;
  const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
  if (!sameText(signature, expected)) return false;
  const head = claimsIn(header);
  const claims = claimsIn(payload);
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const seconds = now.getTime() / 1000;
  return (
    head.alg === 'HS256' &&
    claims.iss === 'MessageBird' &&
    Number(claims.nbf) <= seconds + 1 &&
    Number(claims.exp) >= seconds - 1 &&
    sameText(String(claims.url_hash), sha256(url)) &&
    (body.length === 0 ? claims.payload_hash === undefined : sameText(String(claims.payload_hash), sha256(body)))
  );
}

function claimsIn(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString())) as Record<string, unknown>;
  } catch {
    return {};
  }
}
