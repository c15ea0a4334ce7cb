/** The service behind a gateway that speaks as Twilio does, and the receipts that Twilio would send. */
import { createHmac } from 'node:crypto';
import { freePort } from '../../../src/network/free-port.ts';

const token = 'secret';

/** Settings of a service that sends through this gateway, and that its receipts can reach. */
export async function twilioSettings(gatewayUrl: string): Promise<Record<string, string>> {
  const port = String(await freePort());
  return {
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LEDGERLINE_GATEWAYS: 'twilio',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: token,
    LEDGERLINE_GATEWAY_URLS: `twilio=${gatewayUrl}`,
    LEDGERLINE_SENDER: 'Ledgerline',
    LEDGERLINE_SEND_SECONDS: '1',
  };
}

export const twilioAccepts = () => ({ status: 201, body: { sid: 'SM1', status: 'queued' } });

/** Sends a signed receipt to the address that came with the message. */
export async function sendTwilioReceipt(address: string, status: string): Promise<Response> {
  const members = { AccountSid: 'AC1', MessageSid: 'SM1', MessageStatus: status };
  const signed = address + Object.entries(members).flat().join('');
  return fetch(address, {
    method: 'POST',
    headers: { 'x-twilio-signature': createHmac('sha1', token).update(signed).digest('base64') },
    body: new URLSearchParams(members),
  });
}

export const vonageAccepts = () => ({ status: 200, body: { messages: [{ status: '0', 'message-id': 'V1' }] } });

/** The same with a second gateway behind the first one. */
export async function twoGatewaySettings(twilioUrl: string, vonageUrl: string): Promise<Record<string, string>> {
  return {
    ...(await twilioSettings(twilioUrl)),
    LEDGERLINE_GATEWAYS: 'twilio,vonage',
    LEDGERLINE_VONAGE_KEY: 'key',
    LEDGERLINE_VONAGE_SECRET: 'secret',
    LEDGERLINE_GATEWAY_URLS: `twilio=${twilioUrl}; vonage=${vonageUrl}`,
  };
}
