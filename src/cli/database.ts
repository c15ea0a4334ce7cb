/** The database for a command: the one that is configured, the running service's own, or one started for a while. */
import { loadConfig } from '../config/load.ts';
import { openDatabase, type Database } from '../db/database.ts';
import { runningEmbedded, startEmbedded } from '../db/embedded.ts';
import { migrate, missingFrom, readSchema, refuseUnknownContracts } from '../db/migrate.ts';
import { StartError } from '../errors.ts';

export async function withDatabase<T>(connections: number, work: (db: Database) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env);
  const url = config.databaseUrl ?? (await runningEmbedded(config.dataDir));
  const started = url ? undefined : await startEmbedded({ dataDir: config.dataDir });
  try {
    if (started) await migrate(started.url);
    await requireSchema(url ?? started!.url);
    const db = openDatabase({ url: url ?? started!.url, connections, statementSeconds: 0 });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  } finally {
    await started?.stop();
  }
}

async function requireSchema(url: string): Promise<void> {
  const missing = missingFrom(refuseUnknownContracts(await readSchema(url)));
  if (missing.length > 0)
    throw new StartError(`The database lacks ${missing.join(', ')}. Run \`ledgerline migrate\` first.`);
}
