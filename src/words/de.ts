import type { Words } from './words.ts';

/** German. */
export const german: Words = {
  detailNames: {
    senderIban: 'IBAN des Auftraggebers',
    receiverIban: 'IBAN des Empfängers',
    senderBic: 'BIC des Auftraggebers',
    receiverBic: 'BIC des Empfängers',
    accountNumber: 'Kontonummer',
    senderEmail: 'E-Mail des Auftraggebers',
    receiverEmail: 'E-Mail des Empfängers',
    merchant: 'Händler',
    cardNetwork: 'Kartennetz',
    cardPan: 'Kartennummer',
    cardAlias: 'Kartenname',
    paymentProvider: 'Zahlungsdienst',
    purposeDet: 'Zweck',
    scaStatus: 'Authentifizierung',
    reference: 'Referenz',
    transactionFee: 'Gebühr',
    originalAmount: 'Ursprünglicher Betrag',
    balanceAfter: 'Saldo danach',
    additionalData: 'Weitere Daten',
  },
  types: {
    P2P: 'Überweisung an Personen',
    CARD: 'Karte',
    SEPA: 'Banküberweisung',
    TOPUP: 'Aufladung',
    FEE: 'Gebühr',
    REFUND: 'Erstattung',
  },
  statuses: {
    Pending: 'Ausstehend',
    Accepted: 'Abgeschlossen',
    Rejected: 'Abgelehnt',
    Reversed: 'Zurückgebucht',
    Cancelled: 'Storniert',
  },
  systems: {
    INTERNAL: 'Innerhalb der Wallet',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA-Echtzeit',
    CARD: 'Kartennetz',
    SWIFT: 'SWIFT',
  },
};
