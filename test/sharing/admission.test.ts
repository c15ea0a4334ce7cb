import { beforeEach, expect, it } from 'vitest';
import { Admission } from '../../src/sharing/admission.ts';
import type { Owner } from '../../src/sharing/slots.ts';

let now = 0;
let admission: Admission;
beforeEach(() => {
  now = 0;
  admission = new Admission(100, () => now);
});

const owner = (kind: Owner['kind'], key = kind as string): Owner => ({ key, kind });

/** How many of so many requests are let in. */
function enter(count: number, caller: Owner): Owner[] {
  const entered: Owner[] = [];
  for (let index = 0; index < count; index += 1) {
    try {
      const each = { ...caller };
      admission.enter(each);
      entered.push(each);
    } catch {
      break;
    }
  }
  return entered;
}

it('lets a burst in, up to four times the limit', () => {
  expect(enter(1000, owner('client'))).toHaveLength(400);
  expect(admission.findRefusal()?.message).toContain('busy');
});

it('lets one user have a quarter of a burst', () => {
  expect(enter(1000, owner('user', 'a'))).toHaveLength(100);
  expect(enter(1000, owner('user', 'b'))).toHaveLength(100);
  expect(enter(1000, owner('client'))).toHaveLength(200);
});

it('keeps to the limit when it has been reached for a second, and to each caller’s share', () => {
  const burst = enter(300, owner('client'));
  now = 999;
  expect(enter(1, owner('client'))).toHaveLength(1);
  now = 1000;
  expect(enter(1, owner('client'))).toHaveLength(0);
  for (const each of burst.splice(0, 230)) admission.leave(each);
  // 71 are left: the client has a share of 75, a user one of 25.
  expect(enter(10, owner('client'))).toHaveLength(4);
  expect(enter(10, owner('user', 'a'))).toHaveLength(10);
  expect(enter(30, owner('user', 'b'))).toHaveLength(15);
  expect(admission.findRefusal()?.message).toContain('busy');
});

it('tells a caller that has its share before its body is read; others still find room', () => {
  const burst = enter(150, owner('client'));
  now = 1000;
  expect(admission.findRefusal()?.message).toContain('busy');
  for (const each of burst.slice(0, 75)) admission.leave(each);
  expect(admission.findRefusal(owner('client'))?.message).toContain('busy');
  expect(admission.findRefusal(owner('client', 'another'))).toBeUndefined();
  expect(admission.findRefusal()).toBeUndefined();
});

it('stays closed as long as callers are turned away, and opens after a second of calm', () => {
  let active = enter(300, owner('client'));
  const step = (milliseconds: number, finished: number, asked: number) => {
    now += milliseconds;
    for (const each of active.splice(0, finished)) admission.leave(each);
    active = [...active, ...enter(asked, owner('client'))];
  };
  for (let tenths = 0; tenths < 10; tenths += 1) step(100, 10, 20);
  expect(active.length).toBeGreaterThan(300);
  // Far fewer are finished than ask, for many times as long as a burst lasts.
  for (let tenths = 0; tenths < 40; tenths += 1) step(100, 10, 20);
  for (let tenths = 0; tenths < 40; tenths += 1) {
    step(100, 10, 20);
    expect(active).toHaveLength(75);
  }
  step(0, 75, 0);
  step(900, 0, 400);
  expect(active).toHaveLength(75);
  step(0, 75, 0);
  step(1000, 0, 400);
  expect(active).toHaveLength(400);
});

it('refuses no request while requests are answered fast, however many there are at once', () => {
  const active = enter(300, owner('client'));
  for (let turns = 0; turns < 100; turns += 1) {
    now += 50;
    for (const each of active.splice(0, 100)) admission.leave(each);
    active.push(...enter(100, owner('client')));
    expect(active).toHaveLength(300);
  }
});

it('does not count requests that wait for something else', async () => {
  const [waiting] = enter(1, owner('client'));
  let end = () => {};
  const work = admission.outside(() => new Promise<void>((resolve) => (end = resolve)), waiting!);
  expect(admission.active).toBe(0);
  end();
  await work;
  expect(admission.active).toBe(1);
  // A stream of rows never counted, and does not count less than nothing.
  await admission.outside(async () => expect(admission.active).toBe(1), owner('client', 'stream'));
  admission.leave(waiting!);
  expect(admission.active).toBe(0);
});

it('counts a request that waits for two things at once as one, also if it leaves before they end', async () => {
  const [first, second] = enter(2, owner('client')) as [Owner, Owner];
  const ends: (() => void)[] = [];
  const wait = (caller: Owner) => admission.outside(() => new Promise<void>((resolve) => ends.push(resolve)), caller);
  const works = [wait(first), wait(first), wait(second)];
  expect(admission.active).toBe(0);
  admission.leave(second);
  ends[0]!();
  await works[0];
  expect(admission.active).toBe(0);
  for (const end of ends) end();
  await Promise.all(works);
  expect(admission.active).toBe(1);
  admission.leave(first);
  expect(admission.active).toBe(0);
});

it('leaves a caller whose requests only wait its share, and opens again while they do', async () => {
  let end = () => {};
  const gateway = new Promise<void>((resolve) => (end = resolve));
  const waiting = enter(80, owner('client'));
  const works = waiting.map((each) => admission.outside(() => gateway, each));
  // Others are too many and too slow for a second, and then done.
  const burst = enter(300, owner('client', 'another'));
  now = 1000;
  expect(admission.findRefusal()?.message).toContain('busy');
  for (const each of burst) admission.leave(each);
  for (; now < 5000; now += 200) expect(enter(1, owner('client')).map((each) => admission.leave(each))).toHaveLength(1);
  end();
  await Promise.all(works);
  for (const each of waiting) admission.leave(each);
  expect(admission.active).toBe(0);
});
