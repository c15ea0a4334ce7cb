/** Answers that wait in memory for their readers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PendingAnswers } from '../../src/http/pending-answers.ts';
import type { Owner } from '../../src/sharing/slots.ts';
import { until } from '../harness/until.ts';

const mebibyte = 1024 * 1024;
/** More than the sockets of both sides hold. */
const large = Buffer.alloc(24 * mebibyte);
const owner = (key: string): Owner => ({ key, kind: 'user' });

it('four users that read nothing leave room for others: the one with the most loses its oldest answer', async () => {
  const pending = new PendingAnswers(5 * large.length);
  const answered: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const key = request.url!.slice(1);
    response.end(large);
    pending.note(response, owner(key), large.length);
    answered.push(key);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (key: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').pause();
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).write(`GET /${key} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const count = answered.length;
    await until(() => answered.length > count);
    return socket;
  };
  onTestFinished(() => void server.close());
  const sockets = [await ask('a'), await ask('b'), await ask('b'), await ask('c'), await ask('d')];
  expect(pending.findRefusal(owner('newcomer'))).toBeUndefined();
  expect(pending.findRefusal(owner('b'))?.details.reason).toBe('overloaded');
  // One more than there is room for.
  sockets.push(await ask('newcomer'));
  await until(async () => (await new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)))) === 5);
  expect(pending.findRefusal(owner('newcomer'))).toBeUndefined();
  expect(pending.findRefusal(owner('b'))).toBeUndefined();
});
