/** Time limits in a process that pauses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { inTime } from '../../src/db/sessions/route.ts';

/** A server in another process: it answers while this one pauses. */
async function startEcho(): Promise<number> {
  const program = `require('net').createServer((s) => s.pipe(s)).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(line.toString());
}

function pauseProcess(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('an answer that came while the process paused is in time', async () => {
  const socket = connect(await startEcho(), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('?');
  const answer = inTime(once(socket, 'data'), 100);
  // The answer arrives meanwhile, and the timer is due when the pause ends.
  pauseProcess(1000);
  expect(String((await answer)[0])).toBe('?');
});

it('a pause at any moment leaves time for an answer that takes several messages', async () => {
  const socket = connect(await startEcho(), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const talk = async () => {
    for (let message = 0; message < 5; message += 1) {
      socket.write('?');
      await once(socket, 'data');
    }
  };
  for (const before of [0, 150, 350]) {
    const answer = inTime(Promise.all([sleep(before).then(() => pauseProcess(1000)), sleep(before).then(talk)]), 500);
    await expect(answer, `a pause after ${before} ms`).resolves.toBeDefined();
  }
});

it('a missing answer is an error after the time limit, also if no time is left', async () => {
  const silent = new Promise<never>(() => {});
  for (const milliseconds of [10, 1, 0, -1]) {
    await expect(inTime(silent, milliseconds), `${milliseconds} ms`).rejects.toMatchObject({ code: 'PROBE_TIMEOUT' });
  }
});
