/** The instance under attack: a sandbox with production's rules switched on, so that its clock can be moved. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rules } from '../dist/guard/rules.js';

const main = fileURLToPath(new URL('../dist/ledgerline.js', import.meta.url));

/** Production's defaults where the sandbox has others. The attacker stands behind a proxy on this machine. */
export const productionRules = {
  LEDGERLINE_RULES: '*=enforce',
  LEDGERLINE_LIMITS: Object.entries(rules)
    .filter(([, { windows }]) => windows && windows.sandbox !== windows.production)
    .map(([name, { windows }]) => `${name}=${windows.production}`)
    .join('; '),
  LEDGERLINE_COUNTRIES: 'GB',
  LEDGERLINE_PRICES: '*=0.1,GB=0.04,+4490=0.45,voice:GB=0.1,whatsapp:GB=0.03',
  LEDGERLINE_CHANNELS: '*=sms,whatsapp,voice',
  LEDGERLINE_TRUSTED_PROXIES: '127.0.0.1',
};

/** What a solution costs at full scale. */
const challengeWork = 400_000;

/** At a smaller scale challenges are easier too. */
export async function startInstance(scale = 1) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-attack-'));
  await chmod(folder, 0o711);
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME ?? '/',
      PORT: '0',
      DATA_DIR: path.join(folder, 'data'),
      LEDGERLINE_LOG_FORMAT: 'json',
      LEDGERLINE_CHALLENGE_WORK: String(Math.ceil(challengeWork * scale)),
      ...productionRules,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await started(child);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function started(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    let found = false;
    child.stdout.on('data', (chunk) => {
      if (found) return;
      output += chunk;
      const line = /"url":"([^"]+)"[^\n]*"msg":"started"/.exec(output);
      if (!line) return;
      found = true;
      resolve(line[1]);
    });
    child.once('exit', (code) => reject(new Error(`The instance ended with code ${code}.`)));
  });
}
