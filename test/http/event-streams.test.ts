/** The life of an event stream, before and while it is read. */
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Caller } from '../../src/auth/caller.ts';
import { createEventStreams } from '../../src/http/event-streams.ts';

const caller = (expiresAt: Date) => ({ subject: 'someone', expiresAt }) as Caller;

it('a stream whose token expires before its source has begun ends once, and sends nothing after its end', async () => {
  const stopping = new AbortController();
  const streams = createEventStreams({ clock: { now: () => new Date() }, stopping: stopping.signal });
  const stream = streams.open(caller(new Date(0)), { key: 'client a', kind: 'client' }, 'a topic');
  await streams.run();
  await streams.run();
  stream.send({ event: 'late', data: '{}' });
  stopping.abort();
  const { body } = await stream.replyAfter(Promise.resolve(() => {}));
  expect((await text(body as NodeJS.ReadableStream)).match(/^event: \w+/gm)).toEqual(['event: expired']);
  expect(await streams.run(), 'whether streams are open').toBe(false);
});

it('streams are shared: one client gets three quarters of them, and the others still get theirs', () => {
  const streams = createEventStreams({ clock: { now: () => new Date() }, stopping: new AbortController().signal });
  const open = (client: string, topic: string) =>
    streams.open(caller(new Date()), { key: `client ${client}`, kind: 'client' }, topic);
  for (let count = 0; count < 3750; count += 1) open('a', `topic ${count}`);
  expect(() => open('a', 'one more')).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ status: 429 }) }),
  );
  open('b', 'another topic').end();
});
