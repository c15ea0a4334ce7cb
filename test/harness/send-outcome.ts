/** A gateway as Twilio is, and a service that does not wait long for it. */
import type { Received } from './servers/gateway-server.ts';

let sequence = 0;
export const accepts = () => ({ status: 201, body: { sid: `SM${(sequence += 1)}`, status: 'queued' } });

/** The code of the text that the gateway has received. */
export const codeIn = ({ form }: Received) => /\b\d{6}\b/.exec(form.Body ?? form.text ?? '')![0];

export function impatientSettings(url: string): Record<string, string> {
  return {
    LEDGERLINE_GATEWAYS: 'twilio',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'secret',
    LEDGERLINE_GATEWAY_URLS: `twilio=${url}`,
    LEDGERLINE_SENDER: 'Ledgerline',
    LEDGERLINE_GATEWAY_SECONDS: '1',
    LEDGERLINE_SEND_SECONDS: '10',
    LEDGERLINE_BREAKER: '1000/5s/2m',
  };
}
