/** Starts or finds the database, brings its schema up to date, and opens the connections. */
import { existsSync } from 'node:fs';
import type { Admission } from '../sharing/admission.ts';
import type { Config } from '../config/load.ts';
import { openDetected } from '../db/citus/citus.ts';
import type { Database } from '../db/database.ts';
import { startEmbedded } from '../db/embedded/embedded.ts';
import { describeOffset, readClockOffset, tolerableSeconds } from '../db/checks/clock-offset.ts';
import { asOwnerError, asStartError, grantsCure } from '../db/checks/explain-failure.ts';
import { missingGrants } from '../db/migrations/grants.ts';
import { failure } from '../db/failures.ts';
import { enterMode, refuseOtherMode } from '../db/checks/installation.ts';
import { readIsStandby } from '../db/sessions/route.ts';
import { requireSchema, runMigrationsOn, withConnection } from '../db/migrations/migrate.ts';
import { refuseTransactionPooling } from '../db/checks/pooler.ts';
import { StartError } from '../errors.ts';
import type { Observe } from '../monitoring/observe.ts';
import type { Releasers } from './releasers.ts';

export interface DatabaseServer {
  url: string;
  /** Ends the embedded server without waiting. */
  kill(): void;
}

/** The server that is configured, or the embedded one, with the schema up to date. */
export async function prepareServer(
  config: Config,
  fresh: boolean,
  releasers: Releasers,
  report: (step: string) => void = () => {},
): Promise<DatabaseServer> {
  if (fresh && config.mode !== 'sandbox') {
    throw new StartError('--fresh removes all data, and is for the sandbox only.');
  }
  if (!config.databaseUrl) {
    const isNew = fresh || !existsSync(config.dataDir);
    report(`${isNew ? 'Making a database' : 'Starting the database'} in ${config.dataDir}`);
  }
  const server = config.databaseUrl
    ? { url: config.databaseUrl, kill: () => {} }
    : await startEmbedded({
        dataDir: config.dataDir,
        ...(fresh && { beforeRemoval: (url) => withConnection(url, (sql) => refuseOtherMode(sql, config.mode)) }),
      });
  if ('stop' in server) releasers.add(server.stop);
  report('Bringing its tables up to date');
  await prepareSchema(server.url, config);
  report('Starting the service');
  return server;
}

export async function connectDatabase(
  url: string,
  config: Config,
  processes: number,
  admission: Admission,
  observe: Observe,
  releasers: Releasers,
): Promise<Database> {
  const db = await openDetected({
    url,
    connections: shareOf(config.databaseConnections, processes),
    statementSeconds: config.statementSeconds,
    streams: config.exportsAtOnce,
    whileWaiting: (work, owner) => admission.outside(work, owner),
    idleProbeMilliseconds: Math.min(longestProbeMilliseconds, probeMilliseconds * processes),
    isIdle: () => admission.active === 0 && admission.idleMilliseconds > idleMilliseconds,
    onChange: (available, cause) => observe({ kind: 'database', available, ...(cause && { cause }) }),
  });
  releasers.add(db.close);
  try {
    if (config.databaseUrl) await checkServer(db, config, observe);
    await enterMode(db.write, config.mode);
  } catch (error) {
    throw asStartError(error, url);
  }
  return db;
}

/**
 * After this time without a request, the database is probed less often: all processes of the node together every four
 * seconds, and each of them every eight.
 */
const idleMilliseconds = 5000;
const probeMilliseconds = 4000;
const longestProbeMilliseconds = 8000;

/** Minimum for a process: one connection for each kind of statement. */
const fewestConnections = 4;

export function shareOf(connections: number, processes: number): number {
  return Math.max(fewestConnections, Math.floor(connections / processes));
}

/** The most connections that a node opens: in each process its share, the probe, and one for each export. */
export function connectionsNeeded(config: Pick<Config, 'databaseConnections' | 'processes' | 'exportsAtOnce'>): number {
  const { databaseConnections, processes, exportsAtOnce } = config;
  return processes * (shareOf(databaseConnections, processes) + 1 + exportsAtOnce);
}

/** Checks what a database may lack that the operator has set up. It uses the same messages as `ledgerline doctor`. */
async function checkServer(db: Database, { mode }: Config, observe: Observe): Promise<void> {
  const { role, missing } = await missingGrants(db.read, mode === 'sandbox');
  if (missing.length > 0) throw new StartError(`The role ${role} lacks ${missing.join(', ')}. ${grantsCure(role)}`);
  const offset = await readClockOffset(db.read);
  if (Math.abs(offset) >= tolerableSeconds) observe({ kind: 'clock-off', difference: describeOffset(offset) });
}

async function prepareSchema(url: string, config: Config): Promise<void> {
  const { databaseUrl, migrate: how, mode } = config;
  try {
    await withConnection(url, async (sql) => {
      if (databaseUrl) await refuseTransactionPooling(url, sql, connectionsNeeded(config));
      if (await readIsStandby(sql)) throw failure('25006');
      await refuseOtherMode(sql, mode);
      if (how === 'auto')
        await runMigrationsOn(sql, { latestFunctionsWin: mode === 'sandbox', withContracts: mode === 'sandbox' });
      else await requireSchema(sql);
    });
  } catch (error) {
    throw how === 'auto' ? asOwnerError(error, url) : asStartError(error, url);
  }
}
