import type { Words } from './words.ts';

/** English. */
export const english: Words = {
  detailNames: {
    senderIban: 'Sender’s IBAN',
    receiverIban: 'Receiver’s IBAN',
    senderBic: 'Sender’s BIC',
    receiverBic: 'Receiver’s BIC',
    accountNumber: 'Account number',
    senderEmail: 'Sender’s e-mail',
    receiverEmail: 'Receiver’s e-mail',
    merchant: 'Merchant',
    cardNetwork: 'Card network',
    cardPan: 'Card number',
    cardAlias: 'Card name',
    paymentProvider: 'Payment provider',
    purposeDet: 'Purpose',
    scaStatus: 'Authentication',
    reference: 'Reference',
    transactionFee: 'Fee',
    originalAmount: 'Original amount',
    balanceAfter: 'Balance afterwards',
    additionalData: 'Additional data',
  },
  types: {
    P2P: 'Transfer',
    CARD: 'Card',
    SEPA: 'Bank transfer',
    TOPUP: 'Top-up',
    FEE: 'Fee',
    REFUND: 'Refund',
  },
  statuses: {
    Pending: 'Pending',
    Accepted: 'Completed',
    Rejected: 'Rejected',
    Reversed: 'Reversed',
    Cancelled: 'Cancelled',
  },
  systems: {
    INTERNAL: 'Within the wallet',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA Instant',
    CARD: 'Card network',
    SWIFT: 'SWIFT',
  },
};
