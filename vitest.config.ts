import { defineConfig } from 'vitest/config';
import { findMemoryFolder } from './test/harness/database/memory-folder.ts';
import { SlowFirst } from './test/harness/slow-first.ts';

// For this process and those that it starts, unless somebody has chosen a folder.
const memoryFolder = findMemoryFolder();
if (memoryFolder) process.env.TMPDIR ??= memoryFolder;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/harness/check-answers.ts', 'test/harness/one-process.ts'],
    globalSetup: ['test/harness/browser/setup.ts', 'test/harness/database/cluster.ts'],
    pool: 'forks',
    // The files that a process runs share what they import, and one browser. Loading it for each took 150 s in all.
    isolate: false,
    // More room for short-lived values: the garbage collector took a fifteenth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // Twice the cores of the smallest machine: many tests wait for something most of the time.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Conditions are polled for as long as a loaded machine may need.
    expect: { poll: { timeout: 15_000 } },
  },
});
