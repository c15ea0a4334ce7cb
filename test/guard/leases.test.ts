/** What a process holds of the shared budgets. */
import { expect, it } from 'vitest';
import type { BudgetNeed } from '../../src/guard/destination.ts';
import { LeaseBook, type Settlement, type TakenBudgets } from '../../src/guard/leases.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;
const at = (time: number) => () => new Date(time);
const need = (name: string): BudgetNeed =>
  ({ name, rule: 'country-sends', units: 1, largestBlock: 10, cap: 100 }) as unknown as BudgetNeed;
const unused: Settlement = { grants: new Map(), denials: new Map(), isUsed: false };
const grantOf = (name: string, until: number): Settlement => ({
  grants: new Map([[name, { units: 10, until: new Date(until) }]]),
  denials: new Map(),
  isUsed: true,
});

/** A reservation that ends when the test settles it. */
function take(book: LeaseBook, name: string, now: number): Promise<TakenBudgets & { settle(how: Settlement): void }> {
  return new Promise((resolve, reject) => {
    const reservation = book.reserve([need(name)], at(now), async (taken, report) => {
      const settlement = await new Promise<Settlement>((settle) => resolve({ ...taken, settle }));
      report(settlement);
    });
    reservation.catch(reject);
  });
}

/** A reservation that has ended. */
async function reserve(book: LeaseBook, name: string, now: number, settlement: Settlement): Promise<TakenBudgets> {
  return book.reserve([need(name)], at(now), async (taken, report) => {
    report(settlement);
    return taken;
  });
}

/** Takes one unit of a new lease that ends at `until`. */
async function lease(book: LeaseBook, name: string, now: number, until: number): Promise<void> {
  await reserve(book, name, now, grantOf(name, until));
}

it('a send that was refused gives back what it held, and the next one finds it', async () => {
  const book = new LeaseBook();
  await lease(book, 'kept', noon, noon + hour);
  const unfinished = await take(book, 'kept', noon);
  expect(unfinished.covered).toHaveLength(1);
  unfinished.settle(unused);
  const next = await take(book, 'kept', noon);
  expect([next.covered.length, next.wanted.length]).toEqual([1, 0]);
});

it('a send waits for the one that leases the same budget', async () => {
  const book = new LeaseBook();
  const unfinished = await take(book, 'wanted', noon);
  const waiting = take(book, 'wanted', noon);
  unfinished.settle(grantOf('wanted', noon + hour));
  expect((await waiting).covered).toHaveLength(1);
});

it('a refused lease is not requested again for two seconds', async () => {
  const book = new LeaseBook();
  const denials = new Map([['closed', new Date(noon + hour)]]);
  await reserve(book, 'closed', noon, { ...unused, denials });
  expect((await take(book, 'closed', noon + 1999)).denied).toHaveLength(1);
  expect((await take(book, 'closed', noon + 2000)).wanted).toHaveLength(1);
});

it('a reservation that fails before it reports does not keep the next one waiting', async () => {
  const book = new LeaseBook();
  await lease(book, 'wanted', noon, noon + hour);
  const failing = book.reserve([need('new'), need('wanted')], at(noon), () => {
    throw new Error('the rules cannot be judged');
  });
  await expect(failing).rejects.toThrow('the rules cannot be judged');
  expect((await take(book, 'new', noon)).wanted).toHaveLength(1);
  expect((await take(book, 'wanted', noon)).covered).toHaveLength(1);
});

/** Sends at an even rate for some seconds. Returns the blocks that were leased. */
async function sendEvenly(book: LeaseBook, perSecond: number, seconds: number): Promise<number[]> {
  const blocks: number[] = [];
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const now = noon + (sent * 1000) / perSecond;
    const needs = [{ ...need('sends GB'), cap: 100_000, largestBlock: 1000 }];
    await book.reserve(needs, at(now), async ({ wanted }, report) => {
      blocks.push(...wanted.map(({ block }) => block));
      const grants = new Map(wanted.map(({ name, block }) => [name, { units: block, until: new Date(noon + hour) }]));
      report({ grants, denials: new Map(), isUsed: true });
    });
  }
  return blocks;
}

it('a block is as large as what is used in a quarter of a second', async () => {
  expect(new Set(await sendEvenly(new LeaseBook(), 3, 10))).toEqual(new Set([1]));
  const busy = await sendEvenly(new LeaseBook(), 400, 10);
  expect(busy.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
  expect(busy.slice(10).every((block) => block >= 90 && block <= 110)).toBe(true);
  expect(busy.length).toBeLessThan(60);
});

it('a block is never more than its share of the cap', async () => {
  const blocks = await sendEvenly(new LeaseBook(), 10_000, 2);
  expect(Math.max(...blocks)).toBe(1000);
});

it('units that are not used are given back once, with the day of their budget', async () => {
  const book = new LeaseBook();
  await lease(book, 'sends GB', noon, noon + hour);
  expect(book.takeUnused(new Date(noon + 4999), 5000)).toEqual([]);
  expect(book.takeUnused(new Date(noon + 5000), 5000)).toEqual([{ name: 'sends GB', day: '2026-01-01', units: 9 }]);
  expect(book.takeUnused(new Date(noon + 5000), 0)).toEqual([]);
  expect((await take(book, 'sends GB', noon + 5000)).wanted).toHaveLength(1);
  // A budget whose day has ended takes nothing back.
  await lease(book, 'spend', noon, noon + hour);
  expect(book.takeUnused(new Date(noon + hour), 0)).toEqual([]);
});
