/** Starts or finds the database, brings its schema up to date, and opens the connections. */
import type { Config } from '../config/load.ts';
import { errorCode, openDatabase, type Database } from '../db/database.ts';
import { startEmbedded } from '../db/embedded.ts';
import { enterMode } from '../db/installation.ts';
import { migrate, missingFrom, readSchema, refuseUnknownContracts } from '../db/migrate.ts';
import { StartError } from '../errors.ts';
import type { Observe } from '../observe.ts';
import type { Releasers } from './releasers.ts';

export interface StartedDatabase {
  db: Database;
  /** Ends the embedded server without waiting for anybody. */
  kill(): void;
}

export async function startDatabase(
  config: Config,
  fresh: boolean,
  observe: Observe,
  releasers: Releasers,
): Promise<StartedDatabase> {
  const server = config.databaseUrl
    ? { url: config.databaseUrl, kill: () => {} }
    : await startEmbedded({ dataDir: config.dataDir, fresh });
  if ('stop' in server) releasers.add(server.stop);
  await prepareSchema(server.url, config);
  const db = openDatabase({
    url: server.url,
    connections: config.databaseConnections,
    statementSeconds: config.statementSeconds,
    onChange: (available, cause) => observe({ kind: 'database', available, ...(cause && { cause }) }),
  });
  releasers.add(db.close);
  await enterMode(db.write, config.mode);
  return { db, kill: server.kill };
}

async function prepareSchema(url: string, { migrate: how, mode }: Config): Promise<void> {
  try {
    if (how === 'auto') {
      await migrate(url, { latestFunctionsWin: mode === 'sandbox', withContracts: mode === 'sandbox' });
      return;
    }
    const missing = missingFrom(refuseUnknownContracts(await readSchema(url)));
    if (missing.length > 0) {
      throw new StartError(
        `The database lacks ${missing.join(', ')}. Run \`ledgerline migrate\` first, or set LEDGERLINE_MIGRATE=auto.`,
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
