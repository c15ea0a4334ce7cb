/** `@ledgerline/client`: the typed client, for browsers and Node, without dependencies. */
export type { CallOptions } from './calls.ts';
export type { AnswerReport, CallSettings } from './transport.ts';
export type { ConfirmationFunctions, ConfirmationOptions, ResendConfirmationOptions } from './confirmations.ts';
export { createClient, type Client, type ClientOptions } from './client.ts';
export { LedgerlineError, type FailureKind } from './errors.ts';
export type {
  DeliveryFilter,
  EventFilter,
  EventFunctions,
  EventType,
  FollowedPage,
  FollowOptions,
  WebhookFunctions,
} from './events.ts';
export { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from './verify-webhook.ts';
export { parseExact } from './exact.ts';
export type {
  GuardDecisionFilter,
  GuardMode,
  GuardRuleName,
  LiveMessage,
  OperatorActionFilter,
  OperatorEventFilter,
  OperatorFunctions,
  OperatorMessageFilter,
  OperatorPage,
} from './operator.ts';
export { isE164, type PhoneFunctions, type ResendOptions, type SendOptions, type SentCode } from './phone.ts';
export { solveChallenge, type SolveChallenge } from './solve-challenge.ts';
export { clientCredentials, type ClientCredentials, type TokenSource } from './token.ts';
export type { MirrorChange, MirrorOptions, TransactionMirror } from './mirror.ts';
export type {
  DetailedTransaction,
  LiveState,
  SyncOptions,
  SyncPage,
  Transaction,
  TransactionPage,
  TransactionVersion,
  TransactionPeriod,
  TransactionTotals,
} from './transaction-types.ts';
export type { ExportFormat, TransactionFunctions } from './transactions.ts';
export type {
  AllTransactionRequestModel,
  ApprovedConfirmation,
  CheckConfirmationRequest,
  Confirmation,
  CreateConfirmationRequest,
  CreatedConfirmation,
  CreatedUser,
  CreateUserRequest,
  ExportTransactionsRequest,
  GatewayHealth,
  GatewayOrder,
  GetTransactionRequest,
  CreatedWebhookEndpoint,
  CreateWebhookEndpointRequest,
  EventPage,
  LedgerlineEvent,
  ReplayWebhookEventsRequest,
  RotateWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookTestResult,
  OperatorWebhookDelivery,
  OperatorWebhookEndpoint,
  GuardBlock,
  GuardDecision,
  GuardEvidence,
  GuardLiftRequest,
  GuardLimitUsage,
  GuardRule,
  GuardRuleUsage,
  GuardSafeEntry,
  GuardSafeRequest,
  OperatorAction,
  LoggedMessage,
  MessageLog,
  OperatorOverview,
  OperatorPerformance,
  OperatorTransactionsRequest,
  OverviewDay,
  ProblemDetails,
  RecordResult,
  RecordTransactionsResponse,
  RevealedPhones,
  SandboxClock,
  SandboxMessage,
  SendCodeRequest,
  ServiceSetting,
  ServiceSettings,
  SpanFigures,
  SummarizeTransactionsRequest,
  TokenResponse,
  TrailEvent,
  TrailMessage,
  TrailTry,
  TransactionRow,
  UserStatus,
  UserTrail,
  VerifyRequest,
} from './types.ts';
