/** Made from the schemas of the operations by `npm run generate`; do not edit. */

export interface SendCodeRequest {
  /** User identifier. */
  id: number;
  /** Phone number in E.164 format. */
  phoneNumber: string;
  /** 0: standard individual user; 1: merchant flows. */
  correlationType?: number | null | undefined;
  /** Language of the message, such as en or pt-BR. If absent, the one that LEDGERLINE_LOCALE names for the phone’s country. */
  locale?: string | null | undefined;
  /** How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country. */
  channel?: 'sms' | 'whatsapp' | 'voice' | undefined;
}

export type ErrorReason = 'invalid-request' | 'malformed-body' | 'malformed-request' | 'invalid-code' | 'phone-taken' | 'phone-not-supported' | 'nothing-to-resend' | 'user-exists' | 'unknown-individual' | 'ambiguous-transaction' | 'idempotency-conflict' | 'too-many-endpoints' | 'phone-not-verified' | 'confirmation-required' | 'endpoint-disabled' | 'invalid-token' | 'missing-scope' | 'not-this-user' | 'sandbox-only' | 'receipt-refused' | 'unknown-user' | 'no-transactions' | 'unknown-transaction' | 'not-found' | 'method-not-allowed' | 'request-timeout' | 'body-too-large' | 'unsupported-media-type' | 'too-many-sends' | 'too-many-failures' | 'too-many-streams' | 'too-many-replays' | 'challenge-required' | 'internal' | 'send-failed' | 'send-outcome-unknown' | 'send-in-progress' | 'database-unavailable' | 'issuer-unavailable' | 'overloaded' | 'query-too-slow' | 'stopping' | 'invalid-client' | 'invalid-scope' | 'unauthorized-client' | 'unsupported-grant-type' | 'temporarily-unavailable';

export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  /** The same id is in the log. */
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

export interface ResendCodeRequest {
  /** How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country. */
  channel?: 'sms' | 'whatsapp' | 'voice' | undefined;
}

export interface ChangePhoneRequest {
  /** Phone number in E.164 format. */
  phoneNumber: string;
  /** 0: standard individual user; 1: merchant flows. */
  correlationType?: number | null | undefined;
  /** Language of the message, such as en or pt-BR. If absent, the one that LEDGERLINE_LOCALE names for the phone’s country. */
  locale?: string | null | undefined;
  /** How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country. */
  channel?: 'sms' | 'whatsapp' | 'voice' | undefined;
  /** An approved confirmation of the user with the purpose `change-phone`, at most ten minutes old. A user-bound token needs it. */
  confirmationId?: string | null | undefined;
}

export interface ResendChangeRequest {
  /** How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country. */
  channel?: 'sms' | 'whatsapp' | 'voice' | undefined;
}

export interface VerifyChangeRequest {
  /** The code of the message. */
  code: string;
}

export interface CreateConfirmationRequest {
  /** What the code is for, such as payment. */
  purpose: string;
  /** What is paid: a number, whose digits are kept, or a decimal string. */
  amount?: number | string | null | undefined;
  /** ISO 4217 code of the amount. */
  currency?: string | null | undefined;
  /** Who is paid, or what else the person agrees to. */
  payee?: string | null | undefined;
  /** Language of the message, such as en or pt-BR. If absent, the one that LEDGERLINE_LOCALE names for the phone’s country. */
  locale?: string | null | undefined;
  /** How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country. */
  channel?: 'sms' | 'whatsapp' | 'voice' | undefined;
}

export interface CreatedConfirmation {
  /** By which it is checked. */
  confirmationId: string;
  /** Number of digits of the code. */
  codeLength: number;
  /** Seconds for which the code can be used. */
  expiresInSeconds: number;
}

export interface Confirmation {
  /** Its id. */
  confirmationId: string;
  /** What it is for. */
  purpose: string;
  /** failed: no attempts are left. void: a check named other terms, it was cancelled, or the phone is no longer the user’s. */
  state: 'pending' | 'approved' | 'expired' | 'failed' | 'void';
  /** When it was created. */
  createdAt: string;
  /** When its code expires. */
  expiresAt: string;
  /** When it was approved, or null. */
  approvedAt: string | null;
}

export interface ResendConfirmationRequest {
  /** How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country. */
  channel?: 'sms' | 'whatsapp' | 'voice' | undefined;
}

export interface CheckConfirmationRequest {
  /** The code of the message. */
  code: string;
  /** What is paid: a number, whose digits are kept, or a decimal string. */
  amount?: number | string | null | undefined;
  /** ISO 4217 code, exactly if the confirmation has one. */
  currency?: string | null | undefined;
  /** Exactly if the confirmation has one. */
  payee?: string | null | undefined;
  /** Compared if it is given. */
  purpose?: string | null | undefined;
}

export interface ApprovedConfirmation {
  /** The confirmation. */
  confirmationId: string;
  /** What it was for. */
  purpose: string;
  /** Now. */
  approvedAt: string;
}

export interface CreateUserRequest {
  /** The id, if the caller chooses it. */
  id?: number | null | undefined;
  /** Merchant the user belongs to. */
  merchantId?: number | null | undefined;
  /** E-mail address. */
  email?: string | null | undefined;
  /** Anything the caller wants to keep with the user; at most 16,384 characters as JSON without white space. */
  additionalData?: Record<string, unknown> | null | undefined;
}

export interface CreatedUser {
  /** The user’s id. */
  id: number;
}

export interface UserStatus {
  /** Whether the user has a verified phone. */
  isPhoneNumberVerified: boolean;
  /** The verified number, or null. */
  phoneNumber: string | null;
  /** When it was verified, or null. */
  verifiedAt: string | null;
}

export interface StoredUser {
  /** The user’s id. */
  id: number;
  /** Merchant the user belongs to. */
  merchantId: number | null;
  /** E-mail address. */
  email: string | null;
  /** The additional data that the caller stores with the user. */
  additionalData: Record<string, unknown> | null;
  /** When the user was created. */
  createdAt: string;
}

export interface RequestedPhone {
  /** In full. */
  phoneNumber: string;
  /** When a code for it was last requested. */
  lastAt: string;
}

export interface StoredCode {
  /** The code’s number among the user’s. */
  codeNumber: number;
  /** The number that it was sent to, in full. */
  phoneNumber: string;
  /** Whether a gateway accepted it. */
  state: string;
  /** Attempts that failed. */
  attempts: number;
  /** When it was last sent. */
  sentAt: string;
  /** When it expires. */
  expiresAt: string;
  /** When it was first sent. */
  issuedAt: string | null;
  /** When it was sent once more over another gateway. */
  reroutedAt: string | null;
  /** When the change of number was asked for that it belongs to. */
  changeAskedAt: string | null;
}

export interface StoredPhone {
  /** The verified number, in full. */
  verified: string | null;
  /** When it was verified. */
  verifiedAt: string | null;
  /** The number that the last code was sent to, in full. */
  lastSent: string | null;
  /** Numbers that are linked to the user, in full. */
  linked: string[];
  /** Numbers for which codes were requested lately. */
  requested: RequestedPhone[];
  /** The latest code, without its digits. */
  latestCode: StoredCode | null;
  /** Earlier codes that can still be used. */
  earlierCodes: StoredCode[];
  /** When codes were requested lately. */
  requestedAt: string[];
  /** When attempts failed lately. */
  failedAt: string[];
  /** The latest code of a change that is under way, without its digits. */
  changeCode: StoredCode | null;
  /** Earlier codes of that change that can still be used. */
  earlierChangeCodes: StoredCode[];
  /** When attempts to verify a change failed lately. */
  changeFailedAt: string[];
  /** When confirmations were requested lately. */
  confirmationsRequestedAt: string[];
  /** When confirmations were requested lately with a token that is bound to the user. */
  boundConfirmationsRequestedAt: string[];
  /** When checks of confirmations failed lately. */
  failedChecksAt: string[];
}

export interface StoredVerification {
  /** When it happened. */
  at: string;
  /** What happened. */
  kind: string;
  /** Why. */
  reason: string | null;
  /** How often within a minute. */
  times: number;
}

export interface StoredMessage {
  /** The code’s number among the user’s. */
  codeNumber: number;
  /** What the code was for. */
  for: string;
  /** The confirmation, if it was for one. */
  confirmationId: string | null;
  /** Masked, as it is stored. */
  phoneNumber: string;
  /** ISO 3166 code. */
  country: string | null;
  /** As the send gave it. */
  correlationType: number;
  /** Language of the template. */
  locale: string;
  /** SMS segments it took. */
  segments: number;
  /** The gateway that accepted it, or was asked last. */
  gateway: string;
  /** How it was sent. */
  channel: string;
  /** The gateway’s own id of the message. */
  gatewayMessageId: string | null;
  /** What became of it. */
  state: string;
  /** Why it was refused or failed. */
  reason: string | null;
  /** The gateways that were asked, in order. */
  tries: (Record<string, unknown>)[] | null;
  /** When the code was requested. */
  requestedAt: string;
  /** When the gateway answered. */
  answeredAt: string | null;
  /** When it entered its state. */
  stateAt: string;
  /** When the code expires. */
  expiresAt: string;
  /** When the code was used. */
  verifiedAt: string | null;
}

export interface StoredBlock {
  /** The rule that blocks. */
  rule: string;
  /** When it ends. */
  until: string;
}

export interface GuardEvidence {
  /** What the figures are about. */
  level: 'range' | 'country';
  /** Leading digits such as +447911, or an ISO 3166 code. */
  name: string;
  /** Codes of the last hour. */
  sent: number;
  /** What is normal for an hour. */
  normalSent: number;
  /** The share of them that was verified. */
  verifiedPercent: number;
  /** What is normal. */
  normalVerifiedPercent: number;
  /** Codes of the last day that the verified codes do not explain. */
  unverified: number;
  /** Texts of the last day that failed, if they are evidence; 0 otherwise. */
  failed: number;
  /** All texts of the last day with a receipt, if failed texts are evidence; 0 otherwise. */
  reported: number;
}

export interface StoredDecision {
  /** When a request was refused. */
  at: string;
  /** The rule that refused it. */
  rule: string;
  /** refused, or shadow if the rule only recorded it. */
  action: string;
  /** The operation that was called. */
  operation: string;
  /** Masked, as it is stored. */
  phoneNumber: string | null;
  /** ISO 3166 code. */
  country: string | null;
  /** The client address, or the subject of the token. */
  source: string | null;
  /** What the rule saw, if its name does not say enough. */
  evidence: GuardEvidence | null;
}

export interface StoredConfirmation {
  /** Its id. */
  confirmationId: string;
  /** The code’s number among the user’s. */
  codeNumber: number;
  /** What was to be confirmed. */
  purpose: string;
  /** What became of it. */
  state: string;
  /** Attempts that failed. */
  attempts: number;
  /** When it was created. */
  createdAt: string;
  /** When its code expires. */
  expiresAt: string;
  /** When it was approved. */
  approvedAt: string | null;
}

export interface StoredPhoneChange {
  /** When the change was asked for. */
  askedAt: string;
  /** When the new number was verified. */
  changedAt: string;
  /** The number before, masked, as it is stored. */
  previousPhoneNumber: string;
  /** The new number, masked, as it is stored. */
  phoneNumber: string;
}

export interface StoredTransactions {
  /** How many there are. */
  count: number;
  /** The path by which they can be exported. */
  export: string;
}

export interface UserData {
  user: StoredUser;
  phone: StoredPhone;
  /** The verification history. */
  verifications: StoredVerification[];
  /** The messages, as they are stored. */
  messages: StoredMessage[];
  /** Blocks of the user. */
  blocks: StoredBlock[];
  /** Refusals by the rules against abuse. */
  decisions: StoredDecision[];
  /** The confirmations, without their terms. */
  confirmations: StoredConfirmation[];
  /** Changes of the phone number. One that is under way is in `phone.changeCode`. */
  changes: StoredPhoneChange[];
  transactions: StoredTransactions;
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
  /** Part of a name, a note or an id, ignoring case. Accents may be left out. */
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
  /** The rows of the page. */
  transactions: Transaction[];
  /** All rows that match the filter, over all pages. */
  transactionCount: number;
}

export interface GetTransactionRequest {
  /** Transaction identifier. */
  transactionId: string;
  /** The individual. A transfer between two individuals is in both wallets. */
  individualId?: number | null | undefined;
}

export interface DetailedTransaction {
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
  /** IBAN of the sender. */
  senderIban?: string | undefined;
  /** IBAN of the receiver. */
  receiverIban?: string | undefined;
  /** BIC of the sender’s bank. */
  senderBic?: string | undefined;
  /** BIC of the receiver’s bank. */
  receiverBic?: string | undefined;
  /** Number of an account that has no IBAN. */
  accountNumber?: string | undefined;
  /** E-mail address of the sender. */
  senderEmail?: string | undefined;
  /** E-mail address of the receiver. */
  receiverEmail?: string | undefined;
  /** Merchant. */
  merchant?: string | undefined;
  /** Network of the card. */
  cardNetwork?: string | undefined;
  /** Masked card number. */
  cardPan?: string | undefined;
  /** Name that the holder gave the card. */
  cardAlias?: string | undefined;
  /** Provider that carried the payment. */
  paymentProvider?: string | undefined;
  /** Purpose of the payment. */
  purposeDet?: string | undefined;
  /** Outcome of the strong customer authentication. */
  scaStatus?: string | undefined;
  /** Reference of the payment, such as its end-to-end id. */
  reference?: string | undefined;
  /** Fee, in feeCurrency. Exact decimal. */
  transactionFee?: number | undefined;
  /** Amount before it was exchanged. Exact decimal. */
  originalAmount?: number | undefined;
  /** Balance after the transaction. Exact decimal, which may be negative. */
  balanceAfter?: number | undefined;
  /** ISO 4217 code of the fee. */
  feeCurrency?: string | undefined;
  /** ISO 4217 code of originalAmount. */
  originalCurrency?: string | undefined;
  /** Anything else that was recorded. */
  additionalData?: Record<string, unknown> | undefined;
}

export interface TransactionVersion {
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
  /** IBAN of the sender. */
  senderIban?: string | undefined;
  /** IBAN of the receiver. */
  receiverIban?: string | undefined;
  /** BIC of the sender’s bank. */
  senderBic?: string | undefined;
  /** BIC of the receiver’s bank. */
  receiverBic?: string | undefined;
  /** Number of an account that has no IBAN. */
  accountNumber?: string | undefined;
  /** E-mail address of the sender. */
  senderEmail?: string | undefined;
  /** E-mail address of the receiver. */
  receiverEmail?: string | undefined;
  /** Merchant. */
  merchant?: string | undefined;
  /** Network of the card. */
  cardNetwork?: string | undefined;
  /** Masked card number. */
  cardPan?: string | undefined;
  /** Name that the holder gave the card. */
  cardAlias?: string | undefined;
  /** Provider that carried the payment. */
  paymentProvider?: string | undefined;
  /** Purpose of the payment. */
  purposeDet?: string | undefined;
  /** Outcome of the strong customer authentication. */
  scaStatus?: string | undefined;
  /** Reference of the payment, such as its end-to-end id. */
  reference?: string | undefined;
  /** Fee, in feeCurrency. Exact decimal. */
  transactionFee?: number | undefined;
  /** Amount before it was exchanged. Exact decimal. */
  originalAmount?: number | undefined;
  /** Balance after the transaction. Exact decimal, which may be negative. */
  balanceAfter?: number | undefined;
  /** ISO 4217 code of the fee. */
  feeCurrency?: string | undefined;
  /** ISO 4217 code of originalAmount. */
  originalCurrency?: string | undefined;
  /** Anything else that was recorded. */
  additionalData?: Record<string, unknown> | undefined;
  /** When this version was recorded, UTC. */
  recordedAt: string;
}

export interface TransactionHistory {
  /** Oldest first. */
  history: TransactionVersion[];
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
  /** IBAN of the sender. */
  senderIban?: string | null | undefined;
  /** IBAN of the receiver. */
  receiverIban?: string | null | undefined;
  /** BIC of the sender’s bank. */
  senderBic?: string | null | undefined;
  /** BIC of the receiver’s bank. */
  receiverBic?: string | null | undefined;
  /** Number of an account that has no IBAN. */
  accountNumber?: string | null | undefined;
  /** E-mail address of the sender. */
  senderEmail?: string | null | undefined;
  /** E-mail address of the receiver. */
  receiverEmail?: string | null | undefined;
  /** Merchant. */
  merchant?: string | null | undefined;
  /** Network of the card. */
  cardNetwork?: string | null | undefined;
  /** Card number, masked: at most the first six and the last four digits, and *, x or • between them. */
  cardPan?: string | null | undefined;
  /** Name that the holder gave the card. */
  cardAlias?: string | null | undefined;
  /** Provider that carried the payment. */
  paymentProvider?: string | null | undefined;
  /** Purpose of the payment. */
  purposeDet?: string | null | undefined;
  /** Outcome of the strong customer authentication. */
  scaStatus?: string | null | undefined;
  /** Reference of the payment, such as its end-to-end id. */
  reference?: string | null | undefined;
  /** Fee, in feeCurrency. */
  transactionFee?: number | string | null | undefined;
  /** Amount before it was exchanged, in originalCurrency. */
  originalAmount?: number | string | null | undefined;
  /** Balance after the transaction. It may be negative. */
  balanceAfter?: number | string | null | undefined;
  /** ISO 4217 code of the fee. */
  feeCurrency?: string | null | undefined;
  /** ISO 4217 code of originalAmount. */
  originalCurrency?: string | null | undefined;
  /** Anything else; at most 4,096 characters as JSON without white space. A later one replaces it as a whole. */
  additionalData?: Record<string, unknown> | string | null | undefined;
}

export interface RecordTransactionsRequest {
  /** The rows, applied in order. */
  transactions: TransactionRow[];
}

export interface RecordResult {
  /** As the row gave it. */
  transactionId: string | null;
  /** As the row gave it. */
  individualId: number | string | null;
  /** What became of the row. */
  result: 'created' | 'duplicate' | 'updated' | 'conflict' | 'rejected';
  /** Why a row was rejected. */
  errors?: Record<string, string[]> | undefined;
}

export interface RecordTransactionsResponse {
  /** One for each row, in order. */
  results: RecordResult[];
}

export interface SummarizeTransactionsRequest {
  /** Customer identifier. */
  individualId: number;
  /** Length of a period; weeks begin on Monday. */
  by?: 'day' | 'week' | 'month' | null | undefined;
  /** IANA time zone of the periods. */
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
  /** Part of a name, a note or an id, ignoring case. Accents may be left out. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
}

export interface TransactionPeriod {
  /** First day of the period, in the time zone. */
  from: string;
  /** ISO 4217 code. */
  currency: string;
  /** All rows, whatever their status. */
  count: number;
  /** Sum of the credits, without rejected and cancelled ones. Exact. */
  moneyIn: number;
  /** Sum of the debits, without rejected and cancelled ones. Exact. */
  moneyOut: number;
  /** Sum of the rows that are neither, without rejected and cancelled ones. Exact. */
  other: number;
}

export interface SummarizeTransactionsResponse {
  /** The periods, newest first. */
  periods: TransactionPeriod[];
  /** All rows that match the filter. */
  transactionCount: number;
}

export interface SyncTransactionsRequest {
  /** Customer identifier. */
  individualId: number;
  /** The nextCursor of the page before. Without it all rows are returned. */
  cursor?: string | null | undefined;
  /** Rows in a page, added and modified together. */
  count?: number | null | undefined;
  /** Whether the rows have their details. */
  details?: boolean | null | undefined;
}

export interface TransactionChanges {
  /** Rows that were created after the position of the cursor. */
  added: DetailedTransaction[];
  /** Rows that were created before it, and changed after it. */
  modified: DetailedTransaction[];
  /** Always empty: rows leave only with their user. */
  removed: string[];
  /** The position behind the page. It does not expire. */
  nextCursor: string;
  /** Whether there are more rows behind the page. */
  hasMore: boolean;
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
  /** Part of a name, a note or an id, ignoring case. Accents may be left out. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
  /** Whether the rows have their details. */
  details?: boolean | null | undefined;
}

export interface StatementRequest {
  /** Customer identifier. */
  individualId: number;
  /** IANA time zone of the dates. */
  timeZone?: string | null | undefined;
  /** BCP 47 language tag: the language of the labels (en, de, fr, es, pt, it, ar or ja), and the format of dates and amounts. */
  locale?: string | null | undefined;
  /** Only this transaction, as a confirmation. The filters are then ignored. */
  transactionId?: string | null | undefined;
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
  /** Part of a name, a note or an id, ignoring case. Accents may be left out. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
}

export interface UserCreatedData {
  /** The user the event is about. */
  userId: number;
}

export interface UserCreatedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'user.created';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: UserCreatedData;
}

export interface UserErasedData {
  /** The user the event is about. */
  userId: number;
  /** When the retained transactions are removed; null if nothing is retained. */
  retainedUntil: string | null;
}

export interface UserErasedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'user.erased';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: UserErasedData;
}

export interface PhoneCodeSentData {
  /** The user the event is about. */
  userId: number;
  /** ISO 3166 code of the phone number’s country, or null if unknown. */
  country: string | null;
  /** 0: individual; 1: merchant flow. */
  correlationType: number;
  /** Name of the gateway. */
  gateway: string;
  /** How it was sent. */
  channel: 'sms' | 'whatsapp' | 'voice';
  /** unknown: no gateway confirmed, and the text may arrive. */
  outcome: 'accepted' | 'unknown';
  /** The number of the code among the user’s. */
  codeNumber: number;
  /** What the code is for. */
  for: 'verification' | 'change' | 'confirmation';
  /** The confirmation, if the code is for one. */
  confirmationId?: string | undefined;
}

export interface PhoneCodeSentEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.code_sent';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneCodeSentData;
}

export interface PhoneSendFailedData {
  /** The user the event is about. */
  userId: number;
  /** ISO 3166 code of the phone number’s country, or null if unknown. */
  country: string | null;
  /** refused: a gateway refused the destination, and the send is counted. unavailable: no gateway accepted it. */
  reason: 'refused' | 'unavailable';
  /** What the code is for. */
  for: 'verification' | 'change' | 'confirmation';
  /** The confirmation, if the code is for one. */
  confirmationId?: string | undefined;
}

export interface PhoneSendFailedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.send_failed';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneSendFailedData;
}

export interface PhoneDeliveryChangedData {
  /** The user the event is about. */
  userId: number;
  /** The number of the code among the user’s. */
  codeNumber: number;
  /** The new state. */
  state: 'delivered' | 'failed';
  /** Name of the gateway. */
  gateway: string;
  /** How it was sent. */
  channel: 'sms' | 'whatsapp' | 'voice';
  /** What the code is for. */
  for: 'verification' | 'change' | 'confirmation';
  /** The confirmation, if the code is for one. */
  confirmationId?: string | undefined;
}

export interface PhoneDeliveryChangedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.delivery_changed';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneDeliveryChangedData;
}

export interface PhoneVerifiedData {
  /** The user the event is about. */
  userId: number;
  /** ISO 3166 code of the phone number’s country, or null if unknown. */
  country: string | null;
}

export interface PhoneVerifiedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.verified';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneVerifiedData;
}

export interface PhoneChangedData {
  /** The user the event is about. */
  userId: number;
  /** ISO 3166 code of the phone number’s country, or null if unknown. */
  country: string | null;
  /** The same for the number before. */
  previousCountry: string | null;
}

export interface PhoneChangedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.changed';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneChangedData;
}

export interface PhoneUnlinkedData {
  /** The user the event is about. */
  userId: number;
  /** ISO 3166 code of the phone number’s country, or null if unknown. */
  country: string | null;
  /** Who unlinked it. client: a service token. */
  by: 'client' | 'operator' | 'erasure';
}

export interface PhoneUnlinkedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.unlinked';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneUnlinkedData;
}

export interface ConfirmationApprovedData {
  /** The user the event is about. */
  userId: number;
  /** The confirmation, if the code is for one. */
  confirmationId: string;
  /** What was to be confirmed. */
  purpose: string;
}

export interface ConfirmationApprovedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'confirmation.approved';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: ConfirmationApprovedData;
}

export interface ConfirmationFailedData {
  /** The user the event is about. */
  userId: number;
  /** The confirmation, if the code is for one. */
  confirmationId: string;
  /** What was to be confirmed. */
  purpose: string;
  /** mismatch: a check named other terms, and the confirmation is void. */
  reason: 'attempts' | 'mismatch';
}

export interface ConfirmationFailedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'confirmation.failed';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: ConfirmationFailedData;
}

export interface PhoneVerificationBlockedData {
  /** The user the event is about. */
  userId: number;
  /** When the block ends. */
  until: string;
  /** Name of the guard’s rule. */
  rule: string;
}

export interface PhoneVerificationBlockedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.verification_blocked';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneVerificationBlockedData;
}

export interface PhoneBlockLiftedData {
  /** The user the event is about. */
  userId: number;
  /** When the block would have ended. */
  until: string;
  /** Name of the guard’s rule. */
  rule: string;
}

export interface PhoneBlockLiftedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'phone.block_lifted';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: PhoneBlockLiftedData;
}

export interface TransactionsRecordedData {
  /** The user the event is about. */
  userId: number;
  /** How many were recorded. */
  count: number;
  /** Up to 20 ids. */
  transactionIds: string[];
  /** Whether there are more ids than listed. */
  more: boolean;
}

export interface TransactionsRecordedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'transactions.recorded';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: TransactionsRecordedData;
}

export interface TransactionsUpdatedData {
  /** The user the event is about. */
  userId: number;
  /** Up to 100 ids. */
  transactionIds: string[];
  /** Whether there are more ids than listed. */
  more: boolean;
}

export interface TransactionsUpdatedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'transactions.updated';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence: number;
  data: TransactionsUpdatedData;
}

export interface GuardRuleFiredData {
  /** Name of the guard’s rule. */
  rule: string;
  /** ISO 3166 code of the phone number’s country, or null if unknown. */
  country: string | null;
  /** The mode of the rule. */
  mode: 'shadow' | 'enforce';
  /** What the rule saw, in one sentence; null if the name of the rule is enough. It may contain a range of 10,000 numbers or more. */
  evidence: string | null;
}

export interface GuardRuleFiredEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'guard.rule_fired';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  data: GuardRuleFiredData;
  sequence?: undefined;
}

export interface GatewayDownData {
  /** Name of the gateway. */
  gateway: string;
  /** Why. */
  reason: string;
}

export interface GatewayDownEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'gateway.down';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  data: GatewayDownData;
  sequence?: undefined;
}

export interface GatewayUpData {
  /** Name of the gateway. */
  gateway: string;
  /** Why. */
  reason: string;
}

export interface GatewayUpEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'gateway.up';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  data: GatewayUpData;
  sequence?: undefined;
}

export interface OperatorActedData {
  /** The user the event is about. */
  userId?: number | undefined;
  /** What was done. */
  action: string;
  /** Who did it: the subject of the token, or cli: and the account. */
  actor: string;
  /** What it was done to. Phone numbers are masked. */
  target: string;
}

export interface OperatorActedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'operator.acted';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  /** Counts the user’s events, without gaps: one count for transactions.*, another for all others. */
  sequence?: number | undefined;
  data: OperatorActedData;
}

export interface EndpointDisabledData {
  /** The webhook endpoint. */
  endpointId: number;
  /** Why. */
  reason: string;
}

export interface EndpointDisabledEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'endpoint.disabled';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  data: EndpointDisabledData;
  sequence?: undefined;
}

export interface EndpointDeliveryFailedData {
  /** The webhook endpoint. */
  endpointId: number;
  /** Why the last try failed. */
  reason: string;
}

export interface EndpointDeliveryFailedEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'endpoint.delivery_failed';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  data: EndpointDeliveryFailedData;
  sequence?: undefined;
}

export type LedgerlineEvent = UserCreatedEvent | UserErasedEvent | PhoneCodeSentEvent | PhoneSendFailedEvent | PhoneDeliveryChangedEvent | PhoneVerifiedEvent | PhoneChangedEvent | PhoneUnlinkedEvent | ConfirmationApprovedEvent | ConfirmationFailedEvent | PhoneVerificationBlockedEvent | PhoneBlockLiftedEvent | TransactionsRecordedEvent | TransactionsUpdatedEvent | GuardRuleFiredEvent | GatewayDownEvent | GatewayUpEvent | OperatorActedEvent | EndpointDisabledEvent | EndpointDeliveryFailedEvent;

export interface EventPage {
  /** The events. */
  events: LedgerlineEvent[];
  /** The cursor after this page, even if the page has no events. */
  next: string;
}

export interface CreateWebhookEndpointRequest {
  /** Where events are posted: https, without credentials, at a public address. */
  url: string;
  /** The event types to send; absent or empty for all. */
  types?: ('user.created' | 'user.erased' | 'phone.code_sent' | 'phone.send_failed' | 'phone.delivery_changed' | 'phone.verified' | 'phone.changed' | 'phone.unlinked' | 'confirmation.approved' | 'confirmation.failed' | 'phone.verification_blocked' | 'phone.block_lifted' | 'transactions.recorded' | 'transactions.updated' | 'guard.rule_fired' | 'gateway.down' | 'gateway.up' | 'operator.acted' | 'endpoint.disabled' | 'endpoint.delivery_failed')[] | null | undefined;
  /** A text for people. */
  description?: string | null | undefined;
}

export interface CreatedWebhookEndpoint {
  /** The endpoint. */
  id: number;
  /** Where events are posted. */
  url: string;
  /** The event types that are sent; empty for all. */
  types: string[];
  /** A text for people. */
  description: string | null;
  /** Whether events are sent. */
  enabled: boolean;
  /** gone: the receiver answered 410; failing: it failed for five days; request: a client asked for it. */
  disabledReason: string | null;
  /** When the endpoint was created. */
  createdAt: string;
  /** whsec_ and the base64 of the key. It is shown only once. */
  secret: string;
}

export interface WebhookEndpoint {
  /** The endpoint. */
  id: number;
  /** Where events are posted. */
  url: string;
  /** The event types that are sent; empty for all. */
  types: string[];
  /** A text for people. */
  description: string | null;
  /** Whether events are sent. */
  enabled: boolean;
  /** gone: the receiver answered 410; failing: it failed for five days; request: a client asked for it. */
  disabledReason: string | null;
  /** When the endpoint was created. */
  createdAt: string;
}

export interface WebhookEndpoints {
  /** The endpoints, oldest first. */
  endpoints: WebhookEndpoint[];
}

export interface UpdateWebhookEndpointRequest {
  /** Where events are posted. */
  url?: string | null | undefined;
  /** The event types to send; empty for all. */
  types?: ('user.created' | 'user.erased' | 'phone.code_sent' | 'phone.send_failed' | 'phone.delivery_changed' | 'phone.verified' | 'phone.changed' | 'phone.unlinked' | 'confirmation.approved' | 'confirmation.failed' | 'phone.verification_blocked' | 'phone.block_lifted' | 'transactions.recorded' | 'transactions.updated' | 'guard.rule_fired' | 'gateway.down' | 'gateway.up' | 'operator.acted' | 'endpoint.disabled' | 'endpoint.delivery_failed')[] | null | undefined;
  /** A description for people; empty for none. */
  description?: string | null | undefined;
  /** Whether events are sent. When it is disabled, due deliveries become failed. */
  enabled?: boolean | null | undefined;
}

export interface RotateWebhookSecretRequest {
  /** How long the earlier secrets are also used to sign. */
  overlapSeconds?: number | null | undefined;
}

export interface WebhookSecret {
  /** whsec_ and the base64 of the key. It is shown only once. */
  secret: string;
}

export interface WebhookTestResult {
  /** Whether the receiver accepted it. */
  delivered: boolean;
  /** What the receiver answered. */
  status: number | null;
  /** How long it took. */
  milliseconds: number;
  /** Why it was not delivered. */
  error?: string | undefined;
}

export interface ReplayWebhookEventsRequest {
  /** Replays the events from this time on, of the types of the endpoint. */
  from?: string | null | undefined;
  /** Up to this time; now, if it is not given. */
  to?: string | null | undefined;
  /** Or replays these events, whatever the types of the endpoint. */
  eventIds?: string[] | null | undefined;
}

export interface WebhookReplay {
  /** How many events are sent again. */
  count: number;
}

export interface WebhookDelivery {
  /** The event. */
  eventId: string;
  /** The type of the event. */
  type: string;
  /** due: it will be tried (again). */
  state: 'due' | 'delivered' | 'failed';
  /** Tries so far, of at most ten. */
  attempts: number;
  /** The last answer of the receiver. */
  lastStatus: number | null;
  /** Why the last try failed. */
  lastError: string | null;
  /** When the next try is due. */
  nextAttemptAt: string | null;
}

export interface WebhookDeliveries {
  /** The deliveries, newest first. */
  deliveries: WebhookDelivery[];
}

export interface TrailVerified {
  /** When the number was verified. */
  at: string;
  /** Masked. */
  phoneNumber: string;
}

export interface MessageConfirmation {
  /** Its id. */
  confirmationId: string;
  /** What it is for. */
  purpose: string;
  /** pending, approved, expired, failed or void. */
  state: string;
}

export interface TrailTry {
  /** The gateway that was asked. */
  gateway: string;
  /** accepted, refused (the destination), unavailable, or unknown: the text may arrive. */
  outcome: string;
  /** Why it did not accept. */
  reason?: string | undefined;
  /** How long it took. */
  milliseconds: number;
}

export interface TrailMessage {
  /** The code’s number among the user’s. */
  number: number;
  /** verification, change or confirmation. */
  for: string;
  /** The confirmation, if the code is for one. Its terms are shown to nobody. */
  confirmation: MessageConfirmation | null;
  /** Masked. */
  phoneNumber: string;
  /** ISO 3166 code. */
  country: string | null;
  /** As the send gave it. */
  correlationType: number;
  /** Language of the template. */
  locale: string;
  /** SMS segments it took. */
  segments: number;
  /** The gateway that accepted it, or was asked last. */
  gateway: string;
  /** How it was sent. */
  channel: 'sms' | 'whatsapp' | 'voice';
  /** The gateway’s own id of the message. */
  gatewayMessageId: string | null;
  /** verified, expired, or otherwise the state. */
  outcome: string;
  /** unavailable (no gateway could take it), refused (the destination, by a gateway), unknown (it may arrive), accepted, delivered or failed. */
  state: string;
  /** Why it was refused or failed. */
  reason: string | null;
  /** When the code was requested. */
  requestedAt: string;
  /** When the gateway answered. */
  answeredAt: string;
  /** When it entered its state. */
  stateAt: string;
  /** When the code expires. */
  expiresAt: string;
  /** When the code was used. */
  verifiedAt: string | null;
  /** The gateways that were asked, in order. */
  tries: TrailTry[];
}

export interface TrailEvent {
  /** When it happened. */
  at: string;
  /** send-refused, verify-refused, verified, confirmation-refused, confirmation-approved, phone-changed, phone-unlinked or block-lifted (its reason is the operator). */
  kind: string;
  /** Why. */
  reason: string | null;
  /** How often within a minute. */
  times: number;
}

export interface TrailPhoneChange {
  /** When another number was linked. */
  changedAt: string;
  /** The number before, masked. */
  previousPhoneNumber: string;
  /** The new number, masked. */
  phoneNumber: string;
}

export interface UserTrail {
  /** The user. */
  id: number;
  /** The number that is verified now; null if there is none. */
  verified: TrailVerified | null;
  /** The messages. */
  messages: TrailMessage[];
  /** What else happened. */
  events: TrailEvent[];
  /** Changes of the number, newest first. */
  changes: TrailPhoneChange[];
  /** When the user was erased. If so, there is no other data. */
  erasedAt: string | null;
}

export interface OverviewDay {
  /** UTC. */
  day: string;
  /** ISO 3166 code. */
  country: string | null;
  /** The gateway. */
  gateway: string;
  /** Messages for which this gateway was the last one asked. */
  sent: number;
  /** Of those, accepted. */
  accepted: number;
  /** Of those, delivered by its receipts. */
  delivered: number;
  /** Failed by its receipts, or accepted by no gateway. */
  failed: number;
  /** Delivered or failed by its receipts. */
  receipts: number;
  /** Messages whose code was used; of several messages with one code the last, and those that were delivered. */
  verified: number;
  /** Times it was asked and could not accept a message. */
  passedOver: number;
}

export interface GatewayHealth {
  /** The gateway. */
  gateway: string;
  /** closed: in use; open: not used because it failed; probing: one message tests it. */
  breaker: 'closed' | 'open' | 'probing';
  /** Why it is left out. */
  reason?: string | undefined;
  /** When the next message tests it. */
  probeInSeconds?: number | undefined;
  /** How long the gateway asked us to wait. */
  pausedSeconds?: number | undefined;
}

export interface GatewayOrder {
  /** ISO 3166 code. */
  country: string | null;
  /** The gateways, in the order in which they are asked. */
  order: string[];
  /** Why it is not the configured order. */
  reasons: string[];
  /** Since when. */
  since: string;
}

export interface OperatorOverview {
  /** Whether the service sends no texts and no webhooks (LEDGERLINE_QUIET). */
  isQuiet: boolean;
  /** Newest first. */
  days: OverviewDay[];
  /** The order of the gateways by configuration. */
  configuredOrder: string[];
  /** The state of each gateway, at the process that answers. */
  gateways: GatewayHealth[];
  /** Countries whose order is not the configured one, at the process that answers. */
  orders: GatewayOrder[];
}

export interface SpanFigures {
  /** Messages that a gateway may have sent, each segment of a text, by LEDGERLINE_PRICES for their countries and channels. */
  cost: number;
  /** Messages that a receipt reported as delivered. */
  delivered: number;
  /** Half of them arrived within this time after the gateway accepted them. */
  medianSeconds: number | null;
  /** 95 of 100 arrived within this time. */
  p95Seconds: number | null;
}

export interface GatewayPerformance {
  /** The gateway. */
  gateway: string;
  /** Messages that a receipt reported as delivered. */
  delivered: number;
  /** Half of them arrived within this time after the gateway accepted them. */
  medianSeconds: number | null;
  /** 95 of 100 arrived within this time. */
  p95Seconds: number | null;
}

export interface CountryCost {
  /** ISO 3166 code. */
  country: string | null;
  /** What the messages cost. */
  cost: number;
}

export interface ChannelPerformance {
  /** sms, whatsapp or voice. */
  channel: string;
  /** Messages that a gateway accepted or may have accepted. */
  accepted: number;
  /** What they cost. */
  cost: number;
  /** Messages that a receipt reported as delivered. */
  delivered: number;
  /** Half of them arrived within this time after the gateway accepted them. */
  medianSeconds: number | null;
  /** 95 of 100 arrived within this time. */
  p95Seconds: number | null;
}

export interface OperatorPerformance {
  current: SpanFigures;
  before: SpanFigures;
  /** The last days by gateway. */
  gateways: GatewayPerformance[];
  /** The last days by country. */
  countries: CountryCost[];
  /** The last days by channel. */
  channels: ChannelPerformance[];
}

export interface LoggedMessage {
  /** Unique in the log. */
  id: string;
  /** The user who requested it. */
  userId: number;
  /** The message’s number among the user’s. Null if a rule refused it. */
  number: number | null;
  /** The number of the code in it. */
  codeNumber: number | null;
  /** verification, change or confirmation. Null if a rule refused it. */
  for: string | null;
  /** The confirmation, if the code is for one. Its terms are shown to nobody. */
  confirmation: MessageConfirmation | null;
  /** Masked. */
  phoneNumber: string | null;
  /** ISO 3166 code. */
  country: string | null;
  /** As the send gave it. */
  correlationType: number | null;
  /** Language of the template. */
  locale: string | null;
  /** SMS segments it took. */
  segments: number | null;
  /** The gateway that accepted it, or was asked last. */
  gateway: string | null;
  /** How it was sent. */
  channel: 'sms' | 'whatsapp' | 'voice' | null;
  /** The gateway’s own id of the message. */
  gatewayMessageId: string | null;
  /** verified, expired, or otherwise the state. */
  outcome: string;
  /** stopped (by a rule), unavailable (no gateway could take it), refused (the destination, by a gateway), unknown (it may arrive), accepted, failed or delivered. */
  state: 'stopped' | 'unavailable' | 'refused' | 'unknown' | 'accepted' | 'failed' | 'delivered';
  /** The rule that refused it. */
  rule: string | null;
  /** Why it was refused or failed. */
  reason: string | null;
  /** The figures of the reason, if a rule about ranges of numbers refused it. */
  figures: GuardEvidence | null;
  /** When the code was requested. */
  requestedAt: string;
  /** When the gateway answered. */
  answeredAt: string | null;
  /** When it entered its state. */
  stateAt: string | null;
  /** When the code expires. */
  expiresAt: string | null;
  /** When the code was used. */
  verifiedAt: string | null;
  /** The gateways that were asked, in order. Empty if the first one accepted it. */
  tries: TrailTry[];
}

export interface MessageLog {
  /** Newest first. */
  messages: LoggedMessage[];
  /** The value of after for the next, older page; null at the end. A page may have few messages, or none, and still have a next page: a request searches a limited part of the log. */
  next: string | null;
}

export interface GuardRule {
  /** Its name. */
  rule: 'user-sends' | 'address-sends' | 'token-sends' | 'user-confirmations' | 'country' | 'number-type' | 'spend' | 'phone-sends' | 'phone-users' | 'user-phones' | 'prefix' | 'challenge' | 'country-sends' | 'user-failures' | 'confirmation-failures' | 'address-failures' | 'token-failures' | 'phone-failures' | 'one-code';
  /** What it counts, in a sentence. */
  about: string;
  /** The mode in force. */
  mode: 'off' | 'shadow' | 'enforce';
  /** The mode by configuration. */
  configuredMode: 'off' | 'shadow' | 'enforce';
  /** When an operator changed the mode. */
  changedAt: string | null;
  /** Who changed it. */
  changedBy: string | null;
  /** Requests it refused in the last 24 hours. */
  refused: number;
  /** Requests it would have refused in the last 24 hours. */
  shadow: number;
}

export interface GuardRules {
  /** Every rule. */
  rules: GuardRule[];
}

export interface GuardModeRequest {
  /** The rule. */
  rule: 'user-sends' | 'address-sends' | 'token-sends' | 'user-confirmations' | 'country' | 'number-type' | 'spend' | 'phone-sends' | 'phone-users' | 'user-phones' | 'prefix' | 'challenge' | 'country-sends' | 'user-failures' | 'confirmation-failures' | 'address-failures' | 'token-failures' | 'phone-failures' | 'one-code';
  /** The new mode; configured returns to the setting. */
  mode: 'off' | 'shadow' | 'enforce' | 'configured';
  /** Why it is changed; the audit shows it. */
  reason?: string | null | undefined;
}

export interface GuardLimitUsage {
  /** The country or the range of numbers; null if the limit is for neither. */
  subject: string | null;
  /** The user who used most, if the limit is for each user. */
  userId: number | null;
  /** How much the busiest one has used. */
  used: number;
  /** The limit; null if it depends on what is normal for the range. */
  limit: number | null;
  /** The length of the window; null for a day in UTC. */
  seconds: number | null;
  /** How long failures block; null if they do not. */
  blockSeconds: number | null;
}

export interface GuardRuleUsage {
  /** Its name. */
  rule: 'user-sends' | 'address-sends' | 'token-sends' | 'user-confirmations' | 'country' | 'number-type' | 'spend' | 'phone-sends' | 'phone-users' | 'user-phones' | 'prefix' | 'challenge' | 'country-sends' | 'user-failures' | 'confirmation-failures' | 'address-failures' | 'token-failures' | 'phone-failures' | 'one-code';
  /** What it counts: sends, confirmations, phones, users, failures, failed checks, failed users, messages or money. */
  counts: string;
  /** Its limits, each with how much of it is used. For countries and ranges, those with the highest use. */
  limits: GuardLimitUsage[];
}

export interface GuardUsage {
  /** Every rule. */
  rules: GuardRuleUsage[];
}

export interface GuardBlock {
  /** The id by which it can be lifted. */
  id: string;
  /** The rule that blocks. */
  rule: 'user-sends' | 'address-sends' | 'token-sends' | 'user-confirmations' | 'country' | 'number-type' | 'spend' | 'phone-sends' | 'phone-users' | 'user-phones' | 'prefix' | 'challenge' | 'country-sends' | 'user-failures' | 'confirmation-failures' | 'address-failures' | 'token-failures' | 'phone-failures' | 'one-code';
  /** Who is blocked. Phone numbers are masked. */
  subject: string;
  /** The users it refuses; null if it refuses everybody. */
  userIds: number[] | null;
  /** When it ends. */
  until: string;
}

export interface GuardBlocks {
  /** The blocks. */
  blocks: GuardBlock[];
}

export interface GuardLiftRequest {
  /** A block, by the id that the list gives it. */
  block?: string | null | undefined;
  /** A user: the block and everything counted against the user. */
  userId?: number | null | undefined;
  /** A phone number: the block and everything counted against it. */
  phoneNumber?: string | null | undefined;
  /** A client address: the block and everything counted against it. */
  address?: string | null | undefined;
  /** Why it is lifted; the audit shows it. */
  reason?: string | null | undefined;
}

export interface GuardLifted {
  /** How many blocks. */
  lifted: number;
}

export interface GuardSafeEntry {
  /** The id by which it can be removed. */
  id: string;
  /** The prefix, or the masked number. */
  label: string;
  /** Whether it matches all numbers that start with it. */
  isPrefix: boolean;
  /** When it was added. */
  addedAt: string;
  /** Who added it. */
  addedBy: string;
}

export interface GuardSafeList {
  /** The entries. */
  entries: GuardSafeEntry[];
}

export interface GuardSafeRequest {
  /** One number. */
  phoneNumber?: string | null | undefined;
  /** All numbers that start so. */
  prefix?: string | null | undefined;
}

export interface GuardSafeRemoval {
  /** The entry, by the id that the list gives it. */
  id: string;
}

export interface GuardDecision {
  /** Its number. */
  id: number;
  /** When it was made. */
  at: string;
  /** The rule that decided. */
  rule: 'user-sends' | 'address-sends' | 'token-sends' | 'user-confirmations' | 'country' | 'number-type' | 'spend' | 'phone-sends' | 'phone-users' | 'user-phones' | 'prefix' | 'challenge' | 'country-sends' | 'user-failures' | 'confirmation-failures' | 'address-failures' | 'token-failures' | 'phone-failures' | 'one-code';
  /** Whether the request was refused, or would have been. */
  action: 'refused' | 'shadow';
  /** The operation that was called. */
  operation: 'send-code' | 'verify-phone' | 'change-phone' | 'verify-change' | 'create-confirmation' | 'check-confirmation';
  /** The user of the request. */
  userId: number;
  /** Masked. */
  phone: string | null;
  /** A keyed digest: the same for the same number. */
  phoneKey: string | null;
  /** ISO 3166 code. */
  country: string | null;
  /** The client address, or the subject of the token. */
  source: string | null;
  /** What the rule saw, in one sentence; null if the name of the rule is enough. */
  evidence: string | null;
  /** The figures of that sentence. */
  figures: GuardEvidence | null;
}

export interface GuardDecisions {
  /** The decisions. */
  decisions: GuardDecision[];
}

export interface OperatorAction {
  /** Its number. */
  id: number;
  /** When it was done. */
  at: string;
  /** The person: the token’s sub. */
  subject: string;
  /** The client whose token it was. */
  client: string;
  /** What was done. */
  action: 'set-mode' | 'lift' | 'add-safe' | 'remove-safe' | 'reveal-phone' | 'find-users' | 'list-transactions' | 'free-phone' | 'erase-user' | 'read-user-data' | 'export-erased' | 'run-retention' | 'create-webhook-endpoint' | 'update-webhook-endpoint' | 'enable-webhook-endpoint' | 'disable-webhook-endpoint' | 'delete-webhook-endpoint' | 'rotate-webhook-secret' | 'replay-webhook-events';
  /** What it was done to. */
  target: string;
  /** The details, such as the new mode. */
  detail: string | null;
  /** Why it was done, in the operator’s words. */
  reason: string | null;
  /** The user it was about, if it was about one. */
  userId: number | null;
}

export interface OperatorActions {
  /** The actions. */
  actions: OperatorAction[];
}

export interface ServiceSetting {
  /** The environment variable. */
  name: string;
  /** The part of the service that it belongs to. */
  group: string;
  /** What it does. */
  about: string;
  /** Whether its value is never shown. */
  isSecret: boolean;
  /** Whether it was given. */
  isSet: boolean;
  /** As it was given; null for a secret, and if it was not given. */
  value: string | null;
  /** The value if it is not given. */
  default: string;
}

export interface ServiceSettings {
  /** The version of the service. */
  version: string;
  /** sandbox or production. */
  mode: string;
  /** Every setting. */
  settings: ServiceSetting[];
}

export interface FoundEvents {
  /** The events, newest first. */
  events: LedgerlineEvent[];
}

export interface OperatorWebhookEndpoint {
  /** The endpoint. */
  id: number;
  /** Where events are posted. */
  url: string;
  /** The event types that are sent; empty for all. */
  types: string[];
  /** A text for people. */
  description: string | null;
  /** Whether events are sent. */
  enabled: boolean;
  /** gone: the receiver answered 410; failing: it failed for five days; request: a client asked for it. */
  disabledReason: string | null;
  /** When the endpoint was created. */
  createdAt: string;
  /** The first failure since the last success. */
  failingSince: string | null;
  /** Whether something was sent to it, as far as deliveries are kept. */
  isTried: boolean;
  /** Deliveries that are due; counted up to 1,000. */
  due: number;
  /** Since when the oldest of them is due. */
  oldestDueAt: string | null;
}

export interface OperatorWebhookEndpoints {
  /** The endpoints, oldest first. */
  endpoints: OperatorWebhookEndpoint[];
}

export interface OperatorWebhookDelivery {
  /** The event. */
  eventId: string;
  /** The type of the event. */
  type: string;
  /** due: it will be tried (again). */
  state: 'due' | 'delivered' | 'failed';
  /** Tries so far, of at most ten. */
  attempts: number;
  /** The last answer of the receiver. */
  lastStatus: number | null;
  /** Why the last try failed. */
  lastError: string | null;
  /** When the next try is due. */
  nextAttemptAt: string | null;
  /** When it was last tried. */
  lastAttemptAt: string | null;
  /** The body that is sent. */
  request: string;
  /** The first kilobyte of what the receiver answered last. */
  lastAnswer: string | null;
}

export interface OperatorWebhookDeliveries {
  /** The deliveries, newest first. */
  deliveries: OperatorWebhookDelivery[];
}

export interface FindUsersRequest {
  /** Phone number in E.164 format. */
  phoneNumber?: string | null | undefined;
  /** E-mail address; letter case is ignored. */
  email?: string | null | undefined;
}

export interface PhoneHolder {
  /** The user. */
  userId: number;
  /** When the number was verified. */
  verifiedAt: string | null;
  /** When a code last proved that the user has the number. */
  lastUsedAt: string | null;
}

export interface FoundUsers {
  /** Their ids, at most 50. */
  userIds: number[];
  /** With `phoneNumber`: who has verified it, or null. */
  holder?: PhoneHolder | null | undefined;
}

export interface RevealedPhones {
  /** The verified number. */
  verifiedPhone: string | null;
  /** The number that the last code was sent to. */
  lastSentPhone: string | null;
  /** When the verified number was verified. */
  verifiedAt: string | null;
  /** When a code last proved that the user has the verified number. */
  lastUsedAt: string | null;
}

export interface FreePhoneRequest {
  /** The user who has the number. */
  userId: number;
  /** The whole number, in E.164 format. */
  phoneNumber: string;
  /** Why it is freed; the audit shows it. */
  reason?: string | null | undefined;
}

export interface OperatorTransactionsRequest {
  /** Page number, starts at 1. */
  dataBatch?: number | null | undefined;
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
  /** Part of a name, a note or an id, ignoring case. Accents may be left out. */
  search?: string | null | undefined;
  /** The As-Of header of an earlier page: the rows stay those of that page. */
  asOf?: string | null | undefined;
}

export interface OperatorTransactions {
  /** The rows of the page, newest first. */
  transactions: Transaction[];
  /** All rows, over all pages. */
  transactionCount: number;
}

export interface OperatorTransactionRequest {
  /** Transaction identifier. */
  transactionId: string;
}

export interface TokenResponse {
  /** A JWT (RFC 9068). */
  access_token: string;
  /** How it is sent. */
  token_type: 'Bearer';
  /** Seconds until it expires. */
  expires_in: number;
  /** Its scopes, separated by spaces. */
  scope: string;
}

export interface TokenError {
  /** RFC 6749 section 5.2. */
  error: 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unauthorized_client' | 'unsupported_grant_type' | 'temporarily_unavailable';
  error_description: string;
}

export interface Liveness {
  /** Always live. */
  status: 'live';
  /** The release of the service. */
  version: string;
}

export interface Readiness {
  /** Always ready. */
  status: 'ready';
  /** The release of the service. */
  version: string;
}

export interface SandboxMessage {
  /** The phone number it was sent to. */
  phoneNumber: string;
  /** The whole text. */
  text: string;
  /** The code in it; null if it has none. */
  code: string | null;
  /** What it was for: `verification`, `change`, `notice`, or the purpose of a confirmation. */
  purpose: string;
  /** How it was sent. */
  channel: 'sms' | 'whatsapp' | 'voice';
  /** When it was sent. */
  sentAt: string;
}

export interface SandboxClockRequest {
  /** How far to move the clock forward; calls add up. */
  advanceSeconds: number;
}

export interface SandboxClock {
  /** The time by the service’s clock. */
  now: string;
  /** How far it is ahead of the real time. */
  aheadSeconds: number;
}

export interface EndpointTestData {
  /** The webhook endpoint. */
  endpointId: number;
}

export interface EndpointTestEvent {
  /** The same on every delivery of the event. */
  id: string;
  type: 'endpoint.test';
  /** When it happened, by the service’s clock. */
  timestamp: string;
  data: EndpointTestData;
}
