/** The channel between the primary and a worker, over a real pair of ports. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { openChannel, type Answerer, type Port } from '../../src/app/processes/channel.ts';

function portOver(port: MessagePort): Port {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (take) => void port.on('message', take),
  };
}

function connected(answerers: Record<string, Answerer>) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const errors: unknown[] = [];
  const asking = openChannel(portOver(port1), {}, (error) => errors.push(error));
  openChannel(portOver(port2), answerers, (error) => errors.push(error));
  return { asking, errors };
}

it('reports an answer that fails, and tells the other process at once', async () => {
  const { asking, errors } = connected({
    rejects: async () => {
      throw new Error('rejected');
    },
    throws: () => {
      throw new Error('thrown');
    },
    works: (body) => body,
  });
  expect(await asking.ask('rejects')).toBeUndefined();
  expect(await asking.ask('throws')).toBeUndefined();
  expect(errors.map((error) => (error as Error).message)).toEqual(['rejected', 'thrown']);
  expect(await asking.ask('works', 7)).toBe(7);
});

it('does not wait for an answer to a message that cannot be delivered', async () => {
  const asking = openChannel({ send: (_, onFailure) => onFailure(), onMessage: () => {} }, {}, () => {});
  expect(await asking.ask('anything')).toBeUndefined();
});
