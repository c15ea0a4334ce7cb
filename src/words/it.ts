import type { Words } from './words.ts';

/** Italian. */
export const italian: Words = {
  detailNames: {
    senderIban: 'IBAN dell’ordinante',
    receiverIban: 'IBAN del beneficiario',
    senderBic: 'BIC dell’ordinante',
    receiverBic: 'BIC del beneficiario',
    accountNumber: 'Numero di conto',
    senderEmail: 'E-mail dell’ordinante',
    receiverEmail: 'E-mail del beneficiario',
    merchant: 'Esercente',
    cardNetwork: 'Circuito della carta',
    cardPan: 'Numero della carta',
    cardAlias: 'Nome della carta',
    paymentProvider: 'Fornitore di pagamento',
    purposeDet: 'Causale',
    scaStatus: 'Autenticazione',
    reference: 'Riferimento',
    transactionFee: 'Commissione',
    originalAmount: 'Importo originale',
    balanceAfter: 'Saldo successivo',
    additionalData: 'Altri dati',
  },
  types: {
    P2P: 'Trasferimento',
    CARD: 'Carta',
    SEPA: 'Bonifico',
    TOPUP: 'Ricarica',
    FEE: 'Commissione',
    REFUND: 'Rimborso',
  },
  statuses: {
    Pending: 'In sospeso',
    Accepted: 'Completato',
    Rejected: 'Rifiutato',
    Reversed: 'Stornato',
    Cancelled: 'Annullato',
  },
  systems: {
    INTERNAL: 'Dentro il portafoglio',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA istantaneo',
    CARD: 'Circuito di carte',
    SWIFT: 'SWIFT',
  },
};
