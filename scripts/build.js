/** Builds the service and the pages at the same time, then the packages: on two cores this takes two thirds of the time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const service = ['tsc -p tsconfig.build.json', 'node scripts/bundle.js', 'tsc -p tsconfig.client.json'];
const pages = ['node scripts/build-web.js', 'node scripts/build-docs.js'];

async function run(commands) {
  for (const command of commands) {
    console.log(`  ${command}`);
    // npm, and build-when-changed.js, have put the programs of the dependencies on the path.
    const child = spawn(command, { cwd: root, stdio: 'inherit', shell: true });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`"${command}" ended with ${code}.`);
  }
}

try {
  // A file whose source was moved or removed could still be loaded.
  await rm(path.join(root, 'dist'), { recursive: true, force: true });
  // Each ends by itself, so that a failure leaves nothing running.
  const ended = await Promise.allSettled([run(service), run(pages)]);
  for (const { reason } of ended) if (reason) throw reason;
  await run(['node scripts/assemble-packages.js']);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
