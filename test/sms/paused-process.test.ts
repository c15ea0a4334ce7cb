/** The process pauses while a gateway answers, as it does when its machine is moved or has too much to do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { valueWithin } from '../../src/network/give-time.ts';
import { httpCaller } from '../../src/sms/http.ts';

/** In another process: it answers while this one pauses. */
async function startGateway(): Promise<string> {
  const program = `require('http').createServer((request, response) => response.end('{}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${Number(line.toString())}`;
}

it('an answer that came meanwhile is in time', async () => {
  const caller = httpCaller(await startGateway());
  onTestFinished(() => caller.close());
  const send = () =>
    caller.send({ path: '/', headers: {}, body: '{}' }, 100, ({ status }) => ({
      outcome: 'refused',
      reason: `HTTP ${status}`,
    }));
  // Opens the connection.
  await until200(send);
  // The limit of all gateways together is soon over, too.
  const answer = valueWithin(send(), 150, () => 'late');
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  expect(await answer).toEqual({ outcome: 'refused', reason: 'HTTP 200' });
});

async function until200(send: () => Promise<unknown>): Promise<void> {
  while (JSON.stringify(await send()) !== '{"outcome":"refused","reason":"HTTP 200"}');
}
