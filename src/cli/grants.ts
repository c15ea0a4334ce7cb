/** `ledgerline grants`: what the role of the service must be allowed to do, printed or applied. */
import { loadConfig } from '../config/load.ts';
import { asOwnerError } from '../db/checks/explain-failure.ts';
import { applyGrants, grantStatements, hasRole } from '../db/migrations/grants.ts';
import { requireSchema } from '../db/migrations/migrate.ts';
import { openConnection } from '../db/sessions/pool.ts';
import { StartError } from '../errors.ts';
import { withDatabaseUrl } from './database.ts';

export async function grants({ role, apply }: { role: string; apply?: boolean }): Promise<number> {
  await withDatabaseUrl(loadConfig(process.env), async (url) => {
    const sql = openConnection(url, 30);
    try {
      await requireSchema(sql);
      if (apply && !(await hasRole(sql, role))) {
        throw new StartError(`There is no role ${role}. Create it first: create role ${role} login password '…'.`);
      }
      const statements = await grantStatements(sql, role);
      console.log(statements.join('\n'));
      if (apply) await applyGrants(sql, statements);
    } catch (error) {
      throw asOwnerError(error, url);
    } finally {
      await sql.end({ timeout: 1 });
    }
  });
  return 0;
}
