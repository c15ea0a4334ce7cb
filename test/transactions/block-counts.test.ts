/** What a process remembers of the blocks of large individuals. */
import { expect, it } from 'vitest';
import { BlockCounts } from '../../src/transactions/list/block-counts.ts';
import { findPlaces, makeSlices, type CountedBlock } from '../../src/transactions/list/block-places.ts';

const block = (startTime: string, rows: number | undefined, version: string | null = '1'): CountedBlock => ({
  startTime,
  version,
  rowCount: 100,
  rows,
});

it('a count is remembered for its individual, filter and block, until the block changes', () => {
  const counts = new BlockCounts();
  counts.of(1, { search: 'ada' }).set(block('a', 7));
  expect(counts.of(1, { search: 'ada' }).get(block('a', undefined))).toEqual({ rows: 7, keys: undefined });
  expect(counts.of(1, { search: 'ada' }).get(block('a', undefined, '2'))).toBeUndefined();
  expect(counts.of(1, { search: 'ada' }).get(block('b', undefined))).toBeUndefined();
  expect(counts.of(1, { search: 'grace' }).get(block('a', undefined))).toBeUndefined();
  expect(counts.of(1, { search: 'ada', currency: 'eur' }).get(block('a', undefined))).toBeUndefined();
  expect(counts.of(2, { search: 'ada' }).get(block('a', undefined))).toBeUndefined();
});

it('the count of a block that the list cuts is not remembered', () => {
  const counts = new BlockCounts();
  counts.of(1, { search: 'ada' }).set(block('a', 7, null));
  expect(counts.of(1, { search: 'ada' }).get(block('a', undefined, null))).toBeUndefined();
});

it('the filters that were used longest ago are forgotten first, and keys count', () => {
  const counts = new BlockCounts(2000);
  counts.of(1, { search: 'first' }).set(block('a', 1));
  counts.of(1, { search: 'second' }).set(block('a', 2));
  counts.of(1, { search: 'first' });
  const keys: [string, string][] = Array.from({ length: 8 }, (_, index) => ['2026-01-01', String(index)]);
  counts.of(1, { search: 'third' }).set({ ...block('a', 8), keys });
  expect(counts.of(1, { search: 'second' }).get(block('a', undefined))).toBeUndefined();
  expect(counts.of(1, { search: 'first' }).get(block('a', undefined))?.rows).toBe(1);
  expect(counts.of(1, { search: 'third' }).get(block('a', undefined))?.keys).toHaveLength(8);
});

it('a page is found in the blocks that hold its rows', () => {
  const blocks = [block('a', 5), block('b', 0), block('c', 3), block('d', 10)];
  const starts = (offset: number, size: number) => {
    const { count, skip, blocks: found } = findPlaces(blocks, offset, size);
    return { count, skip, starts: found.map(({ startTime }) => startTime) };
  };
  expect(starts(0, 5)).toEqual({ count: 18, skip: 0, starts: ['a'] });
  expect(starts(4, 5)).toEqual({ count: 18, skip: 4, starts: ['a', 'c', 'd'] });
  expect(starts(8, 10)).toEqual({ count: 18, skip: 0, starts: ['d'] });
  expect(starts(18, 10)).toEqual({ count: 18, skip: 0, starts: [] });
});

it('blocks are counted in slices of about as many rows', () => {
  const blocks = Array.from({ length: 5 }, (_, index) => block(String(index), undefined));
  expect(makeSlices(blocks, 200).map((slice) => slice.length)).toEqual([2, 2, 1]);
  expect(makeSlices(blocks, 50).map((slice) => slice.length)).toEqual([1, 1, 1, 1, 1]);
  expect(makeSlices([], 50)).toEqual([]);
});
