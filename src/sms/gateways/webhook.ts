/** A gateway of the operator's own: a signed POST to one URL (Standard Webhooks). */
import { fail, requiredSetting, url, type Kind } from '../../formats/setting-kinds.ts';
import { defineGateway } from '../define-gateway.ts';
import { accepted, refused, type GatewayAnswer, type Receipt } from '../gateway.ts';
import { httpCaller, outcomeOfStatus, readJsonReceipts, type HttpAnswer } from '../http.ts';
import { isSignedWebhook, signWebhook, webhookKey } from '../../crypto/standard-webhooks.ts';

const secretKind: Kind<string> = {
  form: 'whsec_ and the base64 of 24 to 64 random bytes',
  parse(value) {
    const bytes = /^whsec_[A-Za-z0-9+/]+=*$/.test(value) ? Buffer.from(value.slice(6), 'base64').length : 0;
    return bytes >= 24 && bytes <= 64 ? value : fail('must be whsec_ and the base64 of 24 to 64 random bytes');
  },
};

export const webhook = defineGateway({
  name: 'webhook',
  receiptMethods: ['POST'],
  settings: {
    webhookUrl: requiredSetting({
      env: 'LEDGERLINE_WEBHOOK_URL',
      kind: url('https', 'http'),
      httpsOnly: true,
      about: 'Webhook: the URL that messages are posted to.',
    }),
    webhookSecret: requiredSetting({
      env: 'LEDGERLINE_WEBHOOK_SECRET',
      kind: secretKind,
      secret: true,
      about: 'Webhook: the secret that signs messages and receipts (Standard Webhooks).',
    }),
  },
  create({ webhookUrl, webhookSecret }, { sender, callbackUrl, now }) {
    const { origin, pathname, search } = new URL(webhookUrl);
    const http = httpCaller(origin);
    const key = webhookKey(webhookSecret);
    return {
      name: 'webhook',
      // The receiver identifies a text by its webhook-id, which is the reference.
      idempotent: true,
      send({ reference, e164, country, text, validSeconds, dlt }, withinMilliseconds) {
        const sentAt = now();
        const body = JSON.stringify({
          type: 'message.send',
          timestamp: sentAt.toISOString(),
          data: {
            reference,
            phoneNumber: e164,
            country: country ?? null,
            sender: sender(country),
            text,
            validSeconds,
            ...(dlt && { dlt }),
            ...(callbackUrl && { receiptsUrl: callbackUrl(reference) }),
          },
        });
        const headers = { 'content-type': 'application/json', ...signWebhook(key, reference, body, sentAt) };
        return http.send({ path: pathname + search, headers, body }, withinMilliseconds, readAnswer);
      },
      readReceipts({ headers, body }) {
        if (!isSignedWebhook(key, headers, body.toString(), now())) return undefined;
        return readJsonReceipts(body, readReceipt);
      },
      close: http.close,
    };
  },
});

function readAnswer(answer: HttpAnswer): GatewayAnswer {
  const { status, json } = answer;
  if (status >= 200 && status < 300) return accepted(json?.id);
  // Only with this status does the receiver refuse the destination.
  if (status === 422) return refused(json?.reason ?? 'HTTP 422');
  return outcomeOfStatus(answer);
}

function readReceipt(event: unknown): Receipt[] {
  const { reference, id, state, reason } = Object(Object(event).data);
  if (state !== 'delivered' && state !== 'failed') return [];
  return [
    {
      ...(typeof reference === 'string' && { reference }),
      ...(typeof id === 'string' && { id }),
      state,
      ...(typeof reason === 'string' && { reason }),
    },
  ];
}
