import { expect, it, onTestFinished } from 'vitest';
import { run } from '../harness/process.ts';
import { cloneDatabase } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

const count = sized(5, 8);

it('many migrate at once on an empty database: one applies everything, the others wait and find nothing to do', async () => {
  for (let round = 0; round < sized(1, 2); round += 1) {
    const database = await cloneDatabase('template1');
    onTestFinished(database.drop);
    const runs = await Promise.all(
      Array.from({ length: count }, () => run(['migrate'], { DATABASE_URL: database.url })),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(Array(count).fill([0, '']));
    const [first, ...others] = runs.map(({ stdout }) => stdout).toSorted();
    expect(first).toMatch(/^Applied 0001_schema\.sql, /);
    expect(others).toEqual(Array(count - 1).fill('The schema is up to date.\n'));
  }
}, 120_000);
