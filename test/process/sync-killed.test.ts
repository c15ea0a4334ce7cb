/** A reader that syncs while imports are killed and run again, and other writers write: it has exactly the table. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { createRecordStore } from '../../src/transactions/record/record.store.ts';
import { createSyncStore } from '../../src/transactions/sync/sync.store.ts';
import { syncStart, type SyncPosition } from '../../src/transactions/sync/sync-cursor.ts';
import { recordedRow } from '../citus/recorded-row.ts';
import { importDatabase } from '../harness/database/import-database.ts';
import { row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

const database = importDatabase();
const { env, newIndividual, file } = database;
const main = fileURLToPath(new URL('../../dist/ledgerline.js', import.meta.url));

const importedRows = sized(10_000, 20_000);
const idOf = (index: number) => `i${index}`;

it(
  'imports are killed again and again while two writers change rows: the reader misses nothing and never goes back',
  { timeout: 180_000 },
  async () => {
    const id = await newIndividual();
    const db = openDatabase({ url: env.DATABASE_URL!, connections: 6, statementSeconds: 60 });
    onTestFinished(db.close);
    const records = createRecordStore(db);
    const reader = new Reader(createSyncStore(db), id);
    const rows = Array.from({ length: importedRows }, (_, index) =>
      row(id, { transactionId: idOf(index), transactionStatus: 'Odd', paymentNotes: '0' }),
    );
    const target = await file('sync.ndjson', rows.map((each) => JSON.stringify(each)).join('\n'));

    let isWriting = true;
    const reading = (async () => {
      while (isWriting) {
        await reader.readPage(randomInt(1, 1000));
        if (randomInt(4) === 0) await new Promise((resolve) => setTimeout(resolve, randomInt(30)));
      }
    })();
    /** Adds rows and changes imported ones, with a note that only grows. */
    const write = async (writer: number) => {
      for (let batch = 1; isWriting; batch += 1) {
        const changed = Array.from({ length: randomInt(1, 80) }, () =>
          recordedRow(id, {
            transactionId: randomInt(2) === 0 ? idOf(randomInt(importedRows)) : `w${writer}-${batch}`,
            transactionStatus: 'Odd',
            paymentNotes: String(2 * batch + writer),
            ...(randomInt(3) === 0 && { reference: `r-${batch}` }),
          }),
        );
        await records.recordBatch(changed, new Date());
      }
    };
    const writing = Promise.all([write(0), write(1)]);

    const countImported = () => [...reader.rows.keys()].filter((key) => key.startsWith('i')).length;
    const isCopying = async () => {
      const found = await database.sql`
        select from pg_stat_activity where datname = current_database() and query like 'copy transactions%'`;
      return found.length > 0;
    };
    for (let round = 0; round < sized(2, 4); round += 1) {
      const before = countImported();
      const child = spawn(process.execPath, [main, 'import', target], {
        env: { PATH: process.env.PATH!, ...env },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      // While a batch is being written, or after one was committed: the writers add few of the imported rows.
      const hasCommitted = () => countImported() > before + importedRows / 10;
      await until(async () => child.exitCode !== null || (round % 2 === 0 ? isCopying() : hasCommitted()));
      killIfRunning(child);
      await ended;
    }
    isWriting = false;
    await Promise.all([reading, writing]);

    await reader.readToEnd();
    const found = await database.sql`
      select t.transaction_id as id, t.body, d.details from transactions t
      left join transaction_details d on d.individual_id = t.individual_id and d.seq = t.seq
      where t.individual_id = ${id}`;
    expect(found.length).toBeGreaterThan(1000);
    const expected = new Map(
      found.map(({ id: key, body, details }) => [key, { ...JSON.parse(body), ...JSON.parse(details ?? '{}') }]),
    );
    expect(reader.rows.size).toBe(expected.size);
    for (const [key, value] of expected) expect(reader.rows.get(key)).toEqual(value);
  },
);

function killIfRunning(child: ChildProcess): void {
  if (child.exitCode === null) child.kill('SIGKILL');
}

/** Follows the position, and keeps rows by their id. */
class Reader {
  readonly #store: ReturnType<typeof createSyncStore>;
  readonly #individualId: number;
  #after: SyncPosition = syncStart;
  readonly rows = new Map<string, Record<string, unknown>>();

  constructor(store: ReturnType<typeof createSyncStore>, individualId: number) {
    this.#store = store;
    this.#individualId = individualId;
  }

  async readPage(count: number): Promise<boolean> {
    const page = (await this.#store.readPage({
      individualId: this.#individualId,
      after: this.#after,
      count,
      hasDetails: true,
    }))!;
    const rows = JSON.parse(`[${[page.added, page.modified].filter(({ length }) => length > 0).join(',')}]`) as Record<
      string,
      unknown
    >[];
    expect(rows.length).toBeLessThanOrEqual(count);
    expect(new Set(rows.map(({ transactionId }) => transactionId)).size).toBe(rows.length);
    for (const each of rows) this.rows.set(String(each.transactionId), each);
    this.#after = page.last ?? this.#after;
    return page.hasMore;
  }

  async readToEnd(): Promise<void> {
    while (await this.readPage(1000));
  }
}
