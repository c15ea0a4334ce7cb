/** State that is read from several places at once: the answers may come in any order. */
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readLimits } from '../../src/guard/limits.ts';
import { createLiveGuard, type GuardState } from '../../src/guard/live.ts';
import { configuredModes } from '../../src/guard/rules.ts';
import { createDigest } from '../../src/guard/source.ts';
import { ServiceClock } from '../../src/values/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxStore } from '../../src/sandbox/sandbox.store.ts';
import type { Inbox } from '../../src/sms/inbox.ts';

/** Reads that are answered by hand. */
function createReads<T>() {
  const answers: ((state: T) => void)[] = [];
  return {
    read: () => new Promise<T>((resolve) => answers.push(resolve)),
    answer: (place: number, state: T) => answers[place]!(state),
  };
}

it('a read of the rules that ends late does not undo a newer one', async () => {
  const { read, answer } = createReads<GuardState>();
  const config = loadConfig({});
  const live = createLiveGuard(
    read,
    readLimits(config),
    configuredModes(false, config.rules),
    createDigest(Buffer.alloc(32)),
  );
  const [early, late] = [live.refresh(), live.refresh()];
  answer(1, { modes: [{ rule: 'prefix', mode: 'enforce' }], safe: [{ key: '+4474', isPrefix: true }] });
  await late;
  answer(0, { modes: [], safe: [] });
  await early;
  expect([live.modes.prefix, live.isSafe('+447400123456')]).toEqual(['enforce', true]);
  const next = live.refresh();
  answer(2, { modes: [], safe: [] });
  await next;
  expect([live.modes.prefix, live.isSafe('+447400123456')]).toEqual(['off', false]);
});

it('a read of the clock that ends late does not undo a newer one', async () => {
  const { read, answer } = createReads<number>();
  const clock = new ServiceClock();
  const sandbox = createSandbox({
    store: { readClock: read } as SandboxStore,
    clock,
    inbox: {} as Inbox,
    forget: () => {},
    notifyOthers: async () => {},
  });
  const [early, late] = [sandbox.follow(), sandbox.follow()];
  answer(1, 3600);
  await late;
  answer(0, 0);
  await early;
  expect(clock.aheadSeconds).toBe(3600);
});
