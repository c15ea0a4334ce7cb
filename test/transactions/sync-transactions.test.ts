/** POST /app/sync-transactions: what changed since an earlier call. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal, row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Changes {
  added: Record<string, unknown>[];
  modified: Record<string, unknown>[];
  removed: unknown[];
  nextCursor: string;
  hasMore: boolean;
}

const sync = (body: Record<string, unknown>, token?: string) =>
  service.call('/app/sync-transactions', body, token ? { token } : {});
const page = async (individualId: number, cursor?: string, more: object = {}): Promise<Changes> => {
  const { status, json } = await sync({ individualId, ...(cursor !== undefined && { cursor }), ...more });
  expect(status).toBe(200);
  return json;
};
const idsOf = ({ added, modified }: Changes) => [added, modified].map((rows) => rows.map((each) => each.transactionId));

async function readAll(individualId: number, known: Map<unknown, unknown>, cursor?: string, count = 100) {
  for (let last = cursor; ;) {
    const changes = await page(individualId, last, { count });
    for (const each of [...changes.added, ...changes.modified]) known.set(each.transactionId, each);
    last = changes.nextCursor;
    if (!changes.hasMore) return last;
  }
}

async function readList(individualId: number): Promise<Map<unknown, unknown>> {
  const { json } = await service.list({ individualId, dataBatchCount: 1000 });
  return new Map((json.transactions ?? []).map((each: Record<string, unknown>) => [each.transactionId, each]));
}

describe('a page', () => {
  it('of an individual without transactions is empty, and its cursor is valid', async () => {
    const id = await service.createUser();
    const empty = await page(id);
    expect(empty).toEqual({ added: [], modified: [], removed: [], nextCursor: expect.any(String), hasMore: false });
    expect(await page(id, empty.nextCursor)).toEqual(empty);
    await service.record([row(id, { transactionId: 'a' })]);
    expect(idsOf(await page(id, empty.nextCursor))).toEqual([['a'], []]);
  });

  it('has new rows as added, and rows that were recorded before the cursor as modified', async () => {
    const id = await service.createUser();
    await service.record([row(id, { transactionId: 'a' }), row(id, { transactionId: 'b' })]);
    const first = await page(id);
    expect(idsOf(first)).toEqual([['a', 'b'], []]);
    expect(first.added[0]).toEqual(
      (await service.call('/app/get-transaction', { transactionId: 'a', individualId: id })).json,
    );
    await service.record([
      row(id, { transactionId: 'a', paymentNotes: 'changed' }),
      row(id, { transactionId: 'c' }),
      row(id, { transactionId: 'b' }),
    ]);
    const second = await page(id, first.nextCursor);
    expect(idsOf(second)).toEqual([['c'], ['a']]);
    expect(second.modified[0]).toMatchObject({ paymentNotes: 'changed' });
    // A row that was created and changed after the cursor is added, once.
    expect(idsOf(await page(id))).toEqual([['b', 'a', 'c'], []]);
    expect(idsOf(await page(id, second.nextCursor))).toEqual([[], []]);
  });

  it('has at most count rows, added and modified together, and hasMore is exact', async () => {
    const id = await service.createUser();
    await service.record(['a', 'b', 'c'].map((transactionId) => row(id, { transactionId })));
    const all = await page(id, undefined, { count: 3 });
    expect([idsOf(all), all.hasMore]).toEqual([[['a', 'b', 'c'], []], false]);
    // One commit, over several pages.
    const first = await page(id, undefined, { count: 2 });
    expect([idsOf(first), first.hasMore]).toEqual([[['a', 'b'], []], true]);
    const second = await page(id, first.nextCursor, { count: 2 });
    expect([idsOf(second), second.hasMore]).toEqual([[['c'], []], false]);
    await service.record([row(id, { transactionId: 'b', paymentNotes: 'x' }), row(id, { transactionId: 'd' })]);
    const third = await page(id, all.nextCursor, { count: 1 });
    expect([idsOf(third), third.hasMore]).toEqual([[[], ['b']], true]);
    const fourth = await page(id, third.nextCursor, { count: 1 });
    expect([idsOf(fourth), fourth.hasMore]).toEqual([[['d'], []], false]);
  });

  it('shows a row that changes while the reader pages again, and never loses one', async () => {
    const id = await service.createUser();
    await service.record(['a', 'b', 'c'].map((transactionId) => row(id, { transactionId })));
    const first = await page(id, undefined, { count: 1 });
    // One that was read, and one that was not.
    await service.record(['a', 'c'].map((transactionId) => row(id, { transactionId, paymentNotes: 'new' })));
    const second = await page(id, first.nextCursor, { count: 10 });
    expect(idsOf(second)).toEqual([['b', 'c'], ['a']]);
  });

  it('a batch that changes nothing makes no change', async () => {
    const id = await service.createUser();
    await service.record([row(id, { transactionId: 'a' })]);
    const { nextCursor } = await page(id);
    await service.record([row(id, { transactionId: 'a' }), row(id, { transactionId: 'a', amount: '11' })]);
    expect(idsOf(await page(id, nextCursor))).toEqual([[], []]);
  });

  it('has details only if they are asked for, and a changed detail is a change', async () => {
    const id = await service.createUser();
    await service.record([row(id, { transactionId: 'a', reference: 'one' })]);
    const { nextCursor, added } = await page(id);
    expect(added[0]).not.toHaveProperty('reference');
    await service.record([row(id, { transactionId: 'a', reference: 'two' })]);
    expect((await page(id, nextCursor, { details: true })).modified).toMatchObject([{ reference: 'two' }]);
    expect((await page(id, nextCursor, { details: null })).modified[0]).not.toHaveProperty('reference');
  });

  it('has the demo individual’s rows, which no commit is counted for', async () => {
    const known = new Map<unknown, unknown>();
    await readAll(1, known, undefined, 70);
    const listed = await readList(1);
    expect(listed.size).toBeGreaterThan(300);
    expect(known).toEqual(listed);
  });
});

const unknown = refusal(400, 'Bad Request', 'Unknown individual.');

describe('a request is refused', () => {
  it('for a count out of range, a wrong type, an unknown individual', async () => {
    const id = await service.createUser();
    for (const count of [0, 1001, -1]) {
      const { status, json } = await sync({ individualId: id, count });
      expect([status, json.errors]).toEqual([400, { Count: ['The field Count must be between 1 and 1000.'] }]);
    }
    expect((await sync({ individualId: id, details: 'yes' })).status).toBe(400);
    expect((await sync({})).json.errors).toEqual({ IndividualId: ['The IndividualId field is required.'] });
    expect((await sync({ individualId: 2_000_000_000 })).json).toEqual(unknown);
  });

  it('for a cursor that is malformed, changed or of another individual', async () => {
    const [id, other] = [await service.createUser(), await service.createUser()];
    await service.record([row(id, { transactionId: 'a' }), row(other, { transactionId: 'a' })]);
    const { nextCursor } = await page(id);
    const flipped = nextCursor.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    const { headers } = await service.list({ individualId: id });
    const wrong = ['', ' ', 'x', nextCursor.slice(0, -1), `${nextCursor}A`, flipped, headers.get('as-of')];
    for (const cursor of [...wrong, (await page(other)).nextCursor]) {
      const { status, json } = await sync({ individualId: id, cursor });
      expect([cursor, status, Object.keys(json.errors)]).toEqual([cursor, 400, ['Cursor']]);
    }
    expect((await sync({ individualId: id, cursor: 7 })).status).toBe(400);
    expect((await sync({ individualId: id, cursor: null })).json.added).toHaveLength(1);
  });

  it('for another user’s token, and for an individual that was erased', async () => {
    const id = await service.createUser();
    await service.record([row(id, { transactionId: 'a' })]);
    const { nextCursor } = await page(id);
    expect((await sync({ individualId: id }, await service.token('transactions:read', id))).status).toBe(200);
    expect((await sync({ individualId: id }, await service.token('transactions:read', id + 1))).status).toBe(403);
    expect((await sync({ individualId: id }, await service.token('phone', id))).status).toBe(403);
    await service.call(`/User/${id}`, undefined, { method: 'DELETE' });
    expect((await sync({ individualId: id, cursor: nextCursor })).json).toEqual(unknown);
  });

  it('for a cursor from before the sandbox was emptied, or from a state that a restore took back', async () => {
    const emptied = await serviceForTest();
    const id = await emptied.createUser();
    await emptied.record([row(id, { transactionId: 'a' })]);
    const first = (await emptied.call('/app/sync-transactions', { individualId: id })).json.nextCursor;
    await emptied.record([row(id, { transactionId: 'b' })]);
    const second = (await emptied.call('/app/sync-transactions', { individualId: id })).json.nextCursor;
    const refused = async (cursor: string) =>
      (await emptied.call('/app/sync-transactions', { individualId: id, cursor })).status;
    await emptied.sql`update users set transaction_event_count = 1, transaction_count = 1 where id = ${id}`;
    await emptied.sql`delete from transactions where individual_id = ${id} and transaction_id = 'b'`;
    expect([await refused(first), await refused(second)]).toEqual([200, 400]);
    await emptied.call('/sandbox/data', undefined, { method: 'DELETE' });
    while ((await emptied.createUser()) < id);
    expect(await refused(first)).toBe(400);
  });
});

describe('a reader that follows the cursor', () => {
  /** A step: a batch of rows, each an id and a version of its note, or a page of so many rows. */
  const step = fc.oneof(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 1, max: 5 }),
  );

  it('gets exactly the pages that a model of the commits gives, at every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const id = await service.createUser();
        const model = new CommitModel();
        let cursor: string | undefined;
        for (const each of steps) {
          if (typeof each === 'number') {
            const changes = await page(id, cursor, { count: each });
            expect({ ids: idsOf(changes), hasMore: changes.hasMore }).toEqual(model.page(each));
            cursor = changes.nextCursor;
            continue;
          }
          await service.record(
            each.map(([number, version]) => row(id, { transactionId: `r${number}`, paymentNotes: String(version) })),
          );
          model.commit(each);
        }
      }),
      { numRuns: sized(15, 60) },
    );
  });

  it('holds the list in the end, whatever several writers do meanwhile, and never goes back', async () => {
    const id = await service.createUser();
    const [writers, batches] = [4, sized(15, 60)];
    /** The version of each row that was answered to its writer. */
    const answered = new Map<string, number>();
    let isWriting = true;
    const write = async (writer: number) => {
      for (let batch = 0; batch < batches; batch += 1) {
        const rows = Array.from({ length: 1 + ((batch * 7) % 60) }, (_, index) => {
          const transactionId = `w${writer}-${(index * (batch + 3)) % 90}`;
          return row(id, { transactionId, paymentNotes: String(batch + 1) });
        });
        await service.record(rows);
        for (const { transactionId } of rows) answered.set(String(transactionId), batch + 1);
      }
    };
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(() => {
      isWriting = false;
    });
    const known = new Map<unknown, number>();
    let cursor: string | undefined;
    let pages = 0;
    for (;;) {
      const expected = isWriting ? new Map(answered) : await writing.then(() => new Map(answered));
      const wasWriting = isWriting;
      const changes = await page(id, cursor, { count: 1 + ((pages * 13) % 40) });
      const rows = [...changes.added, ...changes.modified];
      expect(new Set(rows.map(({ transactionId }) => transactionId)).size).toBe(rows.length);
      for (const { transactionId, paymentNotes } of rows) {
        expect(Number(paymentNotes)).toBeGreaterThanOrEqual(known.get(transactionId) ?? 0);
        known.set(transactionId, Number(paymentNotes));
      }
      cursor = changes.nextCursor;
      pages += 1;
      if (changes.hasMore) continue;
      for (const [transactionId, version] of expected) {
        expect(known.get(transactionId) ?? 0).toBeGreaterThanOrEqual(version);
      }
      if (!wasWriting) break;
    }
    expect(known).toEqual(answered);
    const rows = new Map<unknown, unknown>();
    await readAll(id, rows);
    expect(rows).toEqual(await readList(id));
  });
});

interface ModelRow {
  id: string;
  seq: number;
  version: number;
  created: number;
  touched: number;
}

/** The rows of an individual by the commits that created and touched them, and a reader's position. */
class CommitModel {
  readonly #rows = new Map<string, ModelRow>();
  #commits = 0;
  #at = { commit: 0, seq: 0 };

  commit(batch: readonly [number, number][]): void {
    const commit = this.#commits + 1;
    for (const [number, version] of batch) {
      const id = `r${number}`;
      const stored = this.#rows.get(id);
      if (stored?.version === version) continue;
      this.#commits = commit;
      if (stored) Object.assign(stored, { version, touched: commit });
      else this.#rows.set(id, { id, seq: this.#rows.size + 1, version, created: commit, touched: commit });
    }
  }

  page(count: number): { ids: string[][]; hasMore: boolean } {
    const { commit, seq } = this.#at;
    const behind = [...this.#rows.values()]
      .filter((each) => each.touched > commit || (each.touched === commit && each.seq > seq))
      .sort((a, b) => a.touched - b.touched || a.seq - b.seq);
    const rows = behind.slice(0, count);
    const isAdded = (each: ModelRow) => each.created > commit || (each.created === commit && each.seq > seq);
    const last = rows.at(-1);
    if (last) this.#at = { commit: last.touched, seq: last.seq };
    return {
      ids: [rows.filter(isAdded), rows.filter((each) => !isAdded(each))].map((some) => some.map(({ id }) => id)),
      hasMore: behind.length > count,
    };
  }
}
