/** Signs and checks by Standard Webhooks: `v1,` and the base64 HMAC-SHA256 over id.timestamp.body. */
import { createHmac } from 'node:crypto';
import { sameText } from './constant-time.ts';

const toleranceSeconds = 300;

/** The key inside a secret such as whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD. */
export function webhookKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

export function signWebhook(key: Buffer, id: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature(key, id, timestamp, body) };
}

function signature(key: Buffer, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** While a secret is being rotated there may be several signatures; one valid signature is enough. */
export function isSignedWebhook(
  key: Buffer,
  headers: Record<string, string | string[] | undefined>,
  body: string,
  now: Date,
): boolean {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    return false;
  }
  const expected = signature(key, id, timestamp, body);
  const given = String(headers['webhook-signature'] ?? '').split(' ');
  return given.slice(0, 10).some((each) => sameText(each, expected));
}
