import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/harness/checked-fetch.ts', 'test/harness/one-process.ts'],
    globalSetup: ['test/harness/cluster.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Conditions are polled for as long as a loaded machine may need.
    expect: { poll: { timeout: 15_000 } },
  },
});
