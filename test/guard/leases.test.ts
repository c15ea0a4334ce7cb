/** What a process holds of the shared budgets, when many names come by. */
import { expect, it } from 'vitest';
import type { Need } from '../../src/guard/rules.ts';
import { LeaseBook } from '../../src/guard/leases.ts';

const now = () => new Date('2026-01-01T12:00:00Z');
const need = (name: string): Need => ({ name, rule: 'prefix', units: 1, block: 10, cap: 100 }) as unknown as Need;
const granted = new Map([['kept', { units: 10, until: new Date('2026-01-02T00:00:00Z') }]]);

it('a budget that is held or on its way stays, however many names nobody was granted come by', async () => {
  const book = new LeaseBook();
  (await book.take([need('kept')], now)).settle(granted, new Map(), true);
  const pending = await book.take([need('kept')], now);
  expect(pending.held).toHaveLength(1);
  for (let number = 0; number < 60_000; number += 1) {
    (await book.take([need(`prefix ${number}`)], now)).settle(new Map(), new Map(), false);
  }
  // A send that was refused gives back what it held, and the next one finds it.
  pending.settle(new Map(), new Map(), false);
  const next = await book.take([need('kept')], now);
  expect([next.held.length, next.wanted.length]).toEqual([1, 0]);
});
