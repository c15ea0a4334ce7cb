import type { Words } from './words.ts';

/** French. */
export const french: Words = {
  detailNames: {
    senderIban: 'IBAN de l’émetteur',
    receiverIban: 'IBAN du bénéficiaire',
    senderBic: 'BIC de l’émetteur',
    receiverBic: 'BIC du bénéficiaire',
    accountNumber: 'Numéro de compte',
    senderEmail: 'E-mail de l’émetteur',
    receiverEmail: 'E-mail du bénéficiaire',
    merchant: 'Commerçant',
    cardNetwork: 'Réseau de la carte',
    cardPan: 'Numéro de carte',
    cardAlias: 'Nom de la carte',
    paymentProvider: 'Prestataire de paiement',
    purposeDet: 'Motif',
    scaStatus: 'Authentification',
    reference: 'Référence',
    transactionFee: 'Frais',
    originalAmount: 'Montant d’origine',
    balanceAfter: 'Solde après l’opération',
    additionalData: 'Autres données',
  },
  types: {
    P2P: 'Transfert',
    CARD: 'Carte',
    SEPA: 'Virement bancaire',
    TOPUP: 'Rechargement',
    FEE: 'Frais',
    REFUND: 'Remboursement',
  },
  statuses: {
    Pending: 'En attente',
    Accepted: 'Effectuée',
    Rejected: 'Refusée',
    Reversed: 'Contre-passée',
    Cancelled: 'Annulée',
  },
  systems: {
    INTERNAL: 'À l’intérieur du portefeuille',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA instantané',
    CARD: 'Réseau de cartes',
    SWIFT: 'SWIFT',
  },
};
