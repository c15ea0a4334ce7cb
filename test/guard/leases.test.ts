/** What a process holds of the shared budgets, when callers name many prefixes. */
import { expect, it } from 'vitest';
import type { BudgetNeed } from '../../src/guard/destination.ts';
import { LeaseBook } from '../../src/guard/leases.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;
const at = (time: number) => () => new Date(time);
const need = (name: string): BudgetNeed =>
  ({ name, rule: 'prefix', units: 1, block: 10, cap: 100 }) as unknown as BudgetNeed;
const grantOf = (name: string, until: number) => new Map([[name, { units: 10, until: new Date(until) }]]);

/** Takes one unit of a new lease that ends at `until`. */
async function lease(book: LeaseBook, name: string, now: number, until: number): Promise<void> {
  (await book.take([need(name)], at(now))).settle(grantOf(name, until), new Map(), true);
}

it('a leased budget is kept, however many names are refused a lease', async () => {
  const book = new LeaseBook();
  await lease(book, 'kept', noon, noon + hour);
  const unfinished = await book.take([need('kept')], at(noon));
  expect(unfinished.covered).toHaveLength(1);
  for (let number = 0; number < 60_000; number += 1) {
    (await book.take([need(`prefix ${number}`)], at(noon))).settle(new Map(), new Map(), false);
  }
  // A send that was refused gives back what it held, and the next one finds it.
  unfinished.settle(new Map(), new Map(), false);
  const next = await book.take([need('kept')], at(noon));
  expect([next.covered.length, next.wanted.length]).toEqual([1, 0]);
  expect(book.size).toBeLessThan(10);
});

it('leases whose window has passed are removed, as fast as new ones come', async () => {
  const book = new LeaseBook();
  for (let number = 0; number < 20_000; number += 1) await lease(book, `first ${number}`, noon, noon + hour);
  expect(book.size).toBe(20_000);
  const later = noon + hour;
  for (let number = 0; number < 20_000; number += 1) await lease(book, `second ${number}`, later, later + hour);
  expect(book.size).toBe(20_000);
  expect((await book.take([need('second 0')], at(later))).covered).toHaveLength(1);
});

it('there are never more than 50,000 leases, and one that goes is asked for again', async () => {
  const book = new LeaseBook();
  for (let number = 0; number < 60_000; number += 1) await lease(book, `prefix ${number}`, noon, noon + hour);
  expect(book.size).toBeLessThanOrEqual(50_000);
  expect((await book.take([need('prefix 59999')], at(noon))).covered).toHaveLength(1);
  let askedAgain = 0;
  for (let number = 0; number < 60_000; number += 1) {
    const taken = await book.take([need(`prefix ${number}`)], at(noon));
    taken.settle(new Map(), new Map(), false);
    askedAgain += taken.wanted.length;
  }
  expect(askedAgain).toBeGreaterThanOrEqual(10_000);
});

it('a lease that a reservation is bringing is not removed', async () => {
  const book = new LeaseBook();
  const unfinished = await book.take([need('wanted')], at(noon));
  for (let number = 0; number < 60_000; number += 1) await lease(book, `prefix ${number}`, noon, noon + hour);
  const waiting = book.take([need('wanted')], at(noon));
  unfinished.settle(grantOf('wanted', noon + hour), new Map(), true);
  expect((await waiting).covered).toHaveLength(1);
});

it('a refused lease is not requested again for two seconds', async () => {
  const book = new LeaseBook();
  const denials = new Map([['closed', new Date(noon + hour)]]);
  (await book.take([need('closed')], at(noon))).settle(new Map(), denials, false);
  for (let number = 0; number < 10; number += 1) await lease(book, `prefix ${number}`, noon, noon + hour);
  expect((await book.take([need('closed')], at(noon + 1999))).denied).toHaveLength(1);
  expect((await book.take([need('closed')], at(noon + 2000))).wanted).toHaveLength(1);
});
