/** Made from the schemas of the operations by `npm run generate`; do not edit. */

export interface SendCodeRequest {
  /** User identifier. */
  id: number;
  /** Phone number in E.164 format. */
  phoneNumber: string;
  /** 0: standard individual user; 1: merchant flows. */
  correlationType?: number | null | undefined;
}

export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  /** Stands in the log too. */
  traceId: string;
  /** From a field, or Error for a refusal by a rule, to its messages. */
  errors?: Record<string, string[]> | undefined;
}

export interface VerifyRequest {
  /** User identifier. */
  id: number;
  /** The code of the message. */
  code: string;
}

export interface CreateUserRequest {
  /** An id of the caller’s own, where one is brought. */
  id?: number | null | undefined;
  /** Merchant the user belongs to. */
  merchantId?: number | null | undefined;
  /** E-mail address. */
  email?: string | null | undefined;
  /** Anything the caller wants to keep with the user. */
  additionalData?: Record<string, unknown> | null | undefined;
}

export interface CreatedUser {
  id: number;
}

export interface UserStatus {
  isPhoneNumberVerified: boolean;
  /** The verified number, or null. */
  phoneNumber: string | null;
}

export interface AllTransactionRequestModel {
  /** Customer identifier, as user creation returned it. */
  individualId: number;
  /** Page number, starts at 1. */
  dataBatch: number;
  /** Page size. */
  dataBatchCount?: number | null | undefined;
  /** First moment, inclusive. A date alone starts with its day, UTC. */
  timestampFrom?: string | null | undefined;
  /** Last moment, inclusive. A date alone covers its whole day, UTC. */
  timestampTo?: string | null | undefined;
  /** Least amount, inclusive. */
  amountFrom?: string | number | null | undefined;
  /** Largest amount, inclusive. */
  amountTo?: string | number | null | undefined;
  /** Only this kind, ignoring case. */
  transactionType?: string | null | undefined;
  /** Only this category, ignoring case. */
  transactionCategory?: string | null | undefined;
  /** Only this status, ignoring case. */
  transactionStatus?: string | null | undefined;
  /** Only this currency, ignoring case. */
  currency?: string | null | undefined;
  /** Part of a name, a note or an id, ignoring case. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
}

export interface Transaction {
  /** Transaction identifier. */
  transactionId: string;
  /** Exact decimal: up to 20 digits before the point and 6 after, at the scale it was recorded with. */
  amount: number;
  /** ISO 4217 code. */
  currency: string;
  /** UTC, up to microseconds. */
  timeStamp: string;
  /** Kind of transaction. An open set. */
  transactionType: string;
  /** Direction of the money. */
  transactionCategory: string;
  /** Status. An open set. */
  transactionStatus: string;
  /** Name of the sender. */
  senderName: string;
  /** Name of the receiver. */
  receiverName: string;
  /** Free-text note of the payment. */
  paymentNotes: string;
  /** Payment system that carried the transaction. */
  paymentSystem: string;
}

export interface AllTransactionReportResponse {
  transactions: Transaction[];
  /** All rows that match the filter, over all pages. */
  transactionCount: number;
}

export interface GetTransactionRequest {
  /** Transaction identifier. */
  transactionId: string;
  /** Whose; a transfer between two individuals stands in both wallets. */
  individualId?: number | null | undefined;
}

export interface TransactionRow {
  /** Whose transaction it is. */
  individualId: number;
  /** Unique for the individual. */
  transactionId: string;
  /** A number, whose digits are kept, or a decimal string. */
  amount: number | string;
  /** ISO 4217 code. */
  currency: string;
  /** ISO 8601; without an offset it is UTC, and digits past microseconds are cut. */
  timeStamp: string;
  /** Kind of transaction. */
  transactionType?: string | null | undefined;
  /** Debit or Credit. */
  transactionCategory?: string | null | undefined;
  /** Status; Pending may still change, the final ones are Accepted, Rejected, Reversed, Cancelled. */
  transactionStatus?: string | null | undefined;
  /** Name of the sender. */
  senderName?: string | null | undefined;
  /** Name of the receiver. */
  receiverName?: string | null | undefined;
  /** Free-text note. */
  paymentNotes?: string | null | undefined;
  /** Payment system. */
  paymentSystem?: string | null | undefined;
}

export interface RecordTransactionsRequest {
  /** The rows, applied in order. */
  transactions: TransactionRow[];
}

export interface RecordResult {
  transactionId: string | null;
  individualId: number | string | null;
  result: 'created' | 'duplicate' | 'updated' | 'conflict' | 'rejected';
  /** Why a row was rejected. */
  errors?: Record<string, string[]> | undefined;
}

export interface RecordTransactionsResponse {
  results: RecordResult[];
}

export interface SummarizeTransactionsRequest {
  /** Customer identifier. */
  individualId: number;
  /** Length of a period; weeks begin on Monday. */
  by?: 'day' | 'week' | 'month' | null | undefined;
  /** IANA time zone whose days are meant. */
  timeZone?: string | null | undefined;
  /** First moment, inclusive. A date alone starts with its day, UTC. */
  timestampFrom?: string | null | undefined;
  /** Last moment, inclusive. A date alone covers its whole day, UTC. */
  timestampTo?: string | null | undefined;
  /** Least amount, inclusive. */
  amountFrom?: string | number | null | undefined;
  /** Largest amount, inclusive. */
  amountTo?: string | number | null | undefined;
  /** Only this kind, ignoring case. */
  transactionType?: string | null | undefined;
  /** Only this category, ignoring case. */
  transactionCategory?: string | null | undefined;
  /** Only this status, ignoring case. */
  transactionStatus?: string | null | undefined;
  /** Only this currency, ignoring case. */
  currency?: string | null | undefined;
  /** Part of a name, a note or an id, ignoring case. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
}

export interface TransactionPeriod {
  /** First day of the period, in the time zone. */
  from: string;
  currency: string;
  /** All rows, whatever their status. */
  count: number;
  /** Credits but for rejected and cancelled ones, exact. */
  moneyIn: number;
  /** Debits but for rejected and cancelled ones, exact. */
  moneyOut: number;
  /** Rows that are neither, but for rejected and cancelled ones, exact. */
  other: number;
}

export interface SummarizeTransactionsResponse {
  periods: TransactionPeriod[];
  /** All rows that match the filter. */
  transactionCount: number;
}

export interface ExportTransactionsRequest {
  /** Customer identifier. */
  individualId: number;
  /** First moment, inclusive. A date alone starts with its day, UTC. */
  timestampFrom?: string | null | undefined;
  /** Last moment, inclusive. A date alone covers its whole day, UTC. */
  timestampTo?: string | null | undefined;
  /** Least amount, inclusive. */
  amountFrom?: string | number | null | undefined;
  /** Largest amount, inclusive. */
  amountTo?: string | number | null | undefined;
  /** Only this kind, ignoring case. */
  transactionType?: string | null | undefined;
  /** Only this category, ignoring case. */
  transactionCategory?: string | null | undefined;
  /** Only this status, ignoring case. */
  transactionStatus?: string | null | undefined;
  /** Only this currency, ignoring case. */
  currency?: string | null | undefined;
  /** Part of a name, a note or an id, ignoring case. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
}

export interface FindUsersRequest {
  /** Phone number in E.164 format. */
  phoneNumber: string;
}

export interface FoundUsers {
  userIds: number[];
}

export interface RevealedPhones {
  verifiedPhone: string | null;
  /** Where the last code went. */
  lastSentPhone: string | null;
}

export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
}

export interface SandboxMessage {
  phoneNumber: string;
  text: string;
  code: string;
  sentAt: string;
}

export interface SandboxClockRequest {
  /** How far to move the clock forward; calls add up. */
  advanceSeconds: number;
}

export interface SandboxClock {
  now: string;
  aheadSeconds: number;
}
