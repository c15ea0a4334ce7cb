/** The composition root: from settings to a running service. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createIssuer, type Issuer } from '../auth/issuer.ts';
import { ownKeySet, remoteKeySet } from '../auth/key-set.ts';
import { deriveKey, makeDigestKey, makeSigningKey, readSigningKeys, sandboxKey } from '../auth/keys.ts';
import { createVerifier, type Verifier } from '../auth/verifier.ts';
import { ServiceClock } from '../clock.ts';
import { checkMode } from '../config/check.ts';
import { scopes, type ClientSetting } from '../config/settings/tokens.ts';
import type { Config } from '../config/load.ts';
import { createGateways } from './gateways.ts';
import { asProblem, errorCode, openDatabase, type Database } from '../db/database.ts';
import { startEmbedded } from '../db/embedded.ts';
import { enterMode } from '../db/installation.ts';
import { migrate, readSchema, refuseNewer } from '../db/migrate.ts';
import { StartError } from '../errors.ts';
import { freePort } from '../free-port.ts';
import { readPages } from '../http/pages.ts';
import { operationsOf } from '../http/routes/index.ts';
import { createServer } from '../http/server.ts';
import { createObserver, type Observe, type Observer } from '../observe.ts';
import { createGatewayOrder, type GatewayOrder } from '../messages/gateway-order.ts';
import { configuredModes } from '../guard/rules.ts';
import { DecisionLog } from '../guard/decisions.ts';
import { createGuardDesk } from '../guard/desk.ts';
import { LeaseBook } from '../guard/leases.ts';
import { createLiveGuard } from '../guard/live.ts';
import { createDigest } from '../guard/source.ts';
import { createGuardStore } from '../guard/guard.store.ts';
import { createSweeper } from '../guard/sweeper.ts';
import { createOverview } from '../messages/overview.ts';
import { createPhoneStore, type PhoneStore } from '../phone/phone.store.ts';
import { createReceipts } from '../messages/receipts.ts';
import { createReserveSend } from '../phone/reserve-send.ts';
import { createSendCode } from '../phone/send-code.ts';
import { createSendKeyStore } from '../phone/send-key.store.ts';
import { createSentMessageStore } from '../phone/sent-message.store.ts';
import { createSendOnce } from '../phone/send-once.ts';
import { testNumbers } from '../phone/test-numbers.ts';
import { createTrail } from '../messages/trail.ts';
import { createTrailStore, type TrailStore } from '../messages/trail.store.ts';
import { createUnlinkPhone } from '../phone/unlink-phone.ts';
import { createVerifyCode } from '../phone/verify-code.ts';
import { demoIndividual, demoTransactions } from '../sandbox/demo.ts';
import { createSandboxGuard } from '../sandbox/guard.ts';
import { createSandboxStore, demoMark } from '../sandbox/sandbox.store.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { createFailover, type Failover } from '../sms/failover.ts';
import type { Gateway } from '../sms/gateway.ts';
import { Inbox } from '../sms/gateways/inbox.ts';
import { createMessages } from '../sms/message.ts';
import { createAsOf } from '../transactions/as-of.ts';
import { createExportTransactions } from '../transactions/export-transactions.ts';
import { createSummarizeTransactions } from '../transactions/totals.ts';
import { createGetTransaction } from '../transactions/get-transaction.ts';
import { createListTransactions } from '../transactions/list-transactions.ts';
import { createRecordStore } from '../transactions/record.store.ts';
import { createRecordTransactions } from '../transactions/record-transactions.ts';
import { createTransactionsStore } from '../transactions/transactions.store.ts';
import { createCreateUser } from '../users/create-user.ts';
import { createFindUsers, createRevealPhone } from '../users/find-users.ts';
import { createUserStatus } from '../users/user-status.ts';
import { createUsersStore } from '../users/users.store.ts';

export interface AppOptions {
  config: Config;
  /** Empties the sandbox first. */
  fresh?: boolean;
  /** Where log lines go. */
  log(line: string): void;
  /** The terminal, for the console gateway alone. */
  terminal(text: string): void;
  logFormat: 'json' | 'text';
}

export interface App {
  url: string;
  observer: Observer;
  /** The demo individual, where the sandbox has one. */
  demo: number | undefined;
  stop(): Promise<void>;
  /** Without waiting for anybody. */
  kill(): void;
}

/** What was taken is given back in the reverse order, also when a start fails half-way. */
class Releasers {
  readonly #stack: (() => unknown)[] = [];

  add(release: () => unknown): void {
    this.#stack.push(release);
  }

  async run(): Promise<void> {
    for (let release = this.#stack.pop(); release; release = this.#stack.pop()) await release();
  }
}

export async function startApp(options: AppOptions): Promise<App> {
  checkMode(options.config);
  const releasers = new Releasers();
  try {
    return await start(options, releasers);
  } catch (error) {
    await releasers.run();
    throw error;
  }
}

async function start(options: AppOptions, releasers: Releasers): Promise<App> {
  const { config } = options;
  const sandboxed = config.mode === 'sandbox';
  if (options.fresh && !sandboxed) throw new StartError('--fresh throws everything away, and is for the sandbox only.');
  const observer = createObserver({ level: config.logLevel, format: options.logFormat, write: options.log });
  const { observe } = observer;
  let kill = () => {};

  let databaseUrl = config.databaseUrl;
  if (!databaseUrl) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, fresh: options.fresh ?? false });
    releasers.add(embedded.stop);
    kill = embedded.kill;
    databaseUrl = embedded.url;
  }
  await prepareSchema(databaseUrl, config);

  const db = openDatabase({
    url: databaseUrl,
    connections: config.databaseConnections,
    statementSeconds: config.statementSeconds,
    onChange: (available, cause) => observe({ kind: 'database', available, ...(cause && { cause }) }),
  });
  releasers.add(db.close);
  await enterMode(db.write, config.mode);

  const clock = new ServiceClock();
  const digestKey =
    config.digestKey ?? Buffer.from(await sandboxKey(config.dataDir, 'digest.key', makeDigestKey), 'base64');
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const url = config.publicUrl ?? urlOf(config.host, port);
  const { issuer, verifier } = await createTokens(config, url, clock, observer);
  const inbox = new Inbox(() => clock.now());
  let forget = (): Promise<void> | void => {};
  const sandbox = sandboxed ? await openSandbox(db, clock, inbox, options.fresh ?? false, () => forget()) : undefined;

  const phones = createPhoneStore(db);
  const trailStore = createTrailStore(db);
  const trail = createTrail({ store: trailStore, clock, observe, keepDays: config.trailDays });
  releasers.add(trail.stop);
  const observePhone: Observe = (observation) => {
    observe(observation);
    trail.note(observation);
  };
  const guard = await openGuard(config, db, phones, deriveKey(digestKey, 'guard'), clock, observePhone);
  releasers.add(guard.close);
  forget = guard.forget;
  const users = createUsersStore(db);
  const transactions = createTransactionsStore(db);
  const asOf = createAsOf(deriveKey(digestKey, 'as-of'));
  const codeKey = deriveKey(digestKey, 'codes');
  const createUser = createCreateUser(users, clock);
  const recordTransactions = createRecordTransactions(createRecordStore(db), clock);
  const demo = sandbox && (await seedDemo(db, createUser, recordTransactions));
  let stopping = false;

  const referenceKey = deriveKey(digestKey, 'message references');
  const receipts = createReceipts({ store: trailStore, clock, observe, referenceKey });
  const order = gatewayOrder(config, trailStore, clock, observe);
  releasers.add(order.stop);
  const gateways = createGateways({
    config,
    inbox,
    terminal: options.terminal,
    onReceipt: (receipt) => void receipts.takeSmpp(receipt).catch((error) => observer.observeDefect(error, 'receipt')),
  });
  const failover = gatewayFailover(config, gateways, order, observe);
  releasers.add(failover.close);
  const messages = createMessages(config);
  for (const template of messages.tooLong()) observe({ kind: 'template-too-long', ...template });

  const services = {
    send: createSendCode({
      store: phones,
      sentMessages: createSentMessageStore(db),
      once: createSendOnce({ store: createSendKeyStore(db), clock, waitSeconds: config.sendSeconds + 2 }),
      dispatch: failover.send,
      write: messages.write,
      testNumber: testNumbers(config.testNumbers ?? []),
      clock,
      observe: observePhone,
      reserveSend: guard.reserveSend,
      digestKey: codeKey,
      referenceKey,
      codeDigits: config.codeDigits,
      codeSeconds: config.codeSeconds,
    }),
    verifyCode: createVerifyCode({
      store: phones,
      clock,
      observe: observePhone,
      live: guard.live,
      decisions: guard.decisions,
      digest: guard.digest,
      attempts: config.codeAttempts,
      digestKey: codeKey,
    }),
    guardDesk: guard.desk,
    unlinkPhone: createUnlinkPhone(phones, observePhone),
    receipts: {
      publicUrl: url,
      find: (name: string) => gateways.find((gateway) => gateway.name === name),
      take: receipts.take,
    },
    readTrail: trail.read,
    readOverview: createOverview({
      store: trailStore,
      clock,
      failover,
      order,
      configuredOrder: config.gateways!,
    }),
    createUser,
    userStatus: createUserStatus(users),
    findUsers: createFindUsers(users, guard.desk.noteLook),
    revealPhone: createRevealPhone(users, guard.desk.noteLook),
    listTransactions: createListTransactions(transactions, clock, asOf),
    summarizeTransactions: createSummarizeTransactions(transactions, clock, asOf),
    exportTransactions: createExportTransactions(transactions, clock, asOf),
    getTransaction: createGetTransaction(transactions),
    recordTransactions,
    readiness: () =>
      stopping
        ? { ready: false, reason: 'The service is stopping.' }
        : db.available
          ? { ready: true }
          : { ready: false, reason: 'The database is not available.' },
    observer,
    issuer,
    sandbox,
    pageNames: config.pages,
    pages: await readPages(config.pages, config.mode),
    metricsHere: sandboxed && config.metricsPort === undefined,
  };

  const server = createServer({
    operations: operationsOf(services),
    verifier,
    observer,
    translate: asProblem,
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    ...(sandboxed && { guard: sandboxGuard(config, url) }),
  });
  releasers.add(await listen(server, config.host, port, config.stopSeconds));
  if (config.metricsPort !== undefined) releasers.add(await serveMetrics(observer, config.host, config.metricsPort));
  observe({ kind: 'started', url, mode: config.mode });

  return {
    url,
    observer,
    demo,
    async stop() {
      stopping = true;
      await releasers.run();
      observe({ kind: 'stopped' });
    },
    kill,
  };
}

async function prepareSchema(url: string, { migrate: how, mode }: Config): Promise<void> {
  try {
    if (how === 'auto') {
      await migrate(url, { latestFunctionsWin: mode === 'sandbox' });
      return;
    }
    const { pending } = refuseNewer(await readSchema(url));
    if (pending.length > 0) {
      throw new StartError(
        `The database lacks ${pending.join(', ')}. Run \`ledgerline migrate\` first, or set LEDGERLINE_MIGRATE=auto.`,
      );
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { host, pathname } = new URL(url);
    throw new StartError(
      `The database ${pathname.slice(1)} at ${host} cannot be used (${errorCode(error)}). Check DATABASE_URL and that the server runs.`,
    );
  }
}

async function createTokens(
  config: Config,
  url: string,
  clock: ServiceClock,
  { observe }: Observer,
): Promise<{ issuer: Issuer | undefined; verifier: Verifier }> {
  const common = { audience: config.audience, userClaim: config.userClaim, clock };
  if (config.issuer) {
    const keys = remoteKeySet({
      issuer: config.issuer,
      jwksUrl: config.jwksUrl,
      refreshSeconds: config.jwksRefreshSeconds,
      cooldownSeconds: config.jwksCooldownSeconds,
      onUnread: (reason) => observe({ kind: 'keys-unread', reason }),
    });
    // Settings lose a trailing slash; the issuer's own spelling may have one.
    const issuers = [config.issuer, `${config.issuer}/`];
    return {
      issuer: undefined,
      verifier: createVerifier({
        ...common,
        issuer: issuers,
        algorithms: config.algorithms,
        skewSeconds: config.clockSkewSeconds,
        keys,
      }),
    };
  }
  const issuer = await embeddedIssuer(config, url, clock);
  return {
    issuer,
    verifier: createVerifier({
      ...common,
      issuer: url,
      algorithms: ['RS256'],
      skewSeconds: 0,
      keys: await ownKeySet(issuer.publicKeys),
    }),
  };
}

export async function embeddedIssuer(config: Config, url: string, clock: ServiceClock): Promise<Issuer> {
  const pem = config.signingKey ?? (await sandboxKey(config.dataDir, 'signing.pem', makeSigningKey));
  return createIssuer({
    url,
    audience: config.audience,
    userClaim: config.userClaim,
    tokenSeconds: config.tokenSeconds,
    keys: await readSigningKeys(pem),
    clients: config.clients ?? [sandboxClient],
    clock,
  });
}

/** Known to everyone, and therefore of the sandbox only. Its secret is its name. */
export const sandboxClient: ClientSetting = {
  id: 'sandbox',
  secretSha256: 'b7ad567477c83756aab9a542b2be04f77dbae25115d85f22070d74d8cc4779dc',
  scopes: [...scopes],
  mayBindUsers: true,
};

async function openSandbox(
  db: Database,
  clock: ServiceClock,
  inbox: Inbox,
  fresh: boolean,
  forget: () => Promise<void> | void,
): Promise<Sandbox> {
  const store = createSandboxStore(db);
  const sandbox = createSandbox(store, clock, inbox, forget);
  if (fresh) await sandbox.empty();
  clock.aheadSeconds = await store.readClock();
  return sandbox;
}

/** The rules, and what they do beside the requests: hear of changes, write decisions down, sweep. */
async function openGuard(
  config: Config,
  db: Database,
  phones: PhoneStore,
  key: Buffer,
  clock: ServiceClock,
  observe: Observer['observe'],
) {
  const store = createGuardStore(db);
  const digest = createDigest(key);
  const configured = configuredModes(config.mode === 'production', config.rules);
  const limits = { ...config, countries: config.countries ?? [], prefix: config.prefixSends };
  const live = createLiveGuard(store.readState, limits, configured, digest);
  const decisions = new DecisionLog(store.writeDecisions);
  const sweep = createSweeper(store, limits, clock);
  const leases = new LeaseBook();
  await live.refresh();
  const unread = (error: unknown) => observe({ kind: 'guard-unread', reason: errorCode(error) });
  const stops = [
    repeat(2000, () => live.refresh(), unread),
    repeat(1000, () => decisions.flush(), unread),
    repeat(10_000, sweep, unread),
  ];
  return {
    live,
    decisions,
    digest,
    desk: createGuardDesk({ store, configured, digest, clock, observe, live }),
    reserveSend: createReserveSend({
      store: phones,
      live,
      leases,
      decisions,
      digest,
      clock,
      observe,
    }),
    async forget() {
      leases.forget();
      await live.refresh();
    },
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      await decisions.flush();
    },
  };
}

/** Again and again, each time so long after the last has ended. Stopping waits for the one under way. */
function repeat(milliseconds: number, work: () => Promise<unknown>, failed: (error: unknown) => void) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    timer = setTimeout(() => {
      running = work()
        .then(() => {}, failed)
        .finally(() => stopped || next());
    }, milliseconds).unref();
  };
  next();
  return async function stop(): Promise<void> {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}

async function seedDemo(
  db: Database,
  createUser: ReturnType<typeof createCreateUser>,
  recordTransactions: ReturnType<typeof createRecordTransactions>,
): Promise<number | undefined> {
  const store = createSandboxStore(db);
  if (await store.isEmpty()) {
    await createUser({ id: demoIndividual, merchantId: undefined, email: undefined, additionalData: demoMark });
    await recordTransactions(demoTransactions(new Date()));
  }
  return (await store.hasDemo(demoIndividual)) ? demoIndividual : undefined;
}

function sandboxGuard(config: Config, url: string) {
  return createSandboxGuard({
    hosts: [new URL(url).hostname, ...config.sandboxHosts],
    corsOrigins: config.corsOrigins,
  });
}

function gatewayOrder(config: Config, store: TrailStore, clock: ServiceClock, observe: Observe): GatewayOrder {
  return createGatewayOrder({
    store,
    clock,
    observe,
    gateways: config.gateways!,
    byCountry: config.gatewaysByCountry,
    bounds:
      config.gatewayOrder === 'adaptive'
        ? {
            windowSeconds: config.orderWindowSeconds,
            leastMessages: config.orderMessages,
            marginPercent: config.orderMarginPercent,
            floorPercent: config.orderFloorPercent,
          }
        : undefined,
    settleSeconds: config.codeSeconds,
  });
}

function gatewayFailover(config: Config, gateways: Gateway[], order: GatewayOrder, observe: Observe): Failover {
  return createFailover({
    gateways,
    orderFor: order.orderFor,
    gatewayMilliseconds: config.gatewaySeconds * 1000,
    budgetMilliseconds: config.sendSeconds * 1000,
    breaker: {
      failures: config.breakerFailures,
      openMilliseconds: config.breakerPauseSeconds * 1000,
      longestMilliseconds: config.breakerLongestSeconds * 1000,
    },
    now: () => performance.now(),
    onTry: ({ gateway, outcome, reason, milliseconds }) =>
      observe({ kind: 'gateway-asked', gateway, outcome, ...(reason && { reason }), milliseconds }),
    onBreaker: (gateway, state, reason) =>
      observe({ kind: 'gateway-breaker', gateway, state, ...(reason && { reason }) }),
  });
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Returns how to stop: the requests in flight are waited for, but not for longer than it is told. */
async function listen(server: Server, host: string, port: number, stopSeconds = 0): Promise<() => Promise<void>> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(asStartError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return async () => {
    const timer = setTimeout(() => server.closeAllConnections(), stopSeconds * 1000);
    await new Promise((resolve) => server.close(resolve));
    clearTimeout(timer);
  };
}

function asStartError(error: unknown, host: string, port: number): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another port.`,
    EACCES: `Port ${port} needs more rights than this user has. Set PORT to one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one it has, such as 127.0.0.1.`,
    ENOTFOUND: `HOST ${host} is not an address of this machine. Set it to one, such as 127.0.0.1.`,
  };
  const reason = reasons[errorCode(error)];
  return reason ? new StartError(reason) : error;
}

async function serveMetrics(observer: Observer, host: string, port: number): Promise<() => Promise<void>> {
  const server = createHttpServer((request, response) => {
    const found = request.method === 'GET' && request.url === '/metrics';
    if (!found) return void response.writeHead(404).end();
    observer.metrics().then(
      (text) => response.writeHead(200, { 'content-type': observer.metricsContentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return listen(server, host, port);
}
