/** The receiver's side: following the log, and telling an authentic webhook from any other. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  clientCredentials,
  createClient,
  verifyWebhook,
  WebhookVerificationError,
  type LedgerlineEvent,
} from '../../client/index.ts';
import { startService, type Service } from '../harness/service.ts';

describe('client.events.follow', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('gives every event exactly once, and goes on from a stored cursor', async () => {
    const baseUrl = service.url;
    const token = clientCredentials({ baseUrl, clientId: 'sandbox', clientSecret: 'sandbox' });
    const client = createClient({ baseUrl, token });
    const ids = [await service.createUser(), await service.createUser()];
    const seen: number[] = [];
    let cursor: string | undefined;
    for await (const { events, next } of client.events.follow({ type: 'user.created', pauseSeconds: 0.05 })) {
      seen.push(...events.map((event) => (event.data as { userId: number }).userId));
      cursor = next;
      if (seen.length >= ids.length) break;
    }
    expect(seen).toEqual(ids);
    const later = await service.createUser();
    const stop = new AbortController();
    for await (const { events } of client.events.follow({ after: cursor, pauseSeconds: 0.05, signal: stop.signal })) {
      seen.push(...events.map((event) => (event.data as { userId: number }).userId));
      stop.abort();
    }
    expect(seen).toEqual([...ids, later]);
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const body = JSON.stringify({
    id: '1',
    type: 'user.created',
    timestamp: '2026-01-01T00:00:00Z',
    data: { userId: 1 },
  });
  const headersAt = (at: Date, signedBody = body) => ({
    'Webhook-Id': 'e1',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1000)),
    'Webhook-Signature': `v1,bm9uc2Vuc2U= ${new Webhook(secret).sign('e1', at, signedBody)}`,
  });

  it('takes what another implementation of Standard Webhooks signed, as text or as bytes', async () => {
    const headers = headersAt(new Date());
    expect(await verifyWebhook(headers, body, secret)).toMatchObject({ type: 'user.created' });
    expect(await verifyWebhook(new Headers(headers), Buffer.from(body), secret)).toMatchObject({ data: { userId: 1 } });
  });

  it('has a type for what it returns: every event, and the sequence of any of them', async () => {
    const event = await verifyWebhook(headersAt(new Date()), body, secret);
    expectTypeOf(event).toEqualTypeOf<LedgerlineEvent>();
    expectTypeOf(event.sequence).toEqualTypeOf<number | undefined>();
  });

  it.each([
    ['another body', headersAt(new Date()), body.replace('1', '2'), secret],
    ['another secret', headersAt(new Date()), body, `whsec_${Buffer.alloc(32, 8).toString('base64')}`],
    ['an old timestamp', headersAt(new Date(Date.now() - 600_000)), body, secret],
    ['no signature', { ...headersAt(new Date()), 'Webhook-Signature': undefined }, body, secret],
    ['an empty secret', headersAt(new Date()), body, ''],
    ['a secret that is hidden', headersAt(new Date()), body, 'whsec_***'],
  ])('refuses %s', async (_, headers, given, key) => {
    await expect(verifyWebhook(headers, given, key)).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
