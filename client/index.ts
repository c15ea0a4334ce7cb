/** `@ledgerline/client`: the typed client, for browsers and Node, without dependencies. */
export type { CallOptions } from './calls.ts';
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
  OperatorEventFilter,
  OperatorFunctions,
  OperatorPage,
} from './operator.ts';
export { isE164, type PhoneFunctions, type SendOptions, type SentCode } from './phone.ts';
export { clientCredentials, type ClientCredentials, type TokenSource } from './token.ts';
export type {
  ExportFormat,
  LiveState,
  Transaction,
  TransactionFunctions,
  TransactionPage,
  TransactionVersion,
  TransactionPeriod,
  TransactionTotals,
} from './transactions.ts';
export type {
  AllTransactionRequestModel,
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
  GuardLiftRequest,
  GuardRule,
  GuardSafeEntry,
  GuardSafeRequest,
  OperatorAction,
  OperatorOverview,
  OverviewDay,
  ProblemDetails,
  RecordResult,
  RecordTransactionsResponse,
  RevealedPhones,
  SandboxClock,
  SandboxMessage,
  SendCodeRequest,
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
