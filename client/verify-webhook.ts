/** The receiver's side of webhooks: checks the signature of Standard Webhooks 1.0 with the platform's Web Crypto. */
import type { LedgerlineEvent } from './types.ts';

/** Header names in any case: an object, or the `Headers` of a request. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** A signature that is older or newer than this may have been recorded and sent again. */
const toleranceSeconds = 300;

export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

/**
 * Returns the event of an authentic webhook, and throws for any other. `body` must be the original bytes or text:
 * parsing the JSON and writing it again would change them.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<LedgerlineEvent> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookVerificationError('The timestamp is missing or too far from the present.');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const expected = await sign(secret, `${id}.${timestamp}.${text}`);
  const signatures = readHeader(headers, 'webhook-signature').split(' ');
  if (!signatures.some((signature) => isSame(signature, `v1,${expected}`))) {
    throw new WebhookVerificationError('No signature fits.');
  }
  return JSON.parse(text) as LedgerlineEvent;
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

async function keyOf(secret: string) {
  try {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
    return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  } catch {
    throw new WebhookVerificationError(
      'The secret is missing or incomplete. Give the secret of the webhook endpoint: whsec_ and base64.',
    );
  }
}

async function sign(secret: string, content: string): Promise<string> {
  const key = await keyOf(secret);
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** Compares in a time that does not depend on where the texts differ. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= given.charCodeAt(index % Math.max(1, given.length)) ^ expected.charCodeAt(index);
  }
  return difference === 0;
}
