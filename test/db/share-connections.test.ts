import { expect, it } from 'vitest';
import { shareConnections } from '../../src/db/database.ts';

it('shares out exactly as many connections as there are, at least one for each use', () => {
  for (let connections = 4; connections <= 200; connections += 1) {
    const shares = Object.values(shareConnections(connections));
    expect([connections, shares.reduce((sum, share) => sum + share, 0)]).toEqual([connections, connections]);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
  }
});
