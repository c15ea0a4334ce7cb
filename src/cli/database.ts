/** The database of a command: the configured one, that of the running service, or one started for the command. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkDatabaseUrl } from '../config/check.ts';
import { loadConfig, type Config } from '../config/load.ts';
import { openDetected } from '../db/citus/citus.ts';
import type { Database } from '../db/database.ts';
import { runningEmbedded, startEmbedded } from '../db/embedded/embedded.ts';
import { asStartError, isExplained } from '../db/checks/explain-failure.ts';
import { requireSchema, runMigrations, withConnection } from '../db/migrations/migrate.ts';
import { createSandboxStore } from '../sandbox/sandbox.store.ts';
import { ServiceClock } from '../values/clock.ts';

/** Starts the embedded server while the work lasts, unless it is running or another database is configured. */
export async function withDatabaseUrl<T>(
  config: Config,
  work: (url: string, isStartedHere: boolean) => Promise<T>,
): Promise<T> {
  checkDatabaseUrl(config);
  const { databaseUrl, dataDir } = config;
  const url = databaseUrl ?? (await runningEmbedded(dataDir));
  if (url) return work(url, false);
  if (!existsSync(dataDir)) {
    console.error(
      `There is no ${path.resolve(dataDir)}: a new, empty database is made there. DATA_DIR names another folder.`,
    );
  }
  const started = await startEmbedded({ dataDir });
  try {
    return await work(started.url, true);
  } finally {
    await started.stop();
  }
}

/** What a command works with. */
interface CommandContext {
  config: Config;
  db: Database;
  /** The service's clock, which a sandbox may have moved. */
  clock: ServiceClock;
}

export async function withDatabase<T>(connections: number, work: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env);
  return withDatabaseUrl(config, async (url, isStartedHere) => {
    try {
      if (isStartedHere) await runMigrations(url);
      await withConnection(url, requireSchema);
    } catch (error) {
      throw asStartError(error, url);
    }
    let db: Database | undefined;
    try {
      db = await openDetected({ url, connections, statementSeconds: 0 });
      const clock = new ServiceClock();
      if (config.mode === 'sandbox') clock.aheadSeconds = await createSandboxStore(db).readClock();
      return await work({ config, db, clock });
    } catch (error) {
      throw isExplained(error) ? asStartError(error, url) : error;
    } finally {
      await db?.close();
    }
  });
}
