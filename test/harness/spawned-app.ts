/** The service as processes of its own, in place of `startApp` inside the test's process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/ledgerline.js', import.meta.url));

export interface SpawnedApp {
  url: string;
  stop(): Promise<void>;
}

/** Log lines are added to `logLines` as they come. A start that fails rejects with what it printed. */
export async function spawnApp(settings: Record<string, string>, logLines: string[]): Promise<SpawnedApp> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { PATH: process.env.PATH!, ...settings, LEDGERLINE_LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += chunk));
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (!line.startsWith('{')) return;
      logLines.push(`${line}\n`);
      const entry = JSON.parse(line) as { msg?: string; url?: string };
      if (entry.msg === 'started') resolve(entry.url!);
    });
    void exited.then(() => reject(new Error(errors.split('\n')[0])));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
