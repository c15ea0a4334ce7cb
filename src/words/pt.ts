import type { Words } from './words.ts';

/** Portuguese. */
export const portuguese: Words = {
  detailNames: {
    senderIban: 'IBAN do ordenante',
    receiverIban: 'IBAN do beneficiário',
    senderBic: 'BIC do ordenante',
    receiverBic: 'BIC do beneficiário',
    accountNumber: 'Número de conta',
    senderEmail: 'E-mail do ordenante',
    receiverEmail: 'E-mail do beneficiário',
    merchant: 'Comerciante',
    cardNetwork: 'Rede do cartão',
    cardPan: 'Número do cartão',
    cardAlias: 'Nome do cartão',
    paymentProvider: 'Prestador de pagamento',
    purposeDet: 'Finalidade',
    scaStatus: 'Autenticação',
    reference: 'Referência',
    transactionFee: 'Comissão',
    originalAmount: 'Montante original',
    balanceAfter: 'Saldo posterior',
    additionalData: 'Outros dados',
  },
  types: {
    P2P: 'Envio',
    CARD: 'Cartão',
    SEPA: 'Transferência bancária',
    TOPUP: 'Carregamento',
    FEE: 'Comissão',
    REFUND: 'Reembolso',
  },
  statuses: {
    Pending: 'Pendente',
    Accepted: 'Concluído',
    Rejected: 'Recusado',
    Reversed: 'Estornado',
    Cancelled: 'Cancelado',
  },
  systems: {
    INTERNAL: 'Dentro da carteira',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA imediata',
    CARD: 'Rede de cartões',
    SWIFT: 'SWIFT',
  },
};
