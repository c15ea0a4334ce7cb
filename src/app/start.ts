/** The composition root: from settings to a running service. */
import { planKeys } from '../auth/digest-key-registry.ts';
import { readDigestKeys } from '../auth/keys.ts';
import { ServiceClock } from '../clock.ts';
import { checkMode } from '../config/check.ts';
import type { Config } from '../config/load.ts';
import { asProblem } from '../db/database.ts';
import { enterKeys, forgetKeys } from '../db/installation.ts';
import { deriveKeys } from '../digest-keys.ts';
import { databaseAway, issuerAway, serviceStopping, StartError } from '../errors.ts';
import { freePort } from '../free-port.ts';
import { readPages } from '../http/pages.ts';
import { operationsOf } from '../http/routes/index.ts';
import { createServer } from '../http/server.ts';
import { createObserver, type Observer } from '../observe.ts';
import { Inbox } from '../sms/inbox.ts';
import { startTracing } from '../tracing/otlp.ts';
import { version } from '../version.ts';
import type { Core } from './core.ts';
import { startDatabase } from './database.ts';
import { createJobs } from './jobs.ts';
import { openEvents } from './events.ts';
import { openPhone } from './phone.ts';
import { openPrivacy } from './privacy.ts';
import { Releasers } from './releasers.ts';
import { openSandbox, sandboxGuard, seedDemo } from './sandbox.ts';
import { listen, serveMetrics, urlOf } from './server.ts';
import { createStopping } from './stopping.ts';
import { createTokens } from './tokens.ts';
import { openTransactions } from './transactions.ts';
import { openUsers } from './users.ts';

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
  const { config, fresh = false } = options;
  const isSandbox = config.mode === 'sandbox';
  if (fresh && !isSandbox) throw new StartError('--fresh throws everything away, and is for the sandbox only.');
  const observer = createObserver({ level: config.logLevel, format: options.logFormat, write: options.log });
  const { observe } = observer;
  const { db, kill } = await startDatabase(config, fresh, observe, releasers);
  // The sandbox empties everything that was made with them in a moment.
  if (fresh) await forgetKeys(db);
  const tracing = config.tracesEndpoint ? await startTracing(config.tracesEndpoint, version) : undefined;
  if (tracing) releasers.add(tracing.stop);
  const core = await createCore({ config, db, observer, releasers, tracing });
  const { clock, stopping } = core;

  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const url = config.publicUrl ?? urlOf(config.host, port);
  const { issuer, verifier, keys } = await createTokens(config, url, clock, observer);
  if (keys.unreadReason !== undefined) {
    core.jobs.start({ name: 'issuer-keys', everyMilliseconds: 2000, run: keys.readFirst });
    // In the background: an issuer that is away must not hold up the start.
    void keys.readFirst();
  }
  const inbox = new Inbox(() => clock.now());
  let forgetCounters = (): Promise<void> | void => {};
  const sandbox = isSandbox ? await openSandbox(db, clock, inbox, fresh, () => forgetCounters()) : undefined;
  const phone = await openPhone(core, { url, inbox, terminal: options.terminal });
  forgetCounters = phone.guard.forget;
  const users = openUsers(core, phone.guard.desk);
  const transactions = openTransactions(core);
  const events = openEvents(core);
  const demo = sandbox && (await seedDemo(db, clock));
  // Jobs end before what they use is released.
  releasers.add(core.jobs.stop);

  const checkReady = () => {
    if (stopping.hasBegun) throw serviceStopping();
    if (!db.available) throw databaseAway();
    if (keys.unreadReason !== undefined) throw issuerAway(keys.unreadReason);
  };
  const services = {
    ...phone.services,
    ...users,
    ...transactions,
    ...openPrivacy(core),
    ...events.services,
    checkReady,
    observer,
    issuer,
    sandbox,
    pageNames: config.pages,
    pages: await readPages(config.pages, config.mode),
    metricsHere: isSandbox && config.metricsPort === undefined,
  };
  const server = createServer({
    operations: operationsOf(services),
    verifier,
    observer,
    translate: asProblem,
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    tracing: tracing?.request,
    isStopping: () => stopping.hasBegun,
    ...(isSandbox && { guard: sandboxGuard(config, url) }),
  });
  releasers.add(await listen(server, config.host, port, config.stopSeconds));
  if (config.metricsPort !== undefined) releasers.add(await serveMetrics(observer, config.host, config.metricsPort));
  observe({ kind: 'started', url, mode: config.mode });

  return {
    url,
    observer,
    demo,
    async stop() {
      await stopping.drain();
      await releasers.run();
      observe({ kind: 'stopped' });
    },
    kill,
  };
}

type CoreParts = Pick<Core, 'config' | 'db' | 'observer' | 'releasers' | 'tracing'>;

async function createCore(parts: CoreParts): Promise<Core> {
  const { config, db, observer, tracing } = parts;
  const nodeKeys = await readDigestKeys(config);
  const { guardKey } = await enterKeys(db, (known) => planKeys(known, nodeKeys));
  return {
    ...parts,
    clock: new ServiceClock(),
    deriveKeys: (purpose) => deriveKeys(nodeKeys.keys, purpose),
    guardKey,
    traced: (name, store) => tracing?.wrapStore(name, store) ?? store,
    jobs: createJobs(observer.observe, tracing),
    stopping: createStopping(config.drainSeconds),
  };
}
