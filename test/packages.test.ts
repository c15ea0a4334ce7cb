/** What `npm ci` installs, by the lock file: few packages, for every version of Node that we support. */
import { readFile } from 'node:fs/promises';
import { satisfies } from 'semver';
import { expect, it } from 'vitest';

interface LockedPackage {
  engines?: Record<string, string> | string[];
  os?: string[];
  cpu?: string[];
  libc?: string[];
  hasInstallScript?: boolean;
}

const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8')) as Record<string, unknown>;
const readLocked = async (name: string) =>
  Object.entries((await read(name)).packages as Record<string, LockedPackage>).filter(([path]) =>
    path.startsWith('node_modules/'),
  );
const locked = await readLocked('package-lock.json');
const lockedElsewhere = [
  ...(await readLocked('test/harness/chromium/package-lock.json')),
  ...(await readLocked('bench/package-lock.json')),
];

const fits = (allowed: string[] | undefined, value: string) => allowed === undefined || allowed.includes(value);

it.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
])('at most 300 packages are installed on %s %s', (os, cpu) => {
  const installed = locked.filter(
    ([, entry]) => fits(entry.os, os) && fits(entry.cpu, cpu) && fits(entry.libc, 'glibc'),
  );
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.length).toBeLessThanOrEqual(300);
});

it.each(['20.19.0', '22.12.0', '24.0.0'])('no package refuses Node %s', (version) => {
  const refusing = [...locked, ...lockedElsewhere].filter(([, { engines }]) => {
    const range = Array.isArray(engines) ? undefined : engines?.node;
    return range !== undefined && !satisfies(version, range);
  });
  expect(refusing.map(([path]) => path)).toEqual([]);
});

// Without an entry npm 11 prints four lines about each of them. The service makes the links of its PostgreSQL itself.
it('no package runs a script when it is installed', async () => {
  const { allowScripts } = await read('package.json');
  const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(withScript.length).toBeGreaterThan(0);
  expect(allowScripts).toEqual(
    Object.fromEntries(withScript.map(([path]) => [path.replace('node_modules/', ''), false])),
  );
});
