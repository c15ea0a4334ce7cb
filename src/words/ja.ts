import type { Words } from './words.ts';

/** Japanese. */
export const japanese: Words = {
  detailNames: {
    senderIban: '送金人のIBAN',
    receiverIban: '受取人のIBAN',
    senderBic: '送金人のBIC',
    receiverBic: '受取人のBIC',
    accountNumber: '口座番号',
    senderEmail: '送金人のメール',
    receiverEmail: '受取人のメール',
    merchant: '加盟店',
    cardNetwork: 'カードのブランド',
    cardPan: 'カード番号',
    cardAlias: 'カード名',
    paymentProvider: '決済事業者',
    purposeDet: '目的',
    scaStatus: '認証',
    reference: '参照番号',
    transactionFee: '手数料',
    originalAmount: '元の金額',
    balanceAfter: '取引後の残高',
    additionalData: '追加データ',
  },
  types: {
    P2P: '送金',
    CARD: 'カード',
    SEPA: '銀行振込',
    TOPUP: 'チャージ',
    FEE: '手数料',
    REFUND: '返金',
  },
  statuses: {
    Pending: '保留中',
    Accepted: '完了',
    Rejected: '拒否',
    Reversed: '取消（戻し）',
    Cancelled: 'キャンセル',
  },
  systems: {
    INTERNAL: 'ウォレット内',
    SEPA: 'SEPA',
    SEPA_INSTANT: 'SEPA即時',
    CARD: 'カードネットワーク',
    SWIFT: 'SWIFT',
  },
};
