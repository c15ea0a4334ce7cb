/** Work that must not overlap. */
import { expect, it } from 'vitest';
import { oneByOne } from '../../src/sharing/one-by-one.ts';

it('runs calls in their order, never two at the same time, and gives each its own result', async () => {
  const log: string[] = [];
  const run = oneByOne(async (name: string) => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.push(`${name} ends`);
    return name;
  });
  expect(await Promise.all(['a', 'b', 'c'].map((name) => run(name)))).toEqual(['a', 'b', 'c']);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('runs the next call after one that failed, and rejects only that one', async () => {
  let calls = 0;
  const run = oneByOne(async () => {
    calls += 1;
    if (calls === 1) throw new Error('the first one');
    return calls;
  });
  const first = run();
  const second = run();
  await expect(first).rejects.toThrow('the first one');
  expect(await second).toBe(2);
  expect(await run()).toBe(3);
});
