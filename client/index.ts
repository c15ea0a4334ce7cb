/** `ledgerline/client`: the typed client, for browsers and Node, without dependencies. */
export {
  createClient,
  isE164,
  type CallOptions,
  type Client,
  type ClientOptions,
  type ExportFormat,
  type Transaction,
  type TransactionPage,
  type TransactionPeriod,
  type TransactionTotals,
} from './client.ts';
export { LedgerlineError, type FailureKind } from './errors.ts';
export { parseExact } from './exact.ts';
export { clientCredentials, type ClientCredentials, type TokenSource } from './token.ts';
export type {
  AllTransactionRequestModel,
  CreatedUser,
  CreateUserRequest,
  ExportTransactionsRequest,
  GetTransactionRequest,
  RevealedPhones,
  ProblemDetails,
  RecordResult,
  RecordTransactionsResponse,
  SandboxClock,
  SandboxMessage,
  SendCodeRequest,
  SummarizeTransactionsRequest,
  TokenResponse,
  TransactionRow,
  UserStatus,
  VerifyRequest,
} from './types.ts';
