/** The npm packages, packed and installed into a folder as somebody else would install them. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export const execute = promisify(execFile);
export const root = path.resolve(import.meta.dirname, '../..');

export interface Packed {
  name: string;
  version: string;
  filename: string;
  files: { path: string }[];
}

export interface Installation {
  folder: string;
  packages: Record<string, Packed>;
  remove(): Promise<void>;
}

export async function installPackages(): Promise<Installation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-packages-'));
  const workspaces = ['--workspace=@ledgerline/client', '--workspace=@ledgerline/elements', '--include-workspace-root'];
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder, ...workspaces], {
    cwd: root,
  });
  const packed = Object.values(JSON.parse(stdout) as Packed[] | Record<string, Packed>);
  const packages = Object.fromEntries(packed.map((each) => [each.name, each]));
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarballs = ['@ledgerline/client', '@ledgerline/elements'].map((name) =>
    path.join(folder, packages[name]!.filename),
  );
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: folder });
  return { folder, packages, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Packages of this repository that the app of a test uses too. */
export async function linkPackages(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(root, 'node_modules', name), link);
  }
}

/** Compiles files of the folder without writing anything, and returns what the compiler complains about. */
export async function compile(
  folder: string,
  files: readonly string[],
  options: readonly string[] = [],
): Promise<string> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const usual = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--types', ''];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  try {
    await execute(process.execPath, [compiler, ...usual, ...modules, ...options, ...files], { cwd: folder });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
