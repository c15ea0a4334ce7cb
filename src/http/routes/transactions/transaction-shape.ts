/** A transaction as the list returns it, and with its details as get-transaction returns it. */
import { instant, number, record, responseOnly } from '../../../formats/record.ts';
import { optional, required, text } from '../../../formats/shape.ts';
import type { DetailName } from '../../../transactions/details/details.ts';

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

const decimalDetail = (about: string, schema = {}) => optional(number(schema), about);

/** Those that were recorded. The others are absent. */
const details = {
  senderIban: optional(text(), 'IBAN of the sender.'),
  receiverIban: optional(text(), 'IBAN of the receiver.'),
  senderBic: optional(text(), 'BIC of the sender’s bank.'),
  receiverBic: optional(text(), 'BIC of the receiver’s bank.'),
  accountNumber: optional(text(), 'Number of an account that has no IBAN.'),
  senderEmail: optional(text(), 'E-mail address of the sender.'),
  receiverEmail: optional(text(), 'E-mail address of the receiver.'),
  merchant: optional(text(), 'Merchant.'),
  cardNetwork: optional(text(), 'Network of the card.'),
  cardPan: optional(text(), 'Masked card number.'),
  cardAlias: optional(text(), 'Name that the holder gave the card.'),
  paymentProvider: optional(text(), 'Provider that carried the payment.'),
  purposeDet: optional(text(), 'Purpose of the payment.'),
  scaStatus: optional(text(), 'Outcome of the strong customer authentication.'),
  reference: optional(text(), 'Reference of the payment, such as its end-to-end id.'),
  transactionFee: decimalDetail('Fee, in feeCurrency. Exact decimal.', { minimum: 0 }),
  originalAmount: decimalDetail('Amount before it was exchanged. Exact decimal.', { minimum: 0 }),
  balanceAfter: decimalDetail('Balance after the transaction. Exact decimal, which may be negative.'),
  feeCurrency: optional(text(), 'ISO 4217 code of the fee.'),
  originalCurrency: optional(text(), 'ISO 4217 code of originalAmount.'),
  additionalData: optional(
    responseOnly<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    'Anything else that was recorded.',
  ),
} satisfies Record<DetailName, unknown>;

/** A transaction with its details. */
export const detailedTransactionShape = record('DetailedTransaction', { ...members, ...details });

/** A transaction as it was at a time. */
export const versionShape = record('TransactionVersion', {
  ...members,
  ...details,
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

export const exampleDetails = {
  senderIban: 'DE02120300000000202051',
  merchant: 'Coffee Corner Berlin',
  cardNetwork: 'VISA',
  cardPan: '411111******1111',
  reference: 'RF18539007547034',
};
