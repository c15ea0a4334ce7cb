import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openPort, takeConnections } from '../../src/app/server.ts';
import { reservePort } from '../harness/reserve-port.ts';

it('a request that arrived while the process was away is answered, although its connection was unused for long', async () => {
  const server = createServer((_request, response) => void response.setHeader('connection', 'close').end('answered'));
  const connections = takeConnections(server);
  const number = await reservePort();
  const port = await openPort('127.0.0.1', number, connections.take);
  const client = connect(number, '127.0.0.1');
  await once(client, 'connect');
  await port.close();
  const ended = connections.end({ idleSeconds: 0.5, stopSeconds: 60 });
  const received = text(client);
  // The write reaches the operating system at once. Then the process does not run until the connection is unused.
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const end = performance.now() + 1000;
  while (performance.now() < end);
  expect(await received).toContain('answered');
  await ended;
});
