/**
 * `TEST_PROCESSES=2 npx vitest run` runs the tests against a service of two processes. These tests only make sense for
 * one: what they count, time or break belongs to a process and not to the service. They are reported as skipped.
 */
import { beforeEach } from 'vitest';

/** By file: the beginnings of the names of its tests, or all of them. */
const oneProcessOnly: Record<string, 'all' | string[]> = {
  // The limit is for each process.
  'events/live.test.ts': ['takes three streams'],
  // Each process reads the issuer's keys for itself, and remembers tokens until it sees that their key has left.
  'external-issuer.test.ts': [
    'follows a rotation',
    'forgets a remembered token',
    'with an unknown key',
    'gives 503 with Retry-After while the keys cannot be read',
    'waits for a read of the keys',
  ],
};

if (process.env.TEST_PROCESSES) {
  beforeEach(({ task, skip }) => {
    const file = Object.keys(oneProcessOnly).find((name) => task.file.filepath.endsWith(`/test/${name}`));
    const names = file && oneProcessOnly[file];
    if (names && (names === 'all' || names.some((name) => task.name.startsWith(name)))) {
      skip('It only makes sense for one process.');
    }
  });
}
