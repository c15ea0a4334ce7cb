import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { findMemoryFolder } from './test/harness/database/memory-folder.ts';
import { SlowFirst } from './test/harness/slow-first.ts';

// For this process and those that it starts, unless somebody has chosen a folder.
const memoryFolder = findMemoryFolder();
if (memoryFolder) process.env.TMPDIR ??= memoryFolder;

const root = fileURLToPath(new URL('.', import.meta.url));
const source = path.join(root, 'src/');
const built = path.join(root, 'dist/');

/** Takes the built files instead of the sources: they need no transformation, and load in a quarter of the time. */
const takeBuilt: Plugin = {
  name: 'take-built',
  enforce: 'pre',
  resolveId(specifier, importer) {
    if (!importer || !specifier.startsWith('.')) return undefined;
    const file = path.resolve(path.dirname(importer), specifier);
    if (!file.startsWith(source) || !file.endsWith('.ts')) return undefined;
    return built + file.slice(source.length).replace(/\.ts$/, '.js');
  },
};

export default defineConfig({
  plugins: process.env.TEST_BUILT ? [takeBuilt] : [],
  test: {
    server: { deps: { external: [new RegExp(`^${built.replaceAll(/\W/g, '\\$&')}`)] } },
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/harness/check-answers.ts', 'test/harness/one-process.ts'],
    globalSetup: ['test/harness/browser/setup.ts', 'test/harness/database/cluster.ts'],
    pool: 'forks',
    // The files that a process runs share what they import, and one browser. Loading it for each took 150 s in all.
    isolate: false,
    // More room for short-lived values: the garbage collector took a fifteenth of the time. One thread for it, and a first
    // compilation of every function: a tenth less processor time, since each process runs much code a few times.
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc', '--always-sparkplug'],
    // More than twice the cores of the smallest machine: many tests wait for something most of the time.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    // Too busy a machine lets a login to the database wait, and the service answers 503. Such a test is tried again, and the
    // report says so. What fails for another reason, or three times, fails.
    retry: { count: 2, delay: 3000, condition: /LOGIN_TIMEOUT|\b503\b/ },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Conditions are polled for as long as a loaded machine may need, and half as often as without this: to ask a page
    // takes 3 ms of processor time.
    expect: { poll: { timeout: 15_000, interval: 100 } },
  },
});
