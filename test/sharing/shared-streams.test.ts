/** Streams that callers read at their own speed. */
import { expect, it } from 'vitest';
import { SharedStreams } from '../../src/sharing/shared-streams.ts';
import type { Owner } from '../../src/sharing/slots.ts';
import { until } from '../harness/until.ts';

/** A user with streams, all of which end together. */
function user(key: string) {
  const closes: (() => void)[] = [];
  const person = {
    isEnded: false,
    owner: {
      key,
      kind: 'user',
      disconnect() {
        person.isEnded = true;
        for (const close of closes) close();
      },
    } satisfies Owner,
    async open(streams: SharedStreams, isRead: boolean) {
      const stream = await streams.open(person.owner);
      closes.push(stream.close);
      stream.waitForReader();
      if (isRead) stream.goOn();
    },
  };
  return person;
}

const reasonOf = (error: { details: { reason: string } }) => error.details.reason;

it('the slowest stream of the caller with the most gives way to a caller with fewer', async () => {
  const streams = new SharedStreams(8);
  const [alone, first, second, fast, newcomer] = ['alone', 'first', 'second', 'fast', 'newcomer'].map(user);
  await alone!.open(streams, false);
  for (const person of [first!, second!]) for (const _ of [1, 2]) await person.open(streams, false);
  for (const _ of [1, 2]) await fast!.open(streams, true);
  await user('other').open(streams, true);
  expect(streams.use.running).toBe(8);
  await newcomer!.open(streams, true);
  expect([alone, first, second, fast].map((person) => person!.isEnded)).toEqual([false, true, false, false]);
});

it('a caller that has its share is refused, and ends no stream of another caller', async () => {
  const streams = new SharedStreams(8);
  const [slow, greedy] = [user('slow'), user('greedy')];
  for (const _ of [1, 2]) await slow.open(streams, false);
  for (const _ of [1, 2]) await greedy.open(streams, false);
  expect(await greedy.open(streams, false).catch(reasonOf)).toBe('too-many-streams');
  expect(slow.isEnded).toBe(false);
});

it('streams whose callers read are not ended: another caller waits for a free one', async () => {
  const streams = new SharedStreams(2);
  const [first, second] = [user('first'), user('second')];
  await first.open(streams, true);
  await second.open(streams, true);
  const opened = user('third').open(streams, true);
  await until(() => streams.use.waiting === 1);
  first.owner.disconnect();
  await opened;
  expect(second.isEnded).toBe(false);
});
