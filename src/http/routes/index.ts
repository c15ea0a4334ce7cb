/** The table of all operations. */
import type { Issuer } from '../../auth/issuer.ts';
import type { Observer } from '../../monitoring/observe.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import type { GuardControl } from '../../guard/control/guard-control.ts';
import type { ReadUsage } from '../../guard/usage.ts';
import type { FindEvents } from '../../events/find-events.ts';
import type { LiveMessages } from '../../events/live/live-messages.ts';
import type { LiveTransactions } from '../../events/live/live-transactions.ts';
import type { ListEvents } from '../../events/list-events.ts';
import type { WebhookEndpoints } from '../../events/webhooks/webhook-endpoints.ts';
import type { FindMessages } from '../../messages/find-messages.ts';
import type { ReadOverview } from '../../messages/overview.ts';
import type { ReadPerformance } from '../../messages/performance.ts';
import type { SendCode } from '../../phone/send-code.ts';
import type { ChangePhone } from '../../phone/change-phone.ts';
import type { CheckConfirmation } from '../../confirmations/check-confirmation.ts';
import type { ReadConfirmation } from '../../confirmations/read-confirmation.ts';
import type { SendConfirmation } from '../../confirmations/send-confirmation.ts';
import type { FreePhone } from '../../phone/unlink-phone.ts';
import type { VerifyCode } from '../../phone/verify-code.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ListReply, ListRequest } from '../../transactions/list/list-transactions.ts';
import type { createFindUsers, createRevealPhone } from '../../users/find-users.ts';
import type { NewUser, UserStatus } from '../../users/user.ts';
import { pageNames, type PageName } from '../../config/settings/server.ts';
import type { Pages } from '../pages.ts';
import type { EventStreams } from '../event-streams.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import type { AnyOperation } from '../operation.ts';
import { eraseUserOperation } from './users/erase-user.ts';
import { readUserDataOperation } from './users/read-user-data.ts';
import type { EraseUser } from '../../privacy/erase-user.ts';
import type { ReadUserData } from '../../privacy/read-user-data.ts';
import { assetOperation } from './pages/asset.ts';
import { docsOperation } from './pages/docs.ts';
import { describeWebhooks } from './events/event-webhooks.ts';
import { exportTransactionsOperation } from './transactions/export-transactions.ts';
import { statementOperation } from './transactions/statement.ts';
import { summarizeTransactionsOperation } from './transactions/summarize-transactions.ts';
import { syncTransactionsOperation } from './transactions/sync-transactions.ts';
import type { ExportReply, ExportRequest } from '../../transactions/export/export-transactions.ts';
import type { ConfirmationRequest } from '../../transactions/export/make-confirmation.ts';
import type { StatementReply, StatementRequest } from '../../transactions/export/make-statement.ts';
import type { TotalsReply, TotalsRequest } from '../../transactions/summarize-transactions.ts';
import type { SyncReply, SyncRequest } from '../../transactions/sync/sync-transactions.ts';
import { createUserOperation } from './users/create-user.ts';
import { discoveryOperation } from './tokens/discovery.ts';
import { getTransactionHistoryOperation } from './transactions/get-transaction-history.ts';
import { getTransactionOperation } from './transactions/get-transaction.ts';
import { listEventsOperation } from './events/list-events.ts';
import { guardAddSafeOperation } from './guard/add-safe.ts';
import { guardBlocksOperation } from './guard/blocks.ts';
import { guardDecisionsOperation } from './guard/decisions.ts';
import { guardLiftOperation } from './guard/lift.ts';
import { guardRemoveSafeOperation } from './guard/remove-safe.ts';
import { guardRulesOperation } from './guard/rules.ts';
import { guardSafeListOperation } from './guard/safe-list.ts';
import { guardSetModeOperation } from './guard/set-mode.ts';
import { guardUsageOperation } from './guard/usage.ts';
import { jwksOperation } from './tokens/jwks.ts';
import { liveTransactionsOperation } from './transactions/live-transactions.ts';
import { operatorLiveMessagesOperation } from './operator/live-messages.ts';
import { liveOperation } from './health/live.ts';
import { listTransactionsOperation } from './transactions/list-transactions.ts';
import { metricsOperation } from './health/metrics.ts';
import { openApiOperation } from './pages/openapi.ts';
import { operatorActionsOperation } from './operator/actions.ts';
import { findUsersOperation } from './operator/find-users.ts';
import { operatorExportActionsOperation } from './operator/export-actions.ts';
import { operatorMessagesOperation } from './operator/messages.ts';
import { operatorSettingsOperation, type SettingsReport } from './operator/settings.ts';
import { operatorTransactionOperation, type ReadUserTransaction } from './operator/transaction.ts';
import { operatorTransactionsOperation } from './operator/transactions.ts';
import { overviewOperation } from './operator/overview.ts';
import { operatorPerformanceOperation } from './operator/performance.ts';
import { freePhoneOperation } from './operator/free-phone.ts';
import { revealPhoneOperation } from './operator/reveal-phone.ts';
import { readTrailOperation } from './operator/trail.ts';
import { pageOperation } from './pages/page.ts';
import { readyOperation } from './health/ready.ts';
import {
  recordTransactionsOperation,
  type FindRefusal,
  type RecordTransactions,
} from './transactions/record-transactions.ts';
import { receiptOperations, type Receipts } from './phone/receipts.ts';
import { cancelConfirmationOperation } from './confirmations/cancel-confirmation.ts';
import { checkConfirmationOperation } from './confirmations/check-confirmation.ts';
import { createConfirmationOperation } from './confirmations/create-confirmation.ts';
import { readConfirmationOperation } from './confirmations/read-confirmation.ts';
import { resendConfirmationOperation } from './confirmations/resend-confirmation.ts';
import { resendCodeOperation } from './phone/resend-code.ts';
import { advanceClockOperation } from './sandbox/clock-advance.ts';
import { resetClockOperation } from './sandbox/clock-reset.ts';
import { emptySandboxOperation } from './sandbox/empty.ts';
import { readMessagesOperation } from './sandbox/messages.ts';
import { sendCodeOperation } from './phone/send-code.ts';
import { tokenOperation } from './tokens/token.ts';
import { changePhoneOperation } from './phone/change-phone.ts';
import { endChangeOperation } from './phone/end-change.ts';
import { resendChangeOperation } from './phone/resend-change.ts';
import { verifyChangeOperation } from './phone/verify-change.ts';
import { unlinkPhoneOperation } from './phone/unlink-phone.ts';
import { userStatusOperation } from './users/user-status.ts';
import { createWebhookEndpointOperation } from './events/create-webhook-endpoint.ts';
import { listWebhookEndpointsOperation } from './events/list-webhook-endpoints.ts';
import { getWebhookEndpointOperation } from './events/get-webhook-endpoint.ts';
import { updateWebhookEndpointOperation } from './events/update-webhook-endpoint.ts';
import { deleteWebhookEndpointOperation } from './events/delete-webhook-endpoint.ts';
import { rotateWebhookSecretOperation } from './events/rotate-webhook-secret.ts';
import { testWebhookEndpointOperation } from './events/test-webhook-endpoint.ts';
import { replayWebhookEventsOperation } from './events/replay-webhook-events.ts';
import { listWebhookDeliveriesOperation } from './events/list-webhook-deliveries.ts';
import { operatorWebhookEndpointsOperation } from './operator/webhook-endpoints.ts';
import { operatorWebhookDeliveriesOperation } from './operator/webhook-deliveries.ts';
import { operatorEventsOperation } from './operator/events.ts';
import { verifyPhoneOperation } from './phone/verify-phone.ts';

export interface Services {
  send: SendCode;
  verifyCode: VerifyCode;
  unlinkPhone(userId: number): Promise<void>;
  sendConfirmation: SendConfirmation;
  checkConfirmation: CheckConfirmation;
  confirmations: ReadConfirmation;
  freePhone: FreePhone;
  changePhone: ChangePhone;
  guardControl: GuardControl;
  createUser(user: NewUser): Promise<number>;
  userStatus(userId: number): Promise<UserStatus>;
  eraseUser: EraseUser;
  readUserData: ReadUserData;
  listTransactions(request: ListRequest): Promise<ListReply>;
  getTransaction(transactionId: string, individualId?: number): Promise<string>;
  getHistory(transactionId: string, individualId?: number): Promise<AsyncIterable<string[]>>;
  recordTransactions: RecordTransactions;
  findRecordRefusal: FindRefusal;
  summarizeTransactions(request: TotalsRequest): Promise<TotalsReply>;
  syncTransactions(request: SyncRequest): Promise<SyncReply>;
  exportTransactions(request: ExportRequest): Promise<ExportReply>;
  makeStatement(request: StatementRequest): Promise<StatementReply>;
  makeConfirmation(request: ConfirmationRequest): Promise<StatementReply>;
  listEvents: ListEvents;
  findEvents: FindEvents;
  liveTransactions: LiveTransactions;
  liveMessages: LiveMessages;
  eventStreams: EventStreams;
  webhookEndpoints: WebhookEndpoints;
  receipts: Receipts;
  readTrail(userId: number): Promise<string>;
  readOverview: ReadOverview;
  readPerformance: ReadPerformance;
  readUsage: ReadUsage;
  findMessages: FindMessages;
  findUsers: ReturnType<typeof createFindUsers>;
  revealPhone: ReturnType<typeof createRevealPhone>;
  listUserTransactions(who: Operator, request: ListRequest): Promise<ListReply>;
  readUserTransaction: ReadUserTransaction;
  settings: SettingsReport;
  /** Throws the reason why requests cannot be served. */
  checkReady(): void;
  observer: Observer;
  /** Absent if the tokens come from another issuer. */
  issuer: Issuer | undefined;
  /** Absent in production. */
  sandbox: Sandbox | undefined;
  /** Pages that are served. */
  pageNames: readonly PageName[];
  pages: Pages;
  /** Whether /metrics is served on the same port. */
  metricsHere: boolean;
}

export function operationsOf(services: Services): AnyOperation[] {
  const { observer, issuer, sandbox, guardControl, webhookEndpoints, eventStreams } = services;
  const operations: AnyOperation[] = [
    sendCodeOperation(services.send),
    verifyPhoneOperation(services.verifyCode),
    resendCodeOperation(services.send),
    unlinkPhoneOperation(services.unlinkPhone),
    changePhoneOperation(services.changePhone),
    resendChangeOperation(services.changePhone),
    verifyChangeOperation(services.changePhone),
    endChangeOperation(services.changePhone),
    createConfirmationOperation(services.sendConfirmation),
    readConfirmationOperation(services.confirmations),
    resendConfirmationOperation(services.sendConfirmation),
    checkConfirmationOperation(services.checkConfirmation),
    cancelConfirmationOperation(services.confirmations),
    createUserOperation(services.createUser),
    userStatusOperation(services.userStatus),
    eraseUserOperation(services.eraseUser),
    readUserDataOperation(services.readUserData),
    listTransactionsOperation(services.listTransactions),
    getTransactionOperation(services.getTransaction),
    getTransactionHistoryOperation(services.getHistory),
    recordTransactionsOperation(services.recordTransactions, services.findRecordRefusal, observer.observe),
    summarizeTransactionsOperation(services.summarizeTransactions),
    syncTransactionsOperation(services.syncTransactions),
    exportTransactionsOperation(services.exportTransactions),
    statementOperation(services.makeStatement, services.makeConfirmation),
    liveTransactionsOperation(services.liveTransactions, eventStreams),
    listEventsOperation(services.listEvents),
    createWebhookEndpointOperation(webhookEndpoints),
    listWebhookEndpointsOperation(webhookEndpoints),
    getWebhookEndpointOperation(webhookEndpoints),
    updateWebhookEndpointOperation(webhookEndpoints),
    deleteWebhookEndpointOperation(webhookEndpoints),
    rotateWebhookSecretOperation(webhookEndpoints),
    testWebhookEndpointOperation(webhookEndpoints),
    replayWebhookEventsOperation(webhookEndpoints),
    listWebhookDeliveriesOperation(webhookEndpoints),
    ...receiptOperations(services.receipts),
    readTrailOperation(services.readTrail),
    overviewOperation(services.readOverview),
    operatorPerformanceOperation(services.readPerformance),
    operatorMessagesOperation(services.findMessages),
    guardRulesOperation(guardControl),
    guardSetModeOperation(guardControl),
    guardUsageOperation(services.readUsage),
    guardBlocksOperation(guardControl),
    guardLiftOperation(guardControl),
    guardSafeListOperation(guardControl),
    guardAddSafeOperation(guardControl),
    guardRemoveSafeOperation(guardControl),
    guardDecisionsOperation(guardControl),
    operatorActionsOperation(guardControl),
    operatorExportActionsOperation(guardControl),
    operatorSettingsOperation(services.settings),
    operatorEventsOperation(services.findEvents),
    operatorLiveMessagesOperation(services.liveMessages, eventStreams),
    operatorWebhookEndpointsOperation(webhookEndpoints),
    operatorWebhookDeliveriesOperation(webhookEndpoints),
    findUsersOperation(services.findUsers),
    revealPhoneOperation(services.revealPhone),
    freePhoneOperation(services.freePhone),
    operatorTransactionsOperation(services.listUserTransactions),
    operatorTransactionOperation(services.readUserTransaction),
    ...(issuer ? [tokenOperation(issuer, observer.observe), jwksOperation(issuer), discoveryOperation(issuer)] : []),
    liveOperation(),
    readyOperation(services.checkReady),
    ...(services.metricsHere ? [metricsOperation(observer)] : []),
    ...(sandbox
      ? [
          readMessagesOperation(sandbox),
          advanceClockOperation(sandbox),
          resetClockOperation(sandbox),
          emptySandboxOperation(sandbox),
        ]
      : []),
    ...services.pageNames.map((name) => pageOperation(name, services.pages)),
    openApiOperation(() => openApiDocument(operations, describeWebhooks)),
    docsOperation(services.pages),
  ];
  const { docs, assets } = services.pages;
  const files = [...docs.filter(({ path }) => path !== '/docs'), ...assets];
  return [...operations, ...files.map(assetOperation)];
}

/** `openapi.json`: every operation that any configuration has. */
export function completeDocument(): string {
  // No operation is called here, so the services can be missing.
  const everything = {
    observer: {},
    issuer: {},
    sandbox: {},
    pageNames,
    pages: { html: {}, docs: [], assets: [] },
    metricsHere: true,
  } as unknown as Services;
  return `${JSON.stringify(openApiDocument(operationsOf(everything), describeWebhooks), null, 2)}\n`;
}
