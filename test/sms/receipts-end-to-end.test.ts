/**
 * Receipts of every HTTP gateway, from the send to the trail: a running service, a gateway that it sends through, and
 * callbacks in the form which that gateway gives them. What is forged, replayed or of another account changes nothing.
 */
import { describe, expect, it } from 'vitest';
import { freePort } from '../../src/network/free-port.ts';
import type { GatewayDefinition } from '../../src/sms/define-gateway.ts';
import { gatewayDefinitions } from '../../src/sms/gateways/index.ts';
import { receiptCases, webhookSecret, type ReceiptCall, type SentMessage } from '../harness/receipt-cases.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

it('every gateway that calls us with receipts is among the cases', () => {
  const calling = gatewayDefinitions.filter((definition: GatewayDefinition) => definition.receiptMethods);
  expect([...new Set(receiptCases.map(([, gateway]) => gateway))].toSorted()).toEqual(
    calling.map(({ name }) => name).toSorted(),
  );
});

describe.each(receiptCases)('receipts of %s', (_name, gateway, one) => {
  async function start() {
    let number = 0;
    const server = await gatewayServer(() => one.accepts(`gateway-message-${(number += 1)}`));
    const port = await freePort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    const settings = { PORT: String(port), PUBLIC_URL: url, LEDGERLINE_GATEWAYS: gateway, ...one.settings(server.url) };
    const service = await serviceForTest(settings);

    async function send(): Promise<SentMessage & { id: number }> {
      const id = await service.createUser();
      expect((await service.sendCode(id, newPhone())).status).toBe(204);
      return { id, gatewayId: `gateway-message-${number}`, ...one.sent(server.received.at(-1)!, url) };
    }

    /** What the operator sees. */
    async function trailOf({ id }: { id: number }) {
      const { json: trail } = await service.call(`/operator/users/${id}/trail`, undefined, { method: 'GET' });
      expect(trail.messages).toHaveLength(1);
      return trail.messages[0];
    }

    return { service, send, trailOf };
  }

  async function call({ method, url, headers, body }: ReceiptCall): Promise<number> {
    const response = await fetch(url, { method, ...(headers && { headers }), ...(body !== undefined && { body }) });
    await response.arrayBuffer();
    return response.status;
  }

  it('reach the trail, forward only, and a replay changes nothing', async () => {
    const { send, trailOf } = await start();
    const sent = await send();
    const accepted = { state: 'accepted', gateway, gatewayMessageId: sent.gatewayId, reason: null };
    expect(await trailOf(sent)).toMatchObject(accepted);
    const failed = one.receipt(sent, 'failed');
    expect(await call(failed)).toBe(204);
    expect(await trailOf(sent)).toMatchObject({ state: 'failed', reason: one.reason });
    const delivered = one.receipt(sent, 'delivered');
    expect(await call(delivered)).toBe(204);
    const after = await trailOf(sent);
    expect(after).toMatchObject({ state: 'delivered', reason: null });
    for (const replayed of [failed, delivered, failed]) expect(await call(replayed)).toBe(204);
    expect(await trailOf(sent)).toEqual(after);
  });

  it('that are forged or of another message are refused or ignored', async () => {
    const { service, send, trailOf } = await start();
    const [sent, other] = [await send(), await send()];
    const before = [await trailOf(sent), await trailOf(other)];
    for (const forged of one.forgeries) {
      expect([forged.what, await call(one.receipt(sent, 'delivered', forged))]).toEqual([forged.what, 403]);
    }
    // Signed as it should be, about a message that we never sent or to an address that nobody was given.
    const made = `${sent.id}.1.AAAAAAAAAAAAAAAA`;
    const guessed = { ...sent, reference: made, address: sent.address.replace(sent.reference, made) };
    expect(await call(one.receipt(guessed, 'delivered'))).toBe(403);
    // What the gateway says of one message does not count for another.
    const crossed = { ...sent, gatewayId: other.gatewayId };
    expect(await call(one.receipt(crossed, 'failed'))).toBe(204);
    const genuine = one.receipt(sent, 'delivered');
    expect(await call({ ...genuine, method: 'POST', body: 'x'.repeat(70_000) })).toBe(413);
    const unreadable = await call({ ...genuine, method: 'POST', body: '\u0000{"]' });
    expect(unreadable, 'readReceipts returns undefined, and does not throw, if it cannot read the body').toBe(403);
    expect([await trailOf(sent), await trailOf(other)]).toEqual(before);
    // The genuine one still counts, and for its own message alone.
    expect(await call(genuine)).toBe(204);
    expect(await trailOf(sent)).toMatchObject({ state: 'delivered' });
    expect(await trailOf(other)).toEqual(before[1]);
    const log = service.logLines.join('');
    for (const secret of ['hunter2', webhookSecret.slice(6), sent.reference]) expect(log).not.toContain(secret);
  });
});
