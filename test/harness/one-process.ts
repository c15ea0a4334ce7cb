/**
 * `TEST_PROCESSES=2 npx vitest run` runs the tests against a service of two processes. These tests only make sense for
 * one: what they count, time or break belongs to a process and not to the service. They are reported as skipped.
 */
import { beforeEach } from 'vitest';

/** By file: the beginnings of the names of its tests, or all of them. */
const oneProcessOnly: Record<string, 'all' | string[]> = {
  // The limit is for each process.
  'events/live.test.ts': ['takes three streams'],
  // What they look at is in the test's own process: its threads, its temporary folder.
  'transactions/statement.test.ts': ['a thread makes the next statement too'],
  'transactions/record-ndjson.test.ts': ['loses lines, and no row, when the temporary folder'],
  // Slots, shares and connections are those of a process.
  'sharing/shared-slots.test.ts': 'all',
  'transactions/slow-exports.test.ts': 'all',
  'transactions/summarize-and-export.test.ts': ['refuses one more when too many are running'],
  // The sums of ranges are exchanged every second, so two processes know a budget of a few codes too late.
  'guard/challenge.test.ts': 'all',
  'guard/destination-rules.test.ts': ['in one range get no more codes when few are verified'],
  'guard/likely-senders.test.ts': 'all',
  'guard/operator.test.ts': ['lifts a block on a phone by the id it is listed under, and one on a prefix'],
  'guard/receipts.test.ts': 'all',
  // Each process has its own breaker, and learns of a gateway's limit by itself.
  'sms/dispatch.test.ts': [
    'is not asked again before its Retry-After',
    'gives way to the next gateway meanwhile',
    'is left out after as many failures',
  ],
  // Each process reads the issuer's keys for itself, and remembers tokens until it sees that their key has left.
  'auth/external-issuer.test.ts': [
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
