/** The table of all operations. */
import type { Issuer } from '../../auth/issuer.ts';
import type { Observer } from '../../monitoring/observe.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { pageNames, type PageName } from '../../config/settings/server.ts';
import type { Pages } from '../pages.ts';
import type { Merged } from '../../formats/setting-kinds.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import type { AnyOperation } from '../operation.ts';
import { eraseUserOperation } from './users/erase-user.ts';
import { readUserDataOperation } from './users/read-user-data.ts';
import { assetOperation } from './pages/asset.ts';
import { describeWebhooks } from './events/event-webhooks.ts';
import { exportTransactionsOperation } from './transactions/export-transactions.ts';
import { statementOperation } from './transactions/statement.ts';
import { summarizeTransactionsOperation } from './transactions/summarize-transactions.ts';
import { syncTransactionsOperation } from './transactions/sync-transactions.ts';
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
import { operatorSettingsOperation } from './operator/settings.ts';
import { operatorTransactionOperation } from './operator/transaction.ts';
import { operatorTransactionsOperation } from './operator/transactions.ts';
import { overviewOperation } from './operator/overview.ts';
import { operatorPerformanceOperation } from './operator/performance.ts';
import { freePhoneOperation } from './operator/free-phone.ts';
import { revealPhoneOperation } from './operator/reveal-phone.ts';
import { readTrailOperation } from './operator/trail.ts';
import { pageOperation } from './pages/page.ts';
import { readyOperation } from './health/ready.ts';
import { recordTransactionsOperation } from './transactions/record-transactions.ts';
import { receiptOperations } from './phone/receipts.ts';
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

type Made = AnyOperation | AnyOperation[];

/** An operation that calls one service, with the name of this service. */
function to<Name extends string, Service>(name: Name, make: (service: Service) => Made) {
  return (services: Record<Name, Service>): Made => make(services[name]);
}

/** The operations that every configuration has, but for health and the reference. */
const table = [
  to('send', sendCodeOperation),
  to('verifyCode', verifyPhoneOperation),
  to('send', resendCodeOperation),
  to('unlinkPhone', unlinkPhoneOperation),
  to('changePhone', changePhoneOperation),
  to('changePhone', resendChangeOperation),
  to('changePhone', verifyChangeOperation),
  to('changePhone', endChangeOperation),
  to('sendConfirmation', createConfirmationOperation),
  to('confirmations', readConfirmationOperation),
  to('sendConfirmation', resendConfirmationOperation),
  to('checkConfirmation', checkConfirmationOperation),
  to('confirmations', cancelConfirmationOperation),
  to('createUser', createUserOperation),
  to('userStatus', userStatusOperation),
  to('eraseUser', eraseUserOperation),
  to('readUserData', readUserDataOperation),
  to('listTransactions', listTransactionsOperation),
  to('getTransaction', getTransactionOperation),
  to('getHistory', getTransactionHistoryOperation),
  recordTransactionsOperation,
  to('summarizeTransactions', summarizeTransactionsOperation),
  to('syncTransactions', syncTransactionsOperation),
  to('exportTransactions', exportTransactionsOperation),
  statementOperation,
  liveTransactionsOperation,
  to('listEvents', listEventsOperation),
  to('webhookEndpoints', createWebhookEndpointOperation),
  to('webhookEndpoints', listWebhookEndpointsOperation),
  to('webhookEndpoints', getWebhookEndpointOperation),
  to('webhookEndpoints', updateWebhookEndpointOperation),
  to('webhookEndpoints', deleteWebhookEndpointOperation),
  to('webhookEndpoints', rotateWebhookSecretOperation),
  to('webhookEndpoints', testWebhookEndpointOperation),
  to('webhookEndpoints', replayWebhookEventsOperation),
  to('webhookEndpoints', listWebhookDeliveriesOperation),
  to('receipts', receiptOperations),
  to('readTrail', readTrailOperation),
  to('readOverview', overviewOperation),
  to('readPerformance', operatorPerformanceOperation),
  to('findMessages', operatorMessagesOperation),
  to('guardControl', guardRulesOperation),
  to('guardControl', guardSetModeOperation),
  to('readUsage', guardUsageOperation),
  to('guardControl', guardBlocksOperation),
  to('guardControl', guardLiftOperation),
  to('guardControl', guardSafeListOperation),
  to('guardControl', guardAddSafeOperation),
  to('guardControl', guardRemoveSafeOperation),
  to('guardControl', guardDecisionsOperation),
  to('audit', operatorActionsOperation),
  to('audit', operatorExportActionsOperation),
  to('settings', operatorSettingsOperation),
  to('findEvents', operatorEventsOperation),
  operatorLiveMessagesOperation,
  to('webhookEndpoints', operatorWebhookEndpointsOperation),
  to('webhookEndpoints', operatorWebhookDeliveriesOperation),
  to('findUsers', findUsersOperation),
  to('revealPhone', revealPhoneOperation),
  to('freePhone', freePhoneOperation),
  to('listUserTransactions', operatorTransactionsOperation),
  to('readUserTransaction', operatorTransactionOperation),
];

type CalledServices = Merged<Parameters<(typeof table)[number]>[0]>;

export interface Services extends CalledServices {
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
  const { observer, issuer, sandbox, pages } = services;
  const operations: AnyOperation[] = [
    ...table.flatMap((make) => make(services)),
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
    ...services.pageNames.map((name) => pageOperation(name, pages.html[name])),
    openApiOperation(() => openApiDocument(operations, describeWebhooks)),
    pageOperation(
      'docs',
      pages.docs.find(({ path }) => path === '/docs'),
    ),
  ];
  const files = [...pages.docs.filter(({ path }) => path !== '/docs'), ...pages.assets];
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
