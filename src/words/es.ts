import type { Words } from './words.ts';

/** Spanish. */
export const spanish: Words = {
  detailNames: {
    senderIban: 'IBAN del ordenante',
    receiverIban: 'IBAN del beneficiario',
    senderBic: 'BIC del ordenante',
    receiverBic: 'BIC del beneficiario',
    accountNumber: 'Número de cuenta',
    senderEmail: 'Correo del ordenante',
    receiverEmail: 'Correo del beneficiario',
    merchant: 'Comercio',
    cardNetwork: 'Red de la tarjeta',
    cardPan: 'Número de tarjeta',
    cardAlias: 'Nombre de la tarjeta',
    paymentProvider: 'Proveedor de pago',
    purposeDet: 'Motivo',
    scaStatus: 'Autenticación',
    reference: 'Referencia',
    transactionFee: 'Comisión',
    originalAmount: 'Importe original',
    balanceAfter: 'Saldo posterior',
    additionalData: 'Otros datos',
  },
  types: {
    P2P: 'Envío',
    CARD: 'Tarjeta',
    SEPA: 'Transferencia bancaria',
    TOPUP: 'Recarga',
    FEE: 'Comisión',
    REFUND: 'Reembolso',
  },
  statuses: {
    Pending: 'Pendiente',
    Accepted: 'Completado',
    Rejected: 'Rechazado',
    Reversed: 'Revertido',
    Cancelled: 'Cancelado',
  },
  systems: {
    INTERNAL: 'Dentro del monedero',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA inmediata',
    CARD: 'Red de tarjetas',
    SWIFT: 'SWIFT',
  },
};
