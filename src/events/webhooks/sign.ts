/** The headers of a delivery, by Standard Webhooks 1.0. */
import { signWebhook, webhookKey } from '../../crypto/standard-webhooks.ts';

/** All secrets sign, so that a receiver may use any of them during a rotation. */
export function signDelivery(
  secrets: readonly string[],
  eventId: string,
  body: string,
  machineNow: Date,
): Record<string, string> {
  const signed = secrets.map((secret) => signWebhook(webhookKey(secret), eventId, body, machineNow));
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'ledgerline-webhooks',
    ...signed[0],
    'webhook-signature': signed.map((headers) => headers['webhook-signature']).join(' '),
  };
}
