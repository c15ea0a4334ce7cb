/**
 * Runs `npm run build`, unless dist/ is what it would make of the files that are there now. With `--note` it only
 * remembers what has been built from what, as the last step of a build.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['src', 'client', 'web', 'docs', 'package.json', 'package-lock.json', 'tsconfig.json'];
const buildSettings = ['tsconfig.build.json', 'tsconfig.client.json', 'openapi.json', 'scripts'];
const builtFolders = ['dist', 'packages/client/dist', 'packages/elements/dist'];
const stateFile = path.join(root, 'node_modules/.cache/ledgerline/build-state.json');

async function filesIn(name) {
  const place = path.join(root, name);
  if (!existsSync(place)) return [];
  if (!(await stat(place)).isDirectory()) return [place];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function digest(files, describe) {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(`${path.relative(root, file)}\0${await describe(file)}\n`);
  return hash.digest('hex');
}

async function readState() {
  const inputs = (await Promise.all([...sources, ...buildSettings].map(filesIn))).flat();
  const outputs = (await Promise.all(builtFolders.map(filesIn))).flat();
  return JSON.stringify({
    // By their content: a checkout gives files new times.
    inputs: await digest(inputs, async (file) =>
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ),
    // By size and time: whoever else writes there, such as another build, changes them.
    outputs: await digest(outputs, async (file) => {
      const { size, mtimeMs } = await stat(file);
      return `${size} ${mtimeMs}`;
    }),
  });
}

async function isBuilt() {
  const noted = await readFile(stateFile, 'utf8').catch(() => '');
  return noted === (await readState());
}

/** Runs the steps of `npm run build`, with a line for each: all of them take some seconds, and most print nothing. */
async function build() {
  const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const steps = scripts.build.split(' && ');
  const searched = [path.join(root, 'node_modules/.bin'), process.env.PATH].join(path.delimiter);
  for (const [index, step] of steps.entries()) {
    console.log(`  Building, step ${index + 1} of ${steps.length}: ${step}`);
    const { status } = spawnSync(step, {
      cwd: root,
      stdio: 'inherit',
      shell: true,
      env: { ...process.env, PATH: searched },
    });
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

/** The port that `npm start` will use, if something listens there: nobody should wait for a build to learn that. */
async function takenPort() {
  const { PORT: port = '8080', HOST: host = '127.0.0.1' } = process.env;
  if (!/^[1-9]\d*$/.test(port)) return undefined;
  const server = createServer();
  return new Promise((resolve) => {
    // The service itself explains any other error.
    server.once('error', ({ code }) => resolve(code === 'EADDRINUSE' ? port : undefined));
    server.listen(Number(port), host, () => server.close(() => resolve(undefined)));
  });
}

if (process.argv[2] === '--note') {
  await mkdir(path.dirname(stateFile), { recursive: true });
  await writeFile(stateFile, await readState());
} else if (!(await isBuilt())) {
  const taken = process.env.npm_lifecycle_event === 'prestart' && (await takenPort());
  if (taken) console.error(`Port ${taken} is taken. Stop what listens there, or set PORT to another port.`);
  process.exitCode = taken ? 1 : await build();
}
