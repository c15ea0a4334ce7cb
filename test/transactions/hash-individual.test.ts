import fc from 'fast-check';
import postgres from 'postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { hashIndividual, rangeOf } from '../../src/transactions/hash-individual.ts';

const someId = fc.integer({ min: 1, max: 2_147_483_647 });

it('the hash of an individual is that of PostgreSQL', async () => {
  const sql = postgres(inject('clusterUrl'), { max: 1 });
  onTestFinished(() => sql.end());
  const ids = [1, 2, 17, 500_000, 2_147_483_647, ...fc.sample(someId, 200)];
  const rows =
    await sql`select hashint4(i.id) as hash from unnest(${ids}::int[]) with ordinality as i (id, place) order by place`;
  expect(ids.map(hashIndividual)).toEqual(rows.map(({ hash }) => hash));
});

it('ranges of hashes take about as many individuals each, and every individual', () => {
  for (const rangeCount of [1, 2, 3, 32]) {
    const counts = new Map<number, number>();
    for (let id = 1; id <= 32_000; id += 1) {
      const range = rangeOf(id, rangeCount);
      counts.set(range, (counts.get(range) ?? 0) + 1);
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: rangeCount }, (_, range) => range));
    expect(Math.min(...counts.values())).toBeGreaterThan((0.8 * 32_000) / rangeCount);
  }
});
