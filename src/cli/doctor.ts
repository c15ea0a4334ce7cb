/** `ledgerline doctor`: checks what the service stands on, and says what is wrong and what to do. */
import { access, constants, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { checkMode } from '../config/check.ts';
import { ConfigError, loadConfig, type Config } from '../config/load.ts';
import { findPackage } from '../db/binaries.ts';
import { connectionOptions, errorCode } from '../db/database.ts';
import { missingFrom, readSchema, refuseUnknownContracts, type SchemaState } from '../db/migrate.ts';
import { StartError } from '../errors.ts';

type Finding = { good: boolean; text: string };

const good = (text: string): Finding => ({ good: true, text });
const bad = (text: string): Finding => ({ good: false, text });

export async function doctor(): Promise<number> {
  const findings: Finding[] = [];
  const report = (finding: Finding) => {
    findings.push(finding);
    console.log(`${finding.good ? '✓' : '✗'} ${finding.text}`);
  };
  report(checkNode());
  const config = readSettings(report);
  if (config) {
    if (config.databaseUrl) await checkDatabase(config.databaseUrl, report);
    else await checkEmbedded(config, report);
  }
  return findings.every((finding) => finding.good) ? 0 : 1;
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return enough
    ? good(`Node ${process.versions.node}`)
    : bad(`Node ${process.versions.node} is too old; install 20.19 or newer.`);
}

function readSettings(report: (finding: Finding) => void): Config | undefined {
  try {
    const config = loadConfig(process.env);
    checkMode(config);
    report(good(`Settings: mode ${config.mode}`));
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n')) report(bad(`Settings: ${line}`));
    return undefined;
  }
}

async function checkEmbedded({ dataDir }: Config, report: (finding: Finding) => void): Promise<void> {
  try {
    const { version } = await findPackage();
    report(good(`Embedded PostgreSQL ${version} is installed`));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    report(bad(error.message));
  }
  const folder = path.resolve(dataDir);
  const present = await stat(folder).catch(() => undefined);
  const writable = await access(present ? folder : path.dirname(folder), constants.W_OK).then(
    () => true,
    () => false,
  );
  report(
    writable ? good(`Data directory ${folder}`) : bad(`Data directory ${folder} cannot be written to; set DATA_DIR.`),
  );
  const holder = await readFile(path.join(folder, 'lock'), 'utf8').catch(() => '');
  if (holder) report(good(`The service was started on it as process ${Number.parseInt(holder, 10)}`));
}

async function checkDatabase(url: string, report: (finding: Finding) => void): Promise<void> {
  const sql = postgres(url, { ...connectionOptions(5), max: 1 });
  try {
    const before = Date.now();
    const [row] = await sql`select clock_timestamp() as now, current_setting('server_version') as version`;
    const after = Date.now();
    report(good(`Database: PostgreSQL ${row!.version}`));
    report(clockFinding(row!.now.getTime(), before, after));
    await checkSchema(url, report);
  } catch (error) {
    report(bad(`Database: it cannot be used (${errorCode(error)}); check DATABASE_URL and that the server runs.`));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Several nodes share limits and codes, and so must agree on the time. */
function clockFinding(theirs: number, before: number, after: number): Finding {
  const off = theirs < before ? theirs - before : Math.max(0, theirs - after);
  return Math.abs(off) < 2000
    ? good('Clock: agrees with the database’s')
    : bad(`Clock: ${Math.abs(off / 1000).toFixed(1)} s off the database’s; set both by NTP.`);
}

async function checkSchema(url: string, report: (finding: Finding) => void): Promise<void> {
  const state = await readSchema(url);
  const missing = missingFrom(state);
  if (missing.length > 0) return report(bad(`Schema: lacks ${missing.join(', ')}; run ledgerline migrate.`));
  try {
    refuseUnknownContracts(state);
    report(good(`Schema: up to date (${state.applied.at(-1)})${newerText(state)}`));
  } catch (error) {
    report(bad(`Schema: ${(error as StartError).message}`));
  }
}

function newerText({ unknown }: SchemaState): string {
  const names = unknown.map(({ name }) => name);
  return names.length > 0 ? `; a newer Ledgerline has added ${names.join(', ')}, which this one can work with` : '';
}
