/** What several operations answer with, for OpenAPI. */
import type { Schema } from '../../formats/shape.ts';

const word = (description: string, examples?: string[]): Schema => ({
  type: 'string',
  description,
  ...(examples && { examples }),
});

export const transactionSchema: Schema = {
  title: 'Transaction',
  type: 'object',
  required: [
    'transactionId',
    'amount',
    'currency',
    'timeStamp',
    'transactionType',
    'transactionCategory',
    'transactionStatus',
    'senderName',
    'receiverName',
    'paymentNotes',
    'paymentSystem',
  ],
  properties: {
    transactionId: { type: 'string', maxLength: 64, description: 'Transaction identifier.' },
    amount: {
      type: 'number',
      minimum: 0,
      description: 'Exact decimal: up to 20 digits before the point and 6 after, at the scale it was recorded with.',
    },
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' },
    timeStamp: { type: 'string', format: 'date-time', description: 'UTC, up to microseconds.' },
    transactionType: word('Kind of transaction. An open set.', ['P2P', 'CARD', 'SEPA', 'TOPUP', 'FEE', 'REFUND']),
    transactionCategory: word('Direction of the money.', ['Debit', 'Credit']),
    transactionStatus: word('Status. An open set.', ['Pending', 'Accepted', 'Rejected', 'Reversed', 'Cancelled']),
    senderName: word('Name of the sender.'),
    receiverName: word('Name of the receiver.'),
    paymentNotes: word('Free-text note of the payment.'),
    paymentSystem: word('Payment system that carried the transaction.', [
      'INTERNAL',
      'SEPA',
      'SEPA_INSTANT',
      'CARD',
      'SWIFT',
    ]),
  },
};

export const exampleTransaction = {
  transactionId: 'f3b1c2d4-0001',
  amount: 12.5,
  currency: 'EUR',
  timeStamp: '2026-03-01T09:30:00Z',
  transactionType: 'P2P',
  transactionCategory: 'Debit',
  transactionStatus: 'Accepted',
  senderName: 'Ada Park',
  receiverName: 'Coffee Corner',
  paymentNotes: 'Two flat whites',
  paymentSystem: 'INTERNAL',
};
