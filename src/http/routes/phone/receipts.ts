import { unknownPath } from '../../../errors.ts';
import type { TakeReceipts } from '../../../messages/receipts.ts';
import type { Gateway } from '../../../sms/gateway.ts';
import { gatewayDefinitions } from '../../../sms/gateways/index.ts';
import { optional, text } from '../../../formats/shape.ts';
import { empty, operation, type AnyOperation } from '../../operation.ts';
import { query } from '../../query-shape.ts';

const largestReceipt = 64 * 1024;

export interface Receipts {
  /** The URL of the service as gateways see it. Some gateways sign it. */
  publicUrl: string;
  find(gateway: string): Gateway | undefined;
  take: TakeReceipts;
}

export function receiptOperations(receipts: Receipts): AnyOperation[] {
  return gatewayDefinitions.flatMap(({ name, receiptMethods = [] }) =>
    receiptMethods.map((method) => receiptOperation(receipts, name, method)),
  );
}

const receiptOperation = (receipts: Receipts, gateway: string, method: 'GET' | 'POST') =>
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
      204: { about: 'Taken, or known already.' },
    },
    errors: ['receipt-refused', 'not-found', 'body-too-large', 'request-timeout'],
    async handle({ request, query: { message } }) {
      const found = receipts.find(gateway);
      if (!found) throw unknownPath();
      const url = receipts.publicUrl + request.address;
      await receipts.take(found, { url, headers: request.headers, body: request.bytes ?? Buffer.alloc(0) }, message);
      return empty(204);
    },
  });
