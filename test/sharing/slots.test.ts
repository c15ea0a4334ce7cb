import { expect, it, onTestFinished } from 'vitest';
import { CallerGone, Problem } from '../../src/errors.ts';
import { Slots, serviceItself, type Owner } from '../../src/sharing/slots.ts';
import { until } from '../harness/until.ts';

const client = (key: string): Owner => ({ key, kind: 'client' });
const user = (key: string): Owner => ({ key, kind: 'user' });

/** Work that ends when it is told to, and what has started so far. */
function workshop(slots: Slots) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  async function end(name: string): Promise<void> {
    ends.get(name)!();
    ends.delete(name);
    // The next work starts in the microtasks that follow.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // What still waits in line would be refused while another file runs.
  onTestFinished(async () => {
    while (ends.size > 0) await end([...ends.keys()][0]!);
  });
  return {
    started,
    end,
    run: (owner: Owner, name: string) =>
      slots.run(owner, () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
  };
}

const reasonOf = (error: unknown) => (error instanceof Problem ? error.details.reason : error);

it('gives a client all slots but one, and a user a quarter', async () => {
  const slots = new Slots({ slots: 8, waiting: 10, waitMilliseconds: 60_000, retrySeconds: 1 });
  const { run, started } = workshop(slots);
  for (let index = 0; index < 8; index += 1) void run(client('a'), `a${index}`);
  for (let index = 0; index < 8; index += 1) void run(user('b'), `b${index}`).catch(() => {});
  await until(() => slots.running === 8);
  expect(started).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1']);
});

it('serves callers in turn, and the work of one caller in order', async () => {
  const slots = new Slots({ slots: 1, waiting: 100, waitMilliseconds: 60_000, retrySeconds: 1 });
  const { run, started, end } = workshop(slots);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void run(client(name[0]!), name);
  for (let index = 0; index < 6; index += 1) {
    await until(() => started.length === index + 1);
    await end(started[index]!);
  }
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect([slots.running, slots.waiting]).toEqual([0, 0]);
});

it('refuses what finds no place in line, and tells a caller that has its share of streams', async () => {
  const line = new Slots({ slots: 1, waiting: 16, waitMilliseconds: 60_000, retrySeconds: 3 });
  const inLine = workshop(line);
  void inLine.run(user('a'), 'a1');
  void inLine.run(user('a'), 'a2');
  // One place of sixteen is a user's.
  const refused = await inLine.run(user('a'), 'a3').catch((error: unknown) => error as Problem);
  expect((refused as Problem).details).toMatchObject({ reason: 'overloaded', status: 503, retryAfterSeconds: 3 });
  expect(line.waiting).toBe(1);

  const streams = new Slots({ slots: 2, waiting: 0, waitMilliseconds: 0, retrySeconds: 1 });
  await streams.take(client('a'));
  expect(await streams.take(client('a')).catch(reasonOf)).toBe('too-many-streams');
  await streams.take(client('b'));
  expect(await streams.take(client('c')).catch(reasonOf)).toBe('overloaded');
});

it('lets no caller wait longer than its time limit', async () => {
  const slots = new Slots({ slots: 1, waiting: 10, waitMilliseconds: 10, retrySeconds: 1 });
  const release = await slots.take(serviceItself);
  expect(await slots.take(client('a')).catch(reasonOf)).toBe('overloaded');
  release();
  expect([slots.running, slots.waiting]).toEqual([0, 0]);
  (await slots.take(client('a')))();
});

it('forgets work whose caller leaves while it waits', async () => {
  const slots = new Slots({ slots: 1, waiting: 10, waitMilliseconds: 60_000, retrySeconds: 1 });
  const release = await slots.take(serviceItself);
  const leaver = new AbortController();
  const left = slots.take({ ...client('a'), signal: leaver.signal }).catch((error: unknown) => error);
  const stays = slots.take(client('b'));
  leaver.abort();
  expect(await left).toBeInstanceOf(CallerGone);
  release();
  (await stays)();
  expect(await slots.take({ ...client('a'), signal: leaver.signal }).catch((error: unknown) => error)).toBeInstanceOf(
    CallerGone,
  );
  expect([slots.running, slots.waiting]).toEqual([0, 0]);
});

it('gives the slot back when work fails', async () => {
  const slots = new Slots({ slots: 1, waiting: 0, waitMilliseconds: 0, retrySeconds: 1 });
  for (let round = 0; round < 3; round += 1) {
    await expect(slots.run(client('a'), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  }
  expect(slots.running).toBe(0);
});
