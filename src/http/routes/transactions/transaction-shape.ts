/** A transaction as the list and get-transaction return it. */
import { instant, number, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';

/** A text of an open set, with the values that are known. */
const open = (examples: string[]) => text({ schema: { examples } });

const members = {
  transactionId: required(text({ maxLength: 64 }), 'Transaction identifier.'),
  amount: required(
    number({ minimum: 0 }),
    'Exact decimal: up to 20 digits before the point and 6 after, at the scale it was recorded with.',
  ),
  currency: required(text({ schema: { pattern: '^[A-Z]{3}$' } }), 'ISO 4217 code.'),
  timeStamp: required(instant(), 'UTC, up to microseconds.'),
  transactionType: required(
    open(['P2P', 'CARD', 'SEPA', 'TOPUP', 'FEE', 'REFUND']),
    'Kind of transaction. An open set.',
  ),
  transactionCategory: required(open(['Debit', 'Credit']), 'Direction of the money.'),
  transactionStatus: required(
    open(['Pending', 'Accepted', 'Rejected', 'Reversed', 'Cancelled']),
    'Status. An open set.',
  ),
  senderName: required(text(), 'Name of the sender.'),
  receiverName: required(text(), 'Name of the receiver.'),
  paymentNotes: required(text(), 'Free-text note of the payment.'),
  paymentSystem: required(
    open(['INTERNAL', 'SEPA', 'SEPA_INSTANT', 'CARD', 'SWIFT']),
    'Payment system that carried the transaction.',
  ),
};

export const transactionShape = record('Transaction', members);

/** A transaction as it was at a time. */
export const versionShape = record('TransactionVersion', {
  ...members,
  recordedAt: required(instant(), 'When this version was recorded, UTC.'),
});

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
