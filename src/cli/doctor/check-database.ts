/** The database: reachable, the primary, its clock, its schema, what the role may do, and which keys its nodes have. */
import type { Sql } from '../../db/sql.ts';
import { connectionsNeeded } from '../../app/database.ts';
import { readKnownKeys } from '../../auth/digest-key-registry.store.ts';
import { fingerprintOf, planKeys } from '../../auth/digest-key-registry.ts';
import type { Config } from '../../config/load.ts';
import { describeOffset, readClockOffset, tolerableSeconds } from '../../db/checks/clock-offset.ts';
import { explainFault, grantsCure, isExplained } from '../../db/checks/explain-failure.ts';
import { isFromPostgres } from '../../db/failures.ts';
import { refuseOtherMode } from '../../db/checks/installation.ts';
import { missingGrants } from '../../db/migrations/grants.ts';
import { parseAddress } from '../../db/sessions/address.ts';
import { openConnection } from '../../db/sessions/pool.ts';
import { describeTransactionPooling, isTransactionPooled } from '../../db/checks/pooler.ts';
import { missingFrom, readSchema, refuseUnknownContracts } from '../../db/migrations/migrate.ts';
import { StartError } from '../../errors.ts';
import { checkCitus } from './check-citus.ts';
import { checkConnections } from './check-connections.ts';
import { checkHosts, checkReadHosts } from './check-hosts.ts';
import { findingOf, okFinding, problemFinding, type Finding } from './finding.ts';

export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, databaseReadUrl } = config;
  const url = databaseUrl!;
  const address = parseAddress(url);
  const findings: Finding[] = await checkHosts(url);
  if (databaseReadUrl) findings.push(...(await checkReadHosts(databaseReadUrl, url)));
  const sql = openConnection(url, 5);
  try {
    if (await isTransactionPooled(url, sql)) {
      const { cause, cure } = describeTransactionPooling(connectionsNeeded(config));
      return [problemFinding('Database', `${address.name} cannot be used: ${cause}.`, cure)];
    }
    findings.push(...(await checkServer(sql)), await checkConnections(sql, url, connectionsNeeded(config)));
    findings.push(...(await checkContents(sql, url, config)));
  } catch (error) {
    if (!isFromPostgres(error) && !isExplained(error)) throw error;
    const { cause, cure } = explainFault(error, address);
    findings.push(problemFinding('Database', `${address.name} cannot be used: ${cause}.`, cure));
  } finally {
    await sql.end({ timeout: 1 });
  }
  return findings;
}

/** In the order of a start. Advice about a database of the other mode would be wrong. */
async function checkContents(sql: Sql, url: string, { mode, digestKeys }: Config): Promise<Finding[]> {
  const otherMode = await checkMode(sql, mode);
  if (otherMode.length > 0) return otherMode;
  const schema = await checkSchema(url);
  if (schema.level !== 'ok') return [schema];
  const grants = await checkGrants(sql, mode === 'sandbox');
  const keys = grants.level === 'ok' && digestKeys ? [await checkKeys(sql, digestKeys)] : [];
  return [schema, grants, ...(await checkCitus(sql)), ...keys];
}

/** Nothing if the mode fits. */
async function checkMode(sql: Sql, mode: Config['mode']): Promise<Finding[]> {
  try {
    await refuseOtherMode(sql, mode);
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [problemFinding('Mode', error.message, 'docs/production.md, "One database, one mode", says why.')];
  }
}

async function checkServer(sql: Sql): Promise<Finding[]> {
  const [row] = await sql`
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby`;
  return [
    row!.is_standby
      ? problemFinding(
          'Database',
          `PostgreSQL ${row!.version} is a read-only standby.`,
          'Name the primary in DATABASE_URL, or all hosts, separated by commas.',
        )
      : okFinding('Database', `PostgreSQL ${row!.version}`),
    checkClock(await readClockOffset(sql)),
  ];
}

function checkClock(offset: number): Finding {
  return Math.abs(offset) < tolerableSeconds
    ? okFinding('Clock', 'agrees with the clock of the database')
    : problemFinding('Clock', `${describeOffset(offset)}.`, 'Set both by NTP.');
}

function checkSchema(url: string): Promise<Finding> {
  return findingOf('Schema', 'docs/production.md tells how releases follow each other.', async () => {
    const state = refuseUnknownContracts(await readSchema(url));
    const missing = missingFrom(state);
    if (missing.length > 0) {
      return problemFinding('Schema', `lacks ${missing.join(', ')}.`, 'Run `ledgerline migrate`.');
    }
    const newer = state.unknown.map(({ name }) => name).join(', ');
    const note = newer ? `; a newer Ledgerline has added ${newer}, which this one can work with` : '';
    return okFinding('Schema', `up to date (${state.applied.at(-1)})${note}`);
  });
}

async function checkGrants(sql: Sql, isSandbox: boolean): Promise<Finding> {
  const { role, missing } = await missingGrants(sql, isSandbox);
  return missing.length === 0
    ? okFinding('Rights', `${role} may do what the service needs`)
    : problemFinding('Rights', `${role} lacks ${missing.join(', ')}.`, grantsCure(role));
}

/** As the start does, without entering the keys. */
function checkKeys(sql: Sql, keys: readonly Buffer[]): Promise<Finding> {
  return findingOf('Keys', 'docs/production.md tells how keys are rotated.', async () => {
    planKeys(await readKnownKeys(sql), { keys, isConfigured: true });
    return okFinding('Keys', `the digest key fits the database (fingerprint ${fingerprintOf(keys[0]!)})`);
  });
}
