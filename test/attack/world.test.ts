/** The simulated people: what a busy machine answers is not what a rule decides. */
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
// @ts-expect-error The simulation is plain JavaScript.
import { World } from '../../attack/world.js';

/** A service that answers the first call of each path with 503, as one whose database is slow does. */
async function startBusy(status: (request: IncomingMessage) => number): Promise<string> {
  const called = new Set<string>();
  const server = createServer((request, response) => {
    const key = `${request.method} ${request.url}`;
    const isFirst = !called.has(key);
    called.add(key);
    if (isFirst) response.writeHead(503, { 'retry-after': '0', 'error-reason': 'database-unavailable' }).end();
    else
      response
        .writeHead(status(request), { 'content-type': 'application/json', 'error-reason': 'given' })
        .end(request.url!.startsWith('/sandbox/messages') ? '[{"code":"123456"}]' : '{"access_token":"t"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const statuses: Record<string, number> = {
  'DELETE /sandbox/data': 204,
  'POST /User': 201,
  'POST /User/phone-number/send-code': 204,
};
const usual = ({ method, url }: IncomingMessage) => statuses[`${method} ${url}`] ?? 200;

it('an honest user who gets a 503 tries again, and is not counted as refused', async () => {
  const world = new World(await startBusy(usual));
  onTestFinished(() => world.close());
  await world.reset();
  expect(await world.honestVisit('+447400123456')).toBeUndefined();
});

it('a refusal of a rule is counted, with its reason', async () => {
  const world = new World(await startBusy((request) => (request.url!.endsWith('send-code') ? 429 : usual(request))));
  onTestFinished(() => world.close());
  expect(await world.honestVisit('+447400123456')).toBe('send 429 given');
});

it('a sandbox that cannot be emptied ends the run', async () => {
  const world = new World(await startBusy((request) => (request.method === 'DELETE' ? 500 : usual(request))));
  onTestFinished(() => world.close());
  await expect(world.reset()).rejects.toThrow('DELETE /sandbox/data was answered 500');
});
