/** What the database itself remembers of the services that ran on it. */
import type { Sql } from './database.ts';
import { StartError } from '../errors.ts';

export async function enterMode(sql: Sql, mode: 'sandbox' | 'production'): Promise<void> {
  if (mode === 'production') {
    await sql`update installation set served_production = true, clock_ahead_seconds = 0 where not served_production`;
    return;
  }
  const [row] = await sql`select served_production from installation`;
  if (row?.served_production) {
    throw new StartError(
      'This database has served production, and the sandbox would open it to anyone. ' +
        'Set DATABASE_URL to another database, or MODE=production.',
    );
  }
}
