/** What a failed statement means to a caller: SQLSTATEs and the names of the driver and of sockets. */
import { expect, it } from 'vitest';
import { asProblem } from '../../src/db/failures.ts';

it.each([
  ['a connection that failed', '08006', 'database-unavailable'],
  ['a full disk', '53100', 'database-unavailable'],
  ['a server that is starting', '57P03', 'database-unavailable'],
  ['an operating system that cannot read a file', '58030', 'database-unavailable'],
  ['a standby', '25006', 'database-unavailable'],
  ['a connection that was refused', 'ECONNREFUSED', 'database-unavailable'],
  ['a connection that has ended', 'ERR_STREAM_WRITE_AFTER_END', 'database-unavailable'],
  ['a session that was idle in a transaction for too long', '25P03', 'database-unavailable'],
  ['a transaction that took longer than the database allows', '25P04', 'database-unavailable'],
  ['a deadlock', '40P01', 'overloaded'],
  ['a lock that was waited for longer than the database allows', '55P03', 'overloaded'],
])('%s (%s) is a 503 with the reason %s', (_name, code, reason) => {
  expect(asProblem({ code })?.details).toMatchObject({ status: 503, reason });
});

it.each([
  'failure on connection marked as essential: 10.0.0.2:5432',
  'could not commit transaction for shard 102039 on at least one active node',
  "failed to prepare transaction 'citus_0_1_2_3' on host 10.0.0.2:5432",
  'could not connect to any active placements',
  'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
  'SSL SYSCALL error: EOF detected',
])('a worker of Citus that is lost in a transaction is a 503: %s', (message) => {
  expect(asProblem({ code: 'XX000', message })?.details).toMatchObject({ status: 503, reason: 'database-unavailable' });
});

it('any other internal error of the database (XX000) is a defect', () => {
  expect(asProblem({ code: 'XX000', message: 'cache lookup failed for relation 1' })).toBeUndefined();
});

it.each([
  ['a table that does not exist', '42P01'],
  ['a broken constraint', '23505'],
])('%s (%s) is a defect', (_name, code) => {
  expect(asProblem({ code })).toBeUndefined();
});
