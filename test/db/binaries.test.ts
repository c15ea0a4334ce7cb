import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyOnce, isRoot } from '../../src/db/embedded/binaries.ts';

async function sharedFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-binaries-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const native = path.join(folder, 'native');
  await mkdir(path.join(native, 'bin'), { recursive: true });
  await writeFile(path.join(native, 'bin/postgres'), 'ours');
  return { folder, native, target: path.join(folder, 'postgresql-1') };
}

const refusal = /postgresql-1 is not a folder that this Ledgerline has made.*Remove it, or set DATA_DIR/;

describe('the copy of the PostgreSQL programs in a folder that others can write to', () => {
  it('is not taken from a link that somebody planted, even to a folder of ours', async () => {
    const { folder, native, target } = await sharedFolder();
    const planted = path.join(folder, 'planted');
    await mkdir(planted);
    await symlink(planted, target);
    await expect(copyOnce(native, target)).rejects.toThrow(refusal);
    expect(await readdir(planted)).toEqual([]);
  });

  it('is not taken from a folder that others can write to', async (context) => {
    if (!isRoot) context.skip('only root copies into a folder of others');
    const { native, target } = await sharedFolder();
    await mkdir(target);
    await chmod(target, 0o777);
    await expect(copyOnce(native, target)).rejects.toThrow(refusal);
  });

  it('is made once, also by several starts at a time', async () => {
    const { folder, native, target } = await sharedFolder();
    await Promise.all(Array.from({ length: 5 }, () => copyOnce(native, target)));
    await copyOnce(native, target);
    expect((await readdir(folder)).toSorted()).toEqual(['native', 'postgresql-1']);
    expect(await readdir(path.join(target, 'bin'))).toEqual(['postgres']);
  });
});
