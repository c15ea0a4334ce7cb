/** The composition root: from settings to a running service. */
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAudit } from '../audit/audit.ts';
import { createAuditStore } from '../audit/audit.store.ts';
import { Admission } from '../sharing/admission.ts';
import { enterKeys, forgetKeys } from '../auth/digest-key-registry.store.ts';
import type { KeySet } from '../auth/key-set.ts';
import { readDigestKeys } from '../auth/keys.ts';
import { ServiceClock } from '../values/clock.ts';
import { checkMode, gatewaysIn } from '../config/check.ts';
import type { Config } from '../config/load.ts';
import { describeSettings } from '../config/describe.ts';
import { findRisks } from '../config/risks.ts';
import { inBackground } from '../monitoring/background.ts';
import { asExplainedProblem, asStartError, isExplained } from '../db/checks/explain-failure.ts';
import { createJobLeases } from '../db/job-leases.ts';
import { deriveKeys } from '../crypto/digest-keys.ts';
import { databaseAway, issuerAway, serviceStopping } from '../errors.ts';
import { freePort } from '../network/free-port.ts';
import type { AnyOperation } from '../http/operation.ts';
import { readPages, type ConsoleSignIn } from '../http/pages.ts';
import { operationsOf } from '../http/routes/index.ts';
import type { SlowestRead } from '../http/connections/connections.ts';
import { createServer } from '../http/server.ts';
import { createObserver, type Observer } from '../monitoring/observe.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { version } from '../version.ts';
import type { Core } from './core.ts';
import { connectDatabase, prepareServer, type DatabaseServer } from './database.ts';
import { jobTable } from './job-table.ts';
import { createJobs } from './jobs.ts';
import { openEvents } from './events.ts';
import { openPhone } from './phone.ts';
import { openPrivacy } from './privacy.ts';
import { noSiblings, type Siblings } from './processes/siblings.ts';
import { releaseOnFailure, type Releasers } from './releasers.ts';
import { localCallerCheck, openInbox, openSandbox, seedDemo } from './sandbox.ts';
import { checkPort, openPort, serveMetrics, takeConnections, urlOf } from './server.ts';
import { reportFailure } from './report-work.ts';
import { createStopping, settleSeconds } from './stopping.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { openTransactions } from './transactions.ts';
import { openUsers } from './users.ts';
import { createListUserTransactions, createReadUserTransaction } from '../users/list-user-transactions.ts';

export interface AppOptions {
  config: Config;
  /** Empties the sandbox first. */
  fresh?: boolean;
  /** Receives the log lines. */
  log(line: string): void;
  /** Receives a line for each step of a start that takes seconds. */
  report?: ((step: string) => void) | undefined;
  /** Writes to the terminal, for the console gateway only. */
  terminal(text: string): void;
  logFormat: 'json' | 'text';
  /** The other processes of the node, if it has several. */
  siblings?: Siblings;
  /** For tests, which cannot wait as long as the default does. */
  slowestRead?: SlowestRead;
}

/** A running service, as one process or several. */
export interface Running {
  url: string;
  observer: Observer;
  /** The demo individual, if the sandbox has one. */
  demo: number | undefined;
  stop(): Promise<void>;
  /** Ends the service without waiting. */
  kill(): void;
  /** Replaces the workers one after the other; absent if there are none. */
  replaceWorkers?(): void;
}

/** A running service in this process. */
export interface App extends Running {
  /** Lets the readiness check fail. `stop` does this too, but not in a worker, which may be replaced. */
  leave(): void;
}

export async function startApp(options: AppOptions): Promise<App> {
  checkMode(options.config);
  return releaseOnFailure((releasers) => start(options, releasers));
}

async function start(options: AppOptions, releasers: Releasers): Promise<App> {
  const { config } = options;
  if (!options.siblings) await checkPort(config.host, config.port);
  const server = await prepareServer(config, options.fresh ?? false, releasers, options.report);
  try {
    return await startOn(server, options, releasers);
  } catch (error) {
    // The database may be lost, or may have no connection left, at any moment of the start.
    throw isExplained(error) ? asStartError(error, server.url) : error;
  }
}

async function startOn(server: DatabaseServer, options: AppOptions, releasers: Releasers): Promise<App> {
  const { config } = options;
  const core = await openCore(options, server.url, releasers);
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const url = config.publicUrl ?? urlOf(config.host, port);
  const tokens = await createTokens(config, url, core.clock, core.observer);
  readUnreadKeys(tokens.keys, core);
  const { services, sandbox } = await openDomains(core, options, url);
  const demo = sandbox && (await seedDemo(core));
  // Jobs end before the resources that they use are released.
  releasers.add(core.jobs.stop);
  const http = await createHttp(core, { url, tokens, services, sandbox, slowestRead: options.slowestRead });
  const closePort = await acceptConnections(core, http, port);
  // If there are several processes, the primary serves the metrics of all.
  if (config.metricsPort !== undefined && !core.siblings.readMetrics)
    releasers.add(await serveMetrics(core.observer, config.host, config.metricsPort));
  return {
    url,
    observer: core.observer,
    demo,
    leave: core.stopping.leave,
    async stop() {
      await closePort();
      await releasers.run();
    },
    kill: server.kill,
  };
}

/** Returns a function that ends the first part of a stop: when it returns, no more connections come. */
async function acceptConnections(
  { config, observer, siblings, stopping, releasers }: Core,
  http: Server,
  ownPort: number,
) {
  const connections = takeConnections(http);
  releasers.add(() => {
    stopping.close();
    const idleSeconds = stopping.isLeaving && config.drainSeconds === 0 ? 0 : settleSeconds;
    return connections.end({ idleSeconds, stopSeconds: config.stopSeconds });
  });
  if (siblings.takeConnections) {
    siblings.takeConnections(connections.take);
    return async () => {};
  }
  const port = await openPort(config.host, ownPort, connections.take, {
    report: reportFailure(observer.observe, 'accept'),
  });
  releasers.add(port.close);
  return async () => {
    stopping.leave();
    await sleep(config.drainSeconds * 1000);
    await port.close();
  };
}

async function openCore(options: AppOptions, databaseUrl: string, releasers: Releasers): Promise<Core> {
  const { config, siblings = noSiblings } = options;
  const observer = createObserver({
    level: config.logLevel,
    format: options.logFormat,
    write: options.log,
    knownLabels: { gateway: gatewaysIn(config) },
  });
  const { observe } = observer;
  // If there are several processes, the primary logs these warnings once for all.
  if (!options.siblings) for (const risk of findRisks(config)) observe({ kind: 'risky-setting', ...risk });
  const admission = new Admission(config.requestsAtOnce);
  const db = await connectDatabase(databaseUrl, config, siblings.count, admission, observe, releasers);
  // Everything that was made with these keys is deleted when the sandbox is opened.
  if (options.fresh) await forgetKeys(db);
  observer.observeUse(() => ({ activeRequests: admission.active, databaseWork: db.use }));
  const tracing = config.tracesEndpoint ? await loadTracing(config.tracesEndpoint) : undefined;
  if (tracing) releasers.add(tracing.stop);
  return createCore({ config, db, admission, observer, releasers, tracing, siblings });
}

/** The packages for traces, and the API of OpenTelemetry with them, are loaded only here. */
async function loadTracing(endpoint: string): Promise<Tracing> {
  const { startTracing } = await import('../tracing/otlp.ts');
  return startTracing(endpoint, version);
}

/** In the background: an unavailable issuer must not delay the start. */
function readUnreadKeys(keys: KeySet, { jobs, observer }: Pick<Core, 'jobs' | 'observer'>): void {
  if (keys.unreadReason === undefined) return;
  jobs.start({ 'issuer-keys': keys.readFirst });
  inBackground(keys.readFirst, (error) => observer.observeDefect(error, 'issuer-keys'));
}

async function openDomains(core: Core, { config, fresh = false, terminal }: AppOptions, url: string) {
  const inbox = openInbox(core);
  let forgetCounters = (): Promise<void> | void => {};
  const sandbox = config.mode === 'sandbox' ? await openSandbox(core, inbox, fresh, () => forgetCounters()) : undefined;
  const audit = createAudit(core.traced('audit', createAuditStore(core.db)), core.clock, core.observer.observe);
  const phone = await openPhone(core, { url, inbox, terminal });
  const users = openUsers(core, audit);
  const transactions = await openTransactions(core);
  const events = openEvents(core);
  forgetCounters = async () => {
    await Promise.all([phone.guard.forget(), events.forget()]);
  };
  return {
    sandbox,
    services: {
      audit,
      ...phone.services,
      ...users,
      ...transactions,
      listUserTransactions: createListUserTransactions(transactions.listTransactions, audit.recordLookup),
      readUserTransaction: createReadUserTransaction(transactions.getTransaction, audit.recordLookup),
      ...openPrivacy(core),
      ...events.services,
    },
  };
}

type Domains = Awaited<ReturnType<typeof openDomains>>;

interface HttpParts extends Domains {
  url: string;
  tokens: Tokens;
  slowestRead: SlowestRead | undefined;
}

async function createHttp(core: Core, { url, tokens, services, sandbox, slowestRead }: HttpParts): Promise<Server> {
  const { issuer, verifier, keys } = tokens;
  const { config, db, admission, observer, jobs, tracing, stopping, siblings } = core;
  const checkReady = () => {
    if (stopping.isLeaving) throw serviceStopping();
    if (!db.available) throw databaseAway();
    if (keys.unreadReason !== undefined) throw issuerAway(keys.unreadReason);
  };
  const operations = operationsOf({
    ...services,
    checkReady,
    settings: { version, mode: config.mode, settings: describeSettings(config) },
    observer: { ...observer, metrics: siblings.readMetrics ?? observer.metrics },
    issuer,
    sandbox,
    pageNames: config.pages,
    pages: await readPages({ names: config.pages, mode: config.mode, url, signIn: consoleSignInOf(config) }),
    metricsHere: sandbox !== undefined && config.metricsPort === undefined,
  });
  const readOnly = new Set(operations.filter(changesNothing).map(({ name }) => name));
  return createServer({
    operations,
    verifier,
    observer: {
      ...observer,
      observeRequest(request) {
        observer.observeRequest(request);
        if (!readOnly.has(request.operation)) jobs.wakeByRequest();
      },
    },
    admission,
    connections: { maxConnections: config.connectionsAtOnce, slowestRead },
    translate: asExplainedProblem,
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    tracing: tracing?.request,
    isStopping: () => stopping.isLeaving || stopping.isClosing,
    ...(sandbox && { refuseRemote: localCallerCheck(config, url) }),
  });
}

/** Whether the jobs that follow a change have nothing to do after this operation: the reads of apps, health, pages. */
function changesNothing({ name, method, scopes = [] }: AnyOperation): boolean {
  // Receipts change the state of a message, also by GET. What operators read, and a user's data, is audited.
  const isRecorded = name.startsWith('receipts-') || scopes.some((scope) => /^(users|operator:)/.test(scope));
  return (
    (scopes.length > 0 && scopes.every((scope) => scope === 'transactions:read')) || (method === 'GET' && !isRecorded)
  );
}

function consoleSignInOf({ issuer, consoleClientId, audience }: Config): ConsoleSignIn | undefined {
  return issuer && consoleClientId ? { issuer, clientId: consoleClientId, audience } : undefined;
}

type CoreParts = Pick<Core, 'config' | 'db' | 'admission' | 'observer' | 'releasers' | 'tracing' | 'siblings'>;

async function createCore(parts: CoreParts): Promise<Core> {
  const { config, db, observer, tracing } = parts;
  const nodeKeys = await readDigestKeys(config);
  const { guardKey } = await enterKeys(db, nodeKeys);
  return {
    ...parts,
    clock: new ServiceClock(),
    deriveKeys: (purpose) => deriveKeys(nodeKeys.keys, purpose),
    guardKey,
    traced: (name, store) => tracing?.wrapStore(name, store) ?? store,
    jobs: createJobs(jobTable, observer.observe, createJobLeases(db), tracing),
    stopping: createStopping(),
  };
}
