/** Hundreds of checks at once, over two nodes with one database. */
import { describe, expect, it } from 'vitest';
import { confirmationCalls, pathOf, terms, type Pending } from '../harness/confirmations.ts';
import { startNodes } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

const checks = sized(300, 1000);

/** Two nodes, and a caller that asks them in turn. */
async function startPair() {
  const nodes = await startNodes(2, { LEDGERLINE_STATEMENT_SECONDS: '60', LEDGERLINE_REQUESTS: '2000' });
  const { pending, stateOf } = confirmationCalls(() => nodes[0]!);
  const check = ({ id, confirmationId, code }: Pending, index: number, changes: Record<string, string> = {}) =>
    nodes[index % 2]!.call(pathOf(id, confirmationId, 'check'), { code, ...terms, ...changes });
  return { check, pending, stateOf };
}

describe('parallel checks over two nodes', { timeout: 240_000 }, () => {
  it('of one right code: one succeeds, and the others are 400 or 429', async () => {
    const { check, pending, stateOf } = await startPair();
    const confirmation = await pending();
    const answers = await Promise.all(Array.from({ length: checks }, (_, index) => check(confirmation, index)));
    const counts = new Map<number, number>();
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(counts.get(200)).toBe(1);
    expect((counts.get(400) ?? 0) + (counts.get(429) ?? 0) + (counts.get(503) ?? 0)).toBe(checks - 1);
    expect(counts.get(400)).toBeLessThanOrEqual(10);
    expect(await stateOf(confirmation.id, confirmation.confirmationId)).toBe('approved');
  });

  it('half of them with a changed amount: one check with the right amount succeeds, or the confirmation is void', async () => {
    const { check, pending, stateOf } = await startPair();
    for (let round = 0; round < sized(15, 40); round += 1) {
      const confirmation = await pending();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          check(confirmation, index, index % 2 === round % 2 ? { amount: '2490' } : {}),
        ),
      );
      const approved = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
      const state = await stateOf(confirmation.id, confirmation.confirmationId);
      expect(approved.length).toBe(state === 'approved' ? 1 : 0);
      expect(approved.every((index) => index % 2 !== round % 2)).toBe(true);
      expect(['approved', 'void']).toContain(state);
    }
  });
});
