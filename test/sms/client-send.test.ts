/** One `sendCode()` of the client, through the service, to gateways that answer too late. */
import { describe, expect, it } from 'vitest';
import { createClient, LedgerlineError } from '../../client/index.ts';
import { gatewayServer, type Received } from '../harness/servers/gateway-server.ts';
import { newPhone, serviceForTest } from '../harness/service.ts';

const codeIn = ({ form }: Received) => /\b\d{6}\b/.exec(form.Body ?? form.text ?? '')![0];

async function start() {
  const twilio = await gatewayServer('hang');
  const vonage = await gatewayServer('hang');
  const service = await serviceForTest({
    LEDGERLINE_GATEWAYS: 'twilio,vonage',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'token',
    LEDGERLINE_GATEWAY_URLS: `twilio=${twilio.url}; vonage=${vonage.url}`,
    LEDGERLINE_VONAGE_KEY: 'key',
    LEDGERLINE_VONAGE_SECRET: 'secret',
    LEDGERLINE_GATEWAY_SECONDS: '1',
    LEDGERLINE_SEND_SECONDS: '20',
    LEDGERLINE_BREAKER: '1000/5s/2m',
  });
  const client = createClient({ baseUrl: service.url, token: await service.token() });
  const { id } = await client.createUser();
  return { twilio, vonage, service, client, id, phoneNumber: newPhone() };
}

describe('sendCode()', () => {
  it('tries once more if the outcome is unknown, and every text carries the same code, which works', async () => {
    const { twilio, vonage, service, client, id, phoneNumber } = await start();
    const error = await client.sendCode({ id, phoneNumber }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LedgerlineError);
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'send-outcome-unknown', status: 503 });
    expect([twilio.received.length, vonage.received.length]).toEqual([2, 2]);
    const codes = [...twilio.received, ...vonage.received].map(codeIn);
    expect(new Set(codes).size).toBe(1);
    // Both tries are counted, under one key.
    const [row] = await service.sql`select cardinality(sends) as sends from verifications where user_id = ${id}`;
    expect(row!.sends).toBe(2);
    await client.verify({ id, code: codes[0]! });
    expect((await client.userStatus(id)).isPhoneNumberVerified).toBe(true);
  });

  it('succeeds by the second try, with the code of the first', async () => {
    const { twilio, vonage, client, id, phoneNumber } = await start();
    vonage.behave(({ form }) => {
      const isFirst = vonage.received.length === 1;
      expect(form.to).toBe(phoneNumber.slice(1));
      return isFirst ? { status: 504 } : { status: 200, body: { messages: [{ status: '0', 'message-id': 'V1' }] } };
    });
    await client.sendCode({ id, phoneNumber });
    expect([twilio.received.length, vonage.received.length]).toEqual([2, 2]);
    const codes = [...twilio.received, ...vonage.received].map(codeIn);
    expect(new Set(codes).size).toBe(1);
    await client.verify({ id, code: codes[0]! });
  });
});
