/** `ledgerline doctor`: checks what the service depends on; one line for each finding, with cause and fix. */
import { checkMode } from '../../config/check.ts';
import { ConfigError, loadConfig, type Config } from '../../config/load.ts';
import { findRisks } from '../../config/risks.ts';
import { StartError } from '../../errors.ts';
import { checkDatabase } from './check-database.ts';
import { checkEmbedded } from './check-embedded.ts';
import { checkGateways } from './check-gateways.ts';
import { checkIssuer } from './check-issuer.ts';
import { checkDisk, checkNode } from './check-machine.ts';
import { checkRestored, type RestoredOptions } from './check-restored.ts';
import { describeFinding, okFinding, problemFinding, warningFinding, type Finding } from './finding.ts';

interface DoctorOptions extends RestoredOptions {
  json?: boolean;
  /** A file with a token to verify as the service would. On a command line every user of the machine could read it. */
  tokenFile?: string;
}

/** The checks, in order. Each needs valid settings; a failed check does not stop the others. */
const checks: ((config: Config, options: DoctorOptions) => Promise<Finding[]>)[] = [
  checkDisk,
  (config) => (config.databaseUrl ? checkDatabase(config) : checkEmbedded(config)),
  checkIssuer,
  checkGateways,
  checkRestored,
];

export async function doctor(options: DoctorOptions): Promise<number> {
  if (!options.restored && (options.idsAfter !== undefined || options.erased !== undefined)) {
    throw new StartError('--ids-after and --erased are for a restored database: add --restored.');
  }
  const findings: Finding[] = [];
  const report = (...found: Finding[]) => {
    findings.push(...found);
    if (!options.json) for (const finding of found) console.log(describeFinding(finding));
  };
  report(checkNode());
  const config = readSettings(report);
  if (config) for (const check of checks) report(...(await check(config, options)));
  const isHealthy = findings.every(({ level }) => level !== 'problem');
  if (options.json) console.log(JSON.stringify({ ok: isHealthy, findings }, null, 2));
  return isHealthy ? 0 : 1;
}

function readSettings(report: (...findings: Finding[]) => void): Config | undefined {
  try {
    const config = loadConfig(process.env);
    checkMode(config);
    report(okFinding('Settings', `mode ${config.mode}`));
    report(...findRisks(config).map(({ setting, risk, cure }) => warningFinding(setting, risk, cure)));
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n'))
      report(problemFinding('Settings', line, 'docs/config.md lists all of them.'));
    return undefined;
  }
}
