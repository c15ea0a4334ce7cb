import { receiptRefused, unknownPath } from '../../../errors.ts';
import type { TakeReceipts } from '../../../messages/receipts.ts';
import type { GatewayDefinition } from '../../../sms/define-gateway.ts';
import type { Gateway } from '../../../sms/gateway.ts';
import { gatewayDefinitions } from '../../../sms/gateways/index.ts';
import { optional, text } from '../../../formats/shape.ts';
import { operation, type AnyOperation, type Reply, type ResponseDoc } from '../../operation.ts';
import { query } from '../../query-shape.ts';

const largestReceipt = 64 * 1024;

interface Receipts {
  /** The URL of the service as gateways see it. Some gateways sign it. */
  publicUrl: string;
  find(gateway: string): Gateway | undefined;
  take: TakeReceipts;
}

export function receiptOperations(receipts: Receipts): AnyOperation[] {
  return gatewayDefinitions.flatMap(({ name, receiptMethods = [], hasHandshake = false }: GatewayDefinition) =>
    receiptMethods.map((method) => receiptOperation(receipts, name, method, hasHandshake && method === 'GET')),
  );
}

const handshakeAnswer: ResponseDoc = {
  about: 'For a gateway that checks the URL before it is used: what it gave us to return.',
  contentType: 'text/plain',
  examples: { 'text/plain': '1158201444' },
};

function handshakeReply(challenge: string | undefined): Reply {
  if (challenge === undefined) throw receiptRefused();
  return { status: 200, body: challenge, contentType: 'text/plain; charset=utf-8' };
}

const receiptOperation = (receipts: Receipts, gateway: string, method: 'GET' | 'POST', isHandshake: boolean) =>
  operation({
    name: `receipts-${gateway}${method === 'GET' ? '-get' : ''}`,
    method,
    path: `/gateways/${gateway}/receipts`,
    tag: 'Gateways',
    summary: `Receipt of ${gateway}, ${method}`,
    about:
      'For the gateway, not for callers of the API. A receipt is authentic if it is sent to the URL of its message, which only the gateway knows, and if its signature is valid, for gateways that sign.',
    rawBody: true,
    largestBody: largestReceipt,
    query: query({ message: optional(text(), 'The reference of the message, as it was given to the gateway.') }),
    responses: {
      ...(isHandshake && { 200: handshakeAnswer }),
      204: { about: 'Taken, or known already.' },
    },
    errors: ['receipt-refused', 'not-found', 'body-too-large', 'request-timeout'],
    async handle({ request, query: { message } }) {
      const found = receipts.find(gateway);
      if (!found) throw unknownPath();
      const url = receipts.publicUrl + request.address;
      const callback = { url, headers: request.headers, body: request.bytes ?? Buffer.alloc(0) };
      if (isHandshake && found.readHandshake) return handshakeReply(found.readHandshake(callback));
      await receipts.take(found, callback, message);
      return { status: 204 };
    },
  });
