/** The labels of statements and confirmations, by language. Other languages get the English ones. */

export interface StatementTexts {
  title: string;
  individual: string;
  period: string;
  allTime: string;
  until: string;
  since: string;
  madeAt: string;
  filters: string;
  totals: string;
  currency: string;
  count: string;
  moneyIn: string;
  moneyOut: string;
  other: string;
  transactions: string;
  date: string;
  details: string;
  status: string;
  amount: string;
  none: string;
  page: string;
  end: string;
  confirmation: string;
  sender: string;
  receiver: string;
  notes: string;
  type: string;
  paymentSystem: string;
  transactionId: string;
}

const english: StatementTexts = {
  title: 'Account statement',
  individual: 'Customer',
  period: 'Period',
  allTime: 'All transactions',
  until: 'until',
  since: 'from',
  madeAt: 'Made on',
  filters: 'Filters',
  totals: 'Totals',
  currency: 'Currency',
  count: 'Transactions',
  moneyIn: 'Money in',
  moneyOut: 'Money out',
  other: 'Other',
  transactions: 'Transactions',
  date: 'Date',
  details: 'Details',
  status: 'Status',
  amount: 'Amount',
  none: 'There are no transactions in this period.',
  page: 'Page',
  end: 'End of the statement',
  confirmation: 'Transaction confirmation',
  sender: 'From',
  receiver: 'To',
  notes: 'Note',
  type: 'Type',
  paymentSystem: 'Paid through',
  transactionId: 'Transaction id',
};

const byLanguage: Record<string, StatementTexts> = {
  en: english,
  de: {
    title: 'Kontoauszug',
    individual: 'Kunde',
    period: 'Zeitraum',
    allTime: 'Alle Umsätze',
    until: 'bis',
    since: 'ab',
    madeAt: 'Erstellt am',
    filters: 'Filter',
    totals: 'Summen',
    currency: 'Währung',
    count: 'Umsätze',
    moneyIn: 'Eingänge',
    moneyOut: 'Ausgänge',
    other: 'Sonstige',
    transactions: 'Umsätze',
    date: 'Datum',
    details: 'Beschreibung',
    status: 'Status',
    amount: 'Betrag',
    none: 'In diesem Zeitraum gibt es keine Umsätze.',
    page: 'Seite',
    end: 'Ende des Kontoauszugs',
    confirmation: 'Umsatzbeleg',
    sender: 'Von',
    receiver: 'An',
    notes: 'Notiz',
    type: 'Art',
    paymentSystem: 'Gezahlt über',
    transactionId: 'Umsatz-ID',
  },
  fr: {
    title: 'Relevé de compte',
    individual: 'Client',
    period: 'Période',
    allTime: 'Toutes les opérations',
    until: 'jusqu’au',
    since: 'à partir du',
    madeAt: 'Établi le',
    filters: 'Filtres',
    totals: 'Totaux',
    currency: 'Devise',
    count: 'Opérations',
    moneyIn: 'Entrées',
    moneyOut: 'Sorties',
    other: 'Autres',
    transactions: 'Opérations',
    date: 'Date',
    details: 'Libellé',
    status: 'État',
    amount: 'Montant',
    none: 'Aucune opération pendant cette période.',
    page: 'Page',
    end: 'Fin du relevé',
    confirmation: 'Justificatif d’opération',
    sender: 'De',
    receiver: 'À',
    notes: 'Note',
    type: 'Type',
    paymentSystem: 'Payé par',
    transactionId: 'Identifiant de l’opération',
  },
  es: {
    title: 'Extracto de cuenta',
    individual: 'Cliente',
    period: 'Período',
    allTime: 'Todos los movimientos',
    until: 'hasta el',
    since: 'desde el',
    madeAt: 'Emitido el',
    filters: 'Filtros',
    totals: 'Totales',
    currency: 'Divisa',
    count: 'Movimientos',
    moneyIn: 'Ingresos',
    moneyOut: 'Gastos',
    other: 'Otros',
    transactions: 'Movimientos',
    date: 'Fecha',
    details: 'Concepto',
    status: 'Estado',
    amount: 'Importe',
    none: 'No hay movimientos en este período.',
    page: 'Página',
    end: 'Fin del extracto',
    confirmation: 'Justificante del movimiento',
    sender: 'De',
    receiver: 'Para',
    notes: 'Nota',
    type: 'Tipo',
    paymentSystem: 'Pagado por',
    transactionId: 'Identificador del movimiento',
  },
  pt: {
    title: 'Extrato da conta',
    individual: 'Cliente',
    period: 'Período',
    allTime: 'Todos os movimentos',
    until: 'até',
    since: 'a partir de',
    madeAt: 'Emitido em',
    filters: 'Filtros',
    totals: 'Totais',
    currency: 'Moeda',
    count: 'Movimentos',
    moneyIn: 'Entradas',
    moneyOut: 'Saídas',
    other: 'Outros',
    transactions: 'Movimentos',
    date: 'Data',
    details: 'Descrição',
    status: 'Estado',
    amount: 'Valor',
    none: 'Não há movimentos neste período.',
    page: 'Página',
    end: 'Fim do extrato',
    confirmation: 'Comprovativo do movimento',
    sender: 'De',
    receiver: 'Para',
    notes: 'Nota',
    type: 'Tipo',
    paymentSystem: 'Pago por',
    transactionId: 'Identificador do movimento',
  },
  it: {
    title: 'Estratto conto',
    individual: 'Cliente',
    period: 'Periodo',
    allTime: 'Tutti i movimenti',
    until: 'fino al',
    since: 'dal',
    madeAt: 'Emesso il',
    filters: 'Filtri',
    totals: 'Totali',
    currency: 'Valuta',
    count: 'Movimenti',
    moneyIn: 'Entrate',
    moneyOut: 'Uscite',
    other: 'Altro',
    transactions: 'Movimenti',
    date: 'Data',
    details: 'Descrizione',
    status: 'Stato',
    amount: 'Importo',
    none: 'Nessun movimento in questo periodo.',
    page: 'Pagina',
    end: 'Fine dell’estratto',
    confirmation: 'Ricevuta del movimento',
    sender: 'Da',
    receiver: 'A',
    notes: 'Nota',
    type: 'Tipo',
    paymentSystem: 'Pagato tramite',
    transactionId: 'Identificativo del movimento',
  },
};

export function textsFor(locale: string): StatementTexts {
  return byLanguage[new Intl.Locale(locale).language] ?? english;
}
