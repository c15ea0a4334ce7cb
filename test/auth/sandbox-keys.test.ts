/** The keys that a sandbox makes for itself. */
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sandboxKey } from '../../src/auth/keys.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it('a key is made once, and only its owner can read it', async () => {
  const dataDir = await newFolder();
  expect(await sandboxKey(dataDir, 'digest.key', () => 'first')).toBe('first');
  expect(await sandboxKey(dataDir, 'digest.key', () => 'second')).toBe('first');
  const file = path.join(dataDir, 'keys/digest.key');
  expect(await readFile(file, 'utf8')).toBe('first');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('a key that cannot be read is an error, and no other key is made', async () => {
  const dataDir = await newFolder();
  // Rights do not stop root, but nobody can read a folder as a file.
  await mkdir(path.join(dataDir, 'keys/digest.key'), { recursive: true });
  const make = vi.fn(() => 'another');
  await expect(sandboxKey(dataDir, 'digest.key', make)).rejects.toMatchObject({ code: 'EISDIR' });
  expect(make).not.toHaveBeenCalled();
});
