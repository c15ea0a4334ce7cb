/** A small part of the fuzz test with a fixed seed. `npm run fuzz` sends as many requests as one likes. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { preparedDataFolder } from '../harness/process.ts';
import { sized } from '../harness/size.ts';

const main = fileURLToPath(new URL('../../fuzz/main.js', import.meta.url));

it('random requests of every operation: no 5xx, no hang, every error as documented', { timeout: 300_000 }, async () => {
  const options = ['--requests', sized('1000', '10000'), '--seed', '7', '--data-dir', await preparedDataFolder()];
  // A failure shows what the run printed, with the requests.
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...options]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toMatch(/\nNo failure\.\n$/);
  expect(stdout).toMatch(/200: [1-9]\d\d/);
});
