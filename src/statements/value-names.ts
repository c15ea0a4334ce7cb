/** The names of types, statuses and payment systems, by language: the same as in the wallet. */

export interface ValueNames {
  types: Readonly<Record<string, string>>;
  statuses: Readonly<Record<string, string>>;
  systems: Readonly<Record<string, string>>;
}

export const valueNames: Record<string, ValueNames> = {
  en: {
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
  },
  de: {
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
  },
  fr: {
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
  },
  es: {
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
  },
  pt: {
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
  },
  it: {
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
  },
  ar: {
    types: {
      P2P: 'تحويل',
      CARD: 'بطاقة',
      SEPA: 'تحويل مصرفي',
      TOPUP: 'شحن رصيد',
      FEE: 'رسوم',
      REFUND: 'استرداد',
    },
    statuses: {
      Pending: 'قيد الانتظار',
      Accepted: 'مكتملة',
      Rejected: 'مرفوضة',
      Reversed: 'معكوسة',
      Cancelled: 'ملغاة',
    },
    systems: {
      INTERNAL: 'داخل المحفظة',
      SEPA: 'SEPA',
      SEPA_INSTANT: 'SEPA فوري',
      CARD: 'شبكة البطاقات',
      SWIFT: 'SWIFT',
    },
  },
  ja: {
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
  },
};

/** The name of a value, whatever its case; one that has no name is written as words: `card_payment` as Card payment. */
export function nameOf(names: Readonly<Record<string, string>>, code: string): string {
  const folded = code.toLowerCase();
  const known = Object.keys(names).find((name) => name.toLowerCase() === folded);
  return known === undefined ? inWords(code) : names[known]!;
}

/** Only of names that programs write: with underscores, hyphens or capitals inside. Words with digits, as P2P, stay. */
function inWords(code: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(code)) return code;
  const words = code
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean);
  const text =
    words.length === 1 ? words[0]! : words.map((word) => (/\d/.test(word) ? word : word.toLowerCase())).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
