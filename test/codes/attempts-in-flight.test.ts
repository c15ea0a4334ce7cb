import { expect, it } from 'vitest';
import { AttemptsInFlight } from '../../src/codes/attempts-in-flight.ts';

it('an attempt does not wait if no other attempt of the user is in progress', () => {
  const inFlight = new AttemptsInFlight();
  inFlight.begin(1).end();
  inFlight.begin(2);
  expect(inFlight.begin(1).others()).toBeUndefined();
});

it('an attempt waits for those that began before it and after it, of the same user', async () => {
  const inFlight = new AttemptsInFlight();
  const before = inFlight.begin(1);
  const own = inFlight.begin(1);
  const after = inFlight.begin(1);
  const events: string[] = [];
  const waiting = own.others()!.then(() => events.push('others are decided'));
  own.end();
  before.end();
  await new Promise((resolve) => setImmediate(resolve));
  events.push('last one');
  after.end();
  await waiting;
  expect(events).toEqual(['last one', 'others are decided']);
});

it('an attempt knows that another one ran at the same time, also when that one has ended', async () => {
  const inFlight = new AttemptsInFlight();
  const first = inFlight.begin(1);
  const second = inFlight.begin(1);
  second.end();
  expect(await first.others()).toEqual([]);
  const third = inFlight.begin(1);
  first.end();
  expect(await third.others()).toEqual([]);
});
