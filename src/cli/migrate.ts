/** `ledgerline migrate`: brings the schema of the database up to date, the embedded one too, or says what that would lock. */
import { loadConfig } from '../config/load.ts';
import { asOwnerError } from '../db/checks/explain-failure.ts';
import { readSchema, runMigrations } from '../db/migrations/migrate.ts';
import {
  planMigrations,
  type MigrationPlan,
  type PlannedLock,
  type TableSize,
} from '../db/migrations/migration-plan.ts';
import { lockEffects } from '../db/migrations/table-locks.ts';
import { withDatabaseUrl } from './database.ts';
import { count } from './progress.ts';

interface MigrateFlags {
  plan?: boolean;
  contract?: boolean;
}

export async function migrate({ plan, contract = false }: MigrateFlags): Promise<number> {
  await withDatabaseUrl(loadConfig(process.env), async (url) => {
    try {
      if (plan) console.log(describe(await planMigrations(url, { withContracts: contract })).join('\n'));
      else await applyAll(url, contract);
    } catch (error) {
      throw asOwnerError(error, url);
    }
  });
  return 0;
}

async function applyAll(url: string, withContracts: boolean): Promise<void> {
  const onRetry = (name: string, attempt: number) =>
    console.error(`${name} waits for a lock that a transaction holds; attempt ${attempt} gave up, the next follows.`);
  const applied = await runMigrations(url, { withContracts, onRetry });
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.');
  const { pending } = await readSchema(url);
  if (pending.length > 0) console.log(waitingText(pending.map(({ name }) => name)));
}

function describe({ due, functions, waiting }: MigrationPlan): string[] {
  const lines = due.flatMap(({ migration: { name, kind, isOutsideTransaction }, locks }) => [
    `${name}: ${kind}, ${isOutsideTransaction ? 'statement by statement' : 'in one transaction'}`,
    ...(locks.length > 0 ? locks.map(describeLock) : ['  locks no table that is in use']),
  ]);
  if (functions.length > 0) lines.push(`Functions to define anew, without a lock on a table: ${functions.join(', ')}`);
  if (waiting.length > 0) lines.push(waitingText(waiting));
  return lines.length > 0 ? lines : ['The schema is up to date.'];
}

function describeLock({ statement, table, mode, work, size }: PlannedLock): string {
  const shown = statement.replaceAll(/\s+/g, ' ').slice(0, 70);
  const on = table === undefined ? '' : ` on ${table}${sizeText(size)}`;
  return `  ${shown}\n    ${mode}${on}: ${lockEffects[mode]}${work ? `; ${work}` : ''}`;
}

function sizeText(size: TableSize | undefined): string {
  return size ? ` (about ${count(size.rows)} rows, ${count(Math.ceil(size.bytes / 1_048_576))} MB)` : '';
}

function waitingText(names: string[]): string {
  return (
    `Waiting: ${names.join(', ')}, after which nodes of older releases no longer start. ` +
    'When none of them runs any more, run `ledgerline migrate --contract`.'
  );
}
