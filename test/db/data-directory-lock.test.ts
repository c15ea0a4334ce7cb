import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sized } from '../harness/size.ts';

const lockModule = new URL('../../dist/db/embedded/data-directory-lock.js', import.meta.url).href;

/** Waits for a line, then takes the lock of the folder, says how it went, and keeps it until its input ends. */
const program = `
  import { once } from 'node:events';
  import { lockDirectory } from '${lockModule}';
  console.log('waiting');
  await once(process.stdin, 'data');
  const unlock = await lockDirectory(process.argv[1]).catch((error) => void console.log(error.constructor.name));
  if (unlock) console.log('locked');
  await once(process.stdin.resume(), 'end');
  await unlock?.();
`;

async function lineOf(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  return chunk.toString().trim();
}

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it(
  'of many that start at once on a folder whose last holder was killed, exactly one gets the lock',
  { timeout: 120_000 },
  async () => {
    for (let round = 0; round < sized(1, 6); round += 1) {
      const folder = await dataFolder();
      // No process has this id: Linux gives none above 4,194,304.
      await writeFile(path.join(folder, 'lock'), '9999999 1');
      const children = Array.from({ length: 8 }, () =>
        spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: ['pipe', 'pipe', 'inherit'] }),
      );
      onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
      await Promise.all(children.map(lineOf));
      const answers = children.map(lineOf);
      for (const child of children) child.stdin.write('go\n');
      expect((await Promise.all(answers)).toSorted()).toEqual([...Array(7).fill('StartError'), 'locked']);
      const ended = children.map((child) => once(child, 'exit'));
      for (const child of children) child.stdin.end();
      await Promise.all(ended);
      expect(await readdir(folder)).toEqual([]);
    }
  },
);
