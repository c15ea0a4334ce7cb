/** The content of a statement. It is sent to a worker, so it contains plain values only. */
import type { LabelledDetail } from '../words/words.ts';

/** The data that every document has. */
export interface DocumentHead {
  individualId: number;
  /** BCP 47 language tag: the language of the labels, and the format of dates and amounts. */
  locale: string;
  timeZone: string;
  /** ISO 8601. */
  madeAt: string;
  /** Who makes the document, as its customers know them. */
  brand: string;
  /** A font for characters that the bundled ones lack. */
  extraFont: string | undefined;
}

export interface StatementHead extends DocumentHead {
  from: string | undefined;
  to: string | undefined;
  /** The filters other than time, as in the request: name and value. */
  filters: [name: string, value: string][];
  rowCount: number;
  totals: CurrencyTotals[];
  /** Oldest first. */
  months: MonthTotals[];
  holder: Holder;
}

/** The holder of the account, as the rows name them; undefined where they do not agree. */
export interface Holder {
  name: string | undefined;
  iban: string | undefined;
}

export interface MonthTotals {
  /** Such as `2026-11`. */
  month: string;
  totals: CurrencyTotals[];
}

/** A statement of a list, or a confirmation of one transaction. */
export type DocumentOrder = { kind: 'statement'; head: StatementHead } | { kind: 'confirmation'; head: DocumentHead };

/** Exact decimals, as text. */
export interface CurrencyTotals {
  currency: string;
  count: number;
  moneyIn: string;
  moneyOut: string;
  other: string;
}

export interface StatementRow {
  transactionId: string;
  timeStamp: string;
  amount: string;
  currency: string;
  category: string;
  type: string;
  status: string;
  senderName: string;
  receiverName: string;
  notes: string;
  paymentSystem: string;
  details: StatementDetails;
}

/** Those that the transaction has, as text; additionalData as JSON. */
export type StatementDetails = Readonly<Partial<Record<LabelledDetail | 'feeCurrency' | 'originalCurrency', string>>>;

/** Makes a document in parts. Each call returns the bytes that are ready. */
export interface StatementWriter {
  write(rows: StatementRow[]): Promise<Uint8Array[]>;
  end(): Promise<Uint8Array[]>;
  /** Releases everything, even before the end of the document. */
  close(): void;
}
