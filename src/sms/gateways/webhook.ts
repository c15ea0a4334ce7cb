/** A gateway of the operator's own: a signed POST to one address (Standard Webhooks). */
import { accepted, refused, type Callback, type Gateway, type Answer, type Receipt } from '../gateway.ts';
import { outcomeOfStatus, httpCaller, type HttpAnswer } from '../http.ts';
import type { SenderOf } from '../senders.ts';
import { isSignedWebhook, signWebhook, webhookKey } from '../standard-webhooks.ts';

export interface WebhookSettings {
  url: string;
  secret: string;
  sender: SenderOf;
  callbackUrl: ((reference: string) => string) | undefined;
  now(): Date;
}

export function webhook(settings: WebhookSettings): Gateway {
  const { origin, pathname, search } = new URL(settings.url);
  const http = httpCaller(origin);
  const key = webhookKey(settings.secret);

  function read(answer: HttpAnswer): Answer {
    const { status, json } = answer;
    if (status >= 200 && status < 300) return accepted(json?.id);
    // The one status by which the receiver says that the message itself, not the moment, is the trouble.
    if (status === 422) return refused(json?.reason ?? 'HTTP 422');
    return outcomeOfStatus(answer);
  }

  return {
    name: 'webhook',
    // The receiver knows a message by its webhook-id, which stays the same.
    idempotent: true,
    send({ reference, phone, country, text, validSeconds }, withinMilliseconds) {
      const now = settings.now();
      const body = JSON.stringify({
        type: 'message.send',
        timestamp: now.toISOString(),
        data: {
          reference,
          phoneNumber: phone,
          country: country ?? null,
          sender: settings.sender(country),
          text,
          validSeconds,
          ...(settings.callbackUrl && { receiptsUrl: settings.callbackUrl(reference) }),
        },
      });
      const headers = { 'content-type': 'application/json', ...signWebhook(key, reference, body, now) };
      return http.outcome({ path: pathname + search, headers, body }, withinMilliseconds, read);
    },
    readReceipts({ headers, body }: Callback): Receipt[] | undefined {
      if (!isSignedWebhook(key, headers, body.toString(), settings.now())) return undefined;
      try {
        const { data } = Object(JSON.parse(body.toString()));
        const { reference, id, state, reason } = Object(data);
        if (state !== 'delivered' && state !== 'failed') return [];
        return [
          {
            ...(typeof reference === 'string' && { reference }),
            ...(typeof id === 'string' && { id }),
            state,
            ...(typeof reason === 'string' && { reason }),
          },
        ];
      } catch {
        return undefined;
      }
    },
    close: http.close,
  };
}
