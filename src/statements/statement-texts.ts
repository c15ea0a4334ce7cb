/** The labels of statements and confirmations, by language. Other languages get the English ones. */
import type { Direction } from './direction.ts';
import type { Fonts } from './fonts.ts';
import { canDrawDates } from './formats.ts';
import { wordsByLanguage } from '../words/by-language.ts';
import type { Words } from '../words/words.ts';

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
  /** With {page} and {pages}. */
  page: string;
  holder: string;
  account: string;
  search: string;
  category: string;
  end: string;
  confirmation: string;
  sender: string;
  receiver: string;
  notes: string;
  type: string;
  paymentSystem: string;
  transactionId: string;
  unnamed: string;
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
  page: 'Page {page} of {pages}',
  holder: 'Account holder',
  account: 'Account',
  search: 'Search',
  category: 'Direction',
  end: 'End of the statement',
  confirmation: 'Transaction confirmation',
  sender: 'From',
  receiver: 'To',
  notes: 'Note',
  type: 'Type',
  paymentSystem: 'Paid through',
  transactionId: 'Transaction id',
  unnamed: 'Unnamed',
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
    page: 'Seite {page} von {pages}',
    holder: 'Kontoinhaber',
    account: 'Konto',
    search: 'Suche',
    category: 'Richtung',
    end: 'Ende des Kontoauszugs',
    confirmation: 'Umsatzbeleg',
    sender: 'Von',
    receiver: 'An',
    notes: 'Notiz',
    type: 'Art',
    paymentSystem: 'Gezahlt über',
    transactionId: 'Umsatz-ID',
    unnamed: 'Ohne Namen',
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
    page: 'Page {page} sur {pages}',
    holder: 'Titulaire',
    account: 'Compte',
    search: 'Recherche',
    category: 'Sens',
    end: 'Fin du relevé',
    confirmation: 'Justificatif d’opération',
    sender: 'De',
    receiver: 'À',
    notes: 'Note',
    type: 'Type',
    paymentSystem: 'Payé par',
    transactionId: 'Identifiant de l’opération',
    unnamed: 'Sans nom',
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
    page: 'Página {page} de {pages}',
    holder: 'Titular',
    account: 'Cuenta',
    search: 'Búsqueda',
    category: 'Dirección',
    end: 'Fin del extracto',
    confirmation: 'Justificante del movimiento',
    sender: 'De',
    receiver: 'Para',
    notes: 'Nota',
    type: 'Tipo',
    paymentSystem: 'Pagado por',
    transactionId: 'Identificador del movimiento',
    unnamed: 'Sin nombre',
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
    page: 'Página {page} de {pages}',
    holder: 'Titular',
    account: 'Conta',
    search: 'Pesquisa',
    category: 'Direção',
    end: 'Fim do extrato',
    confirmation: 'Comprovativo do movimento',
    sender: 'De',
    receiver: 'Para',
    notes: 'Nota',
    type: 'Tipo',
    paymentSystem: 'Pago por',
    transactionId: 'Identificador do movimento',
    unnamed: 'Sem nome',
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
    page: 'Pagina {page} di {pages}',
    holder: 'Intestatario',
    account: 'Conto',
    search: 'Ricerca',
    category: 'Direzione',
    end: 'Fine dell’estratto',
    confirmation: 'Ricevuta del movimento',
    sender: 'Da',
    receiver: 'A',
    notes: 'Nota',
    type: 'Tipo',
    paymentSystem: 'Pagato tramite',
    transactionId: 'Identificativo del movimento',
    unnamed: 'Senza nome',
  },
  ar: {
    title: 'كشف الحساب',
    individual: 'العميل',
    period: 'الفترة',
    allTime: 'كل المعاملات',
    until: 'حتى',
    since: 'من',
    madeAt: 'تاريخ الإصدار',
    filters: 'عوامل التصفية',
    totals: 'الإجماليات',
    currency: 'العملة',
    count: 'المعاملات',
    moneyIn: 'الوارد',
    moneyOut: 'الصادر',
    other: 'أخرى',
    transactions: 'المعاملات',
    date: 'التاريخ',
    details: 'التفاصيل',
    status: 'الحالة',
    amount: 'المبلغ',
    none: 'لا توجد معاملات في هذه الفترة.',
    page: 'صفحة {page} من {pages}',
    holder: 'صاحب الحساب',
    account: 'الحساب',
    search: 'البحث',
    category: 'الاتجاه',
    end: 'نهاية الكشف',
    confirmation: 'إشعار معاملة',
    sender: 'من',
    receiver: 'إلى',
    notes: 'ملاحظة',
    type: 'النوع',
    paymentSystem: 'وسيلة الدفع',
    transactionId: 'معرّف المعاملة',
    unnamed: 'بلا اسم',
  },
  ja: {
    title: '取引明細書',
    individual: 'お客様',
    period: '期間',
    allTime: 'すべての取引',
    until: 'まで：',
    since: 'から：',
    madeAt: '作成日時',
    filters: '絞り込み',
    totals: '合計',
    currency: '通貨',
    count: '取引件数',
    moneyIn: '入金',
    moneyOut: '出金',
    other: 'その他',
    transactions: '取引',
    date: '日付',
    details: '内容',
    status: '状態',
    amount: '金額',
    none: 'この期間の取引はありません。',
    page: '{page} / {pages} ページ',
    holder: '口座名義',
    account: '口座',
    search: '検索',
    category: '方向',
    end: '明細書の終わり',
    confirmation: '取引確認書',
    sender: '送金元',
    receiver: '送金先',
    notes: 'メモ',
    type: '種類',
    paymentSystem: '支払方法',
    transactionId: '取引ID',
    unnamed: '名前なし',
  },
};

/** The language of a document. */
export interface DocumentLanguage {
  texts: StatementTexts;
  words: Words;
  /** The language tag of the labels. */
  labelLocale: string;
  /** The locale of dates and amounts. */
  formatLocale: string;
  direction: Direction;
}

/**
 * The requested language, if there are labels in it and the fonts can show them. Otherwise English, with dates in the
 * requested language if the fonts can show them.
 */
export function chooseLanguage(locale: string, fonts: Pick<Fonts, 'canDraw'>): DocumentLanguage {
  const { language } = new Intl.Locale(locale);
  const isKnown = Object.hasOwn(byLanguage, language) && fonts.canDraw(lettersOf(language));
  const canDrawFormats = isKnown || canDrawDates(locale, (text) => fonts.canDraw(text));
  const chosen = isKnown ? language : 'en';
  return {
    texts: byLanguage[chosen]!,
    words: wordsByLanguage[chosen]!,
    labelLocale: isKnown ? locale : 'en',
    formatLocale: canDrawFormats ? locale : 'en',
    direction: chosen === 'ar' ? 'rtl' : 'ltr',
  };
}

/** Everything that a document in a language may have to show. */
function lettersOf(language: string): string {
  const tables = [byLanguage[language]!, ...Object.values(wordsByLanguage[language]!)];
  return tables.flatMap((table) => Object.values(table as Record<string, string>)).join('');
}
