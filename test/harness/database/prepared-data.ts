/**
 * What the first start of a sandbox leaves in its data directory, made once for a run and copied for each test: a first
 * start takes seconds of processor time, for the files of the database, the schema and the demo individual.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from './made-once.ts';

/** Makes the data directory of a sandbox that has been started once, unless it is there. */
export async function prepareDataDir(main: string, dataDir: string): Promise<void> {
  if (existsSync(dataDir)) return;
  const prepared = await makePrepared(main);
  await mkdir(dataDir, { mode: 0o711 });
  const entries = await readdir(prepared);
  const programs = entries.filter((name) => name.startsWith('postgresql-'));
  // Its log would tell of another start.
  const others = entries.filter((name) => !programs.includes(name) && name !== 'postgres.log');
  // Owners and modes count. The programs are large, and nobody writes to them.
  await promisify(execFile)('cp', ['-a', ...others.map((name) => path.join(prepared, name)), dataDir]);
  for (const name of programs) await linkPrograms(path.join(prepared, name), path.join(dataDir, name));
}

async function linkPrograms(source: string, target: string): Promise<void> {
  await mkdir(target, { mode: 0o755 });
  for (const name of await readdir(source)) await symlink(path.join(source, name), path.join(target, name));
}

const makePrepared = (main: string) =>
  madeOnce('prepared-data', async (folder) => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: folder };
    const child = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      if (!output.includes('"msg":"started"') && (output += chunk).includes('"msg":"started"')) child.kill('SIGTERM');
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`The first start of the sandbox ended with ${code}: ${output}`);
  });
