/** Files that commands read and write, without a process: what cannot be used is refused in a sentence. */
import { link, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { importTransactions } from '../../src/cli/import.ts';
import { importUsers } from '../../src/cli/import-users.ts';
import { openInput } from '../../src/cli/input.ts';
import { writeOutput } from '../../src/cli/output.ts';
import { openReport } from '../../src/cli/report.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

const linuxOnly = it.skipIf(process.platform !== 'linux');

describe('the report of refused rows', () => {
  it('is never the file that is read, by whatever name, and that file stays as it is', async () => {
    const input = path.join(folder, 'a.ndjson');
    const [symbolic, hard] = [path.join(folder, 'symbolic'), path.join(folder, 'hard')];
    await writeFile(input, '{}\n');
    await symlink(input, symbolic);
    await link(input, hard);
    for (const report of [input, symbolic, hard, path.join(folder, '.', 'a.ndjson')]) {
      const refusal = `${report} is the file that is read. Name another one with --report.`;
      await expect(importTransactions(input, { report })).rejects.toThrow(refusal);
      await expect(importTransactions(symbolic, { report, dryRun: true })).rejects.toThrow(refusal);
      await expect(importUsers(input, { report })).rejects.toThrow(refusal);
    }
    expect(await readFile(input, 'utf8')).toBe('{}\n');
  });

  it('is not written where there is no folder', async () => {
    const input = path.join(folder, 'a.ndjson');
    await writeFile(input, '');
    const report = path.join(folder, 'nowhere/x');
    await expect(importTransactions(input, { report })).rejects.toThrow(`${report} cannot be written (ENOENT).`);
    await expect(importUsers(input, { report })).rejects.toThrow(`${report} cannot be written (ENOENT).`);
  });

  linuxOnly('says so if there is no space for it', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const report = await openReport('/dev/full', '-');
    for (let line = 1; line <= 21; line += 1) report.add({ line, result: 'rejected' });
    expect(await report.end()).toBe(false);
    expect(printed.mock.calls.slice(20)).toEqual([
      ['  and 1 more'],
      ['/dev/full cannot be written (ENOSPC), so it lacks refused rows.'],
    ]);
  });
});

describe('an output file', () => {
  async function* chunks() {
    yield 'one ';
    yield Buffer.from('two');
  }

  it('has everything, in the place of what it had', async () => {
    const file = path.join(folder, 'out');
    await writeFile(file, 'something longer');
    await writeOutput(chunks(), file);
    expect(await readFile(file, 'utf8')).toBe('one two');
  });

  linuxOnly('is refused in a sentence if it cannot be opened or written', async () => {
    await expect(writeOutput(chunks(), '/nowhere/x')).rejects.toThrow('/nowhere/x cannot be written (ENOENT).');
    await expect(writeOutput(chunks(), '/dev/full')).rejects.toThrow('/dev/full cannot be written (ENOSPC).');
  });
});

// Its status is that of a file, but its first byte cannot be read.
linuxOnly('an input that cannot be read is refused in a sentence', async () => {
  await expect(openInput('/proc/self/mem')).rejects.toThrow('/proc/self/mem cannot be read (EIO).');
});
