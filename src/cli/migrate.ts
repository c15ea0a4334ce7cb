/** `ledgerline migrate`: brings the schema of DATABASE_URL up to date. */
import { loadConfig } from '../config/load.ts';
import { errorCode } from '../db/database.ts';
import { migrate as runMigrations } from '../db/migrate.ts';
import { StartError } from '../errors.ts';

export async function migrate(): Promise<number> {
  const { databaseUrl } = loadConfig(process.env);
  if (!databaseUrl) {
    throw new StartError(
      'Set DATABASE_URL to the database to migrate. The embedded one is migrated when the service starts.',
    );
  }
  const applied = await runMigrations(databaseUrl).catch((error: unknown) => {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The database cannot be used (${errorCode(error)}). Check DATABASE_URL and that the server runs.`,
    );
  });
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.');
  return 0;
}
