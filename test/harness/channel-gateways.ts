/** A service with a gateway for each channel, all of them servers of ours, and the receipts that the real ones would send. */
import { createHmac } from 'node:crypto';
import { freePort } from '../../src/network/free-port.ts';
import { gatewayServer, type Received } from './servers/gateway-server.ts';
import { vonageAccepts } from './servers/twilio.ts';
import { serviceForTest, type Service } from './service.ts';

const token = 'token';
const secret = 'secret';

export async function channelGateways() {
  const whatsapp = await gatewayServer(() => ({ status: 200, body: { messages: [{ id: 'wamid.1' }] } }));
  const texts = await gatewayServer(() => ({ status: 201, body: { sid: 'SM1', status: 'queued' } }));
  const otherTexts = await gatewayServer(vonageAccepts);
  const calls = await gatewayServer(() => ({ status: 201, body: { sid: 'CA1', status: 'queued' } }));
  const port = await freePort();
  const settings = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LEDGERLINE_GATEWAYS: 'whatsapp,twilio,twilio-voice',
    LEDGERLINE_CHANNELS: '*=whatsapp,sms,voice',
    LEDGERLINE_SENDER: 'Acme; twilio-voice=+15550001',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: token,
    LEDGERLINE_VONAGE_KEY: 'key',
    LEDGERLINE_VONAGE_SECRET: 'secret',
    LEDGERLINE_WHATSAPP_PHONE_ID: '4711',
    LEDGERLINE_WHATSAPP_TOKEN: token,
    LEDGERLINE_WHATSAPP_SECRET: secret,
    LEDGERLINE_GATEWAY_URLS: `whatsapp=${whatsapp.url}; twilio=${texts.url}; twilio-voice=${calls.url}; vonage=${otherTexts.url}`,
  };
  return { whatsapp, texts, otherTexts, calls, settings };
}

export async function startWithChannels(more: Record<string, string> = {}) {
  const { settings, ...gateways } = await channelGateways();
  const service = await serviceForTest({ ...settings, ...more });
  return {
    ...gateways,
    service,
    send: (id: number, phoneNumber: string, channel?: string) =>
      service.call('/User/phone-number/send-code', { id, phoneNumber, channel }),
    resend: (id: number) => service.call(`/User/${id}/phone-number/resend-code`),
    sentBy: (id: number) => sentBy(service, id),
    advance: (seconds: number) => service.call('/sandbox/clock', { advanceSeconds: seconds }),
    whatsappReceipt: (message: Received, status: string) => sendWhatsappReceipt(service.url, message, status),
  };
}

/** The messages of a user, oldest first. */
export async function sentBy({ sql }: Pick<Service, 'sql'>, id: number): Promise<string[]> {
  const rows = await sql`select gateway, channel, state from messages where user_id = ${id} order by message_number`;
  return rows.map(({ gateway, channel, state }) => `${gateway} ${channel} ${state}`);
}

export const whatsappCode = (message: Received): string => message.json.template.components[0].parameters[0].text;
export const textCode = (message: Received): string => /\b\d{6}\b/.exec(message.form.Body ?? message.form.text!)![0];
/** The digits of a call are spoken one by one. */
export const spokenCode = (message: Received): string =>
  /(?:\d, ){5}\d/.exec(message.form.Twiml!)![0].replaceAll(', ', '');

/** `delivered`, or `failed` because the recipient is not on WhatsApp. */
export async function sendWhatsappReceipt(url: string, message: Received, status: string): Promise<number> {
  const { biz_opaque_callback_data: reference } = message.json;
  const errors = status === 'failed' ? [{ code: 131026 }] : [];
  const value = {
    metadata: { phone_number_id: '4711' },
    statuses: [{ id: 'wamid.1', status, errors, biz_opaque_callback_data: reference }],
  };
  const body = JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const { status: answered } = await fetch(`${url}/gateways/whatsapp/receipts`, {
    method: 'POST',
    headers: { 'x-hub-signature-256': signature },
    body,
  });
  return answered;
}

/** Of a text or of a call. The members are in the order of their names. */
export async function sendSignedForm(message: Received, members: Record<string, string>): Promise<number> {
  const address = message.form.StatusCallback!;
  const signed = address + Object.entries(members).flat().join('');
  const { status } = await fetch(address, {
    method: 'POST',
    headers: { 'x-twilio-signature': createHmac('sha1', token).update(signed).digest('base64') },
    body: new URLSearchParams(members),
  });
  return status;
}

export const textReceipt = (message: Received, status: string) =>
  sendSignedForm(message, { AccountSid: 'AC1', MessageSid: 'SM1', MessageStatus: status });
export const callReceipt = (message: Received, status: string) =>
  sendSignedForm(message, { AccountSid: 'AC1', CallSid: 'CA1', CallStatus: status });

/** Of a text that Vonage took. */
export async function vonageReceipt(message: Received, status: string): Promise<number> {
  const address = new URL(message.form.callback!);
  for (const [name, value] of Object.entries({ 'api-key': 'key', messageId: 'V1', status })) {
    address.searchParams.set(name, value);
  }
  return (await fetch(address)).status;
}
