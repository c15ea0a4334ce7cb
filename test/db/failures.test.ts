/** What a failed statement means to a caller: SQLSTATEs and the names of the driver and of sockets. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { asProblem } from '../../src/db/failures.ts';
import { openSocket } from '../../src/db/sessions/socket.ts';

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

it.each([
  ['an error message instead of an answer about encryption', 'EFATAL: could not fork', /CONNECTION_REFUSED/],
  ['text before the encrypted part', 'SSS', /ERR_TLS_UNEXPECTED_DATA/],
  ['a server without encryption', 'N', /ERR_TLS_NOT_OFFERED/],
  ['an encrypted part that is none', 'Sno certificate at all', /ERR_TLS_UNEXPECTED_DATA/],
])('a connection that cannot be opened is a 503: %s', async (_name, answer, code) => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(answer));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = openSocket({ host: '127.0.0.1', port }, { mode: 'required' }, 10_000);
  const error = await opened.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect((error as { code: string }).code).toMatch(code);
  expect(asProblem(error)?.details).toMatchObject({ status: 503, reason: 'database-unavailable' });
});
