import { expect, it } from 'vitest';
import { releaseOnFailure, Releasers } from '../../src/app/releasers.ts';

it('releases everything in reverse order, also after a release has failed, and reports the first failure', async () => {
  const releasers = new Releasers();
  const released: string[] = [];
  releasers.add(() => released.push('first'));
  releasers.add(() => {
    throw new Error('a later failure');
  });
  releasers.add(async () => {
    throw new Error('the first failure');
  });
  releasers.add(() => released.push('last'));
  await expect(releasers.run()).rejects.toThrow('the first failure');
  expect(released).toEqual(['last', 'first']);
});

it('reports why a start failed, and not what could not be released', async () => {
  const released: string[] = [];
  const starting = releaseOnFailure(async (releasers) => {
    releasers.add(() => released.push('database'));
    releasers.add(() => {
      throw new Error('cannot be released');
    });
    throw new Error('the port is taken');
  });
  await expect(starting).rejects.toThrow('the port is taken');
  expect(released).toEqual(['database']);
});
