/** Pages from a standby: never older than what the caller has seen, and never those of an erased user. */
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { startReplicated, type Replicated } from '../harness/servers.ts';
import { cloneDatabase, row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

let servers: Replicated;
let service: Service;
beforeAll(async () => {
  servers = await startReplicated(false);
  service = await startService({
    DATABASE_URL: servers.primary.url,
    // One that is down is no reason not to use the other.
    DATABASE_READ_URL: `postgres://postgres@127.0.0.1:1,127.0.0.1:${servers.standby.port}/ledgerline`,
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

const stopReplay = () => servers.standby.ask('select pg_wal_replay_pause()');
const goOnReplaying = () => servers.standby.ask('select pg_wal_replay_resume()');

/** Until the standby has all that the primary has. */
async function caughtUp(): Promise<void> {
  const [{ lsn }] = (await servers.primary.ask('select pg_current_wal_lsn()::text as lsn')) as [{ lsn: string }];
  await until(
    async () => (await servers.standby.ask(`select pg_last_wal_replay_lsn() >= '${lsn}' as is_there`))[0]!.is_there,
  );
}

/** How many reads had which outcome since the last question. */
let before: Record<string, number> = { served: 0, behind: 0, failed: 0 };
async function outcomes(): Promise<Record<string, number>> {
  const { text } = await service.call('/metrics', undefined, { method: 'GET', token: null });
  const now = Object.fromEntries(
    ['served', 'behind', 'failed'].map((outcome) => [
      outcome,
      Number(new RegExp(`ledgerline_standby_reads_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0),
    ]),
  );
  const since = Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - before[name]!]));
  before = now;
  return since;
}

async function recordedIndividual(rows: number): Promise<{ individualId: number; asOf: string; ids: string[] }> {
  const individualId = await service.createUser();
  const transactions = Array.from({ length: rows }, () => row(individualId, { transactionStatus: 'Pending' }));
  await service.record(transactions);
  const { headers } = await service.list({ individualId });
  return {
    individualId,
    asOf: headers.get('as-of')!,
    ids: transactions.map(({ transactionId }) => String(transactionId)),
  };
}

const exportOf = (body: Record<string, unknown>) =>
  service.call('/app/export-transactions', body, { headers: { accept: 'application/x-ndjson' } });

it('a page, totals and an export with a token come from the standby, one without from the primary', async () => {
  const { individualId, asOf } = await recordedIndividual(30);
  await caughtUp();
  await outcomes();
  expect((await service.list({ individualId })).json.transactionCount).toBe(30);
  await exportOf({ individualId });
  expect(await outcomes()).toEqual({ served: 0, behind: 0, failed: 0 });
  const { json } = await service.list({ individualId, asOf, dataBatch: 2 });
  expect([json.transactions.length, json.transactionCount]).toEqual([10, 30]);
  expect((await service.list({ individualId, asOf, search: 't-' })).json.transactionCount).toBe(30);
  expect((await service.call('/app/summarize-transactions', { individualId, asOf })).json.transactionCount).toBe(30);
  expect((await exportOf({ individualId, asOf })).text.trim().split('\n')).toHaveLength(30);
  expect(await outcomes()).toEqual({ served: 4, behind: 0, failed: 0 });
});

it('a standby that is behind is not asked, also when no row is new and one has only changed', async () => {
  const { individualId, ids } = await recordedIndividual(3);
  await caughtUp();
  await stopReplay();
  await outcomes();
  await service.record([row(individualId, { transactionId: ids[0], transactionStatus: 'Accepted' })]);
  const first = await service.list({ individualId });
  const asOf = first.headers.get('as-of')!;
  const again = await service.list({ individualId, asOf });
  expect(again.json).toEqual(first.json);
  expect(again.text).toContain('"Accepted"');
  expect((await exportOf({ individualId, asOf })).text).toContain('"Accepted"');
  const totals = await service.call('/app/summarize-transactions', { individualId, asOf });
  expect(totals.json.transactionCount).toBe(3);
  expect(await outcomes()).toEqual({ served: 0, behind: 3, failed: 0 });
  await goOnReplaying();
  await caughtUp();
  expect((await service.list({ individualId, asOf })).json).toEqual(first.json);
  expect(await outcomes()).toEqual({ served: 1, behind: 0, failed: 0 });
});

it('an erased user has no page any more, though the standby still has all of them', async () => {
  const { individualId, asOf } = await recordedIndividual(5);
  await caughtUp();
  await stopReplay();
  expect((await service.call(`/User/${individualId}`, undefined, { method: 'DELETE' })).status).toBe(204);
  for (const answer of [
    await service.list({ individualId, asOf }),
    await service.call('/app/summarize-transactions', { individualId, asOf }),
    await exportOf({ individualId, asOf }),
  ]) {
    expect([answer.status, answer.json.errors]).toEqual([400, { Error: ['Unknown individual.'] }]);
  }
  await goOnReplaying();
});

it('a start with a standby in DATABASE_URL is refused with a sentence that says why', async () => {
  await caughtUp();
  await expect(startService({ DATABASE_URL: servers.standby.url })).rejects.toThrow(
    /cannot be used: it is a read-only standby \(25006\)\. Name the primary in DATABASE_URL, or all hosts, separated by commas\./,
  );
});

it('pages never go back in time while rows arrive and change, whoever answers', { timeout: 120_000 }, async () => {
  const { individualId, ids } = await recordedIndividual(40);
  let isDone = false;
  const writing = (async () => {
    for (let round = 0; round < 40; round += 1) {
      await service.record([
        row(individualId),
        row(individualId, { transactionId: ids[round], transactionStatus: 'Accepted' }),
      ]);
      if (round % 10 === 3) await stopReplay();
      if (round % 10 === 8) await goOnReplaying();
    }
    isDone = true;
  })();
  const reading = Array.from({ length: 4 }, async () => {
    let accepted = 0;
    while (!isDone) {
      const asOf = (await service.list({ individualId })).headers.get('as-of')!;
      const { json } = await service.list({ individualId, asOf, dataBatchCount: 1000 });
      const now = json.transactions.filter(
        (each: { transactionId: string; transactionStatus: string }) =>
          ids.includes(each.transactionId) && each.transactionStatus === 'Accepted',
      ).length;
      expect(now).toBeGreaterThanOrEqual(accepted);
      accepted = now;
      await sleep(sized(10, 0));
    }
  });
  await Promise.all([writing, ...reading]);
  await goOnReplaying();
  const { served, behind } = await outcomes();
  expect(served).toBeGreaterThan(0);
  expect(behind).toBeGreaterThan(0);
});

it('a standby that dies makes no read fail', async () => {
  const { individualId, asOf } = await recordedIndividual(5);
  await caughtUp();
  await servers.standby.crash();
  for (let round = 0; round < 5; round += 1) {
    expect((await service.list({ individualId, asOf })).json.transactionCount).toBe(5);
  }
});

// Where tables are distributed, the service does not start with a DATABASE_READ_URL.
describe.skipIf(inject('citusNodes').length > 0)(
  'a standby is not asked for anything if DATABASE_READ_URL leads to',
  () => {
    const run = async (url: string, statement: string) => {
      const sql = postgres(url, { max: 1 });
      return sql.unsafe(statement).finally(() => sql.end());
    };

    it.each([
      {
        what: 'another database of the same server',
        async make() {
          const other = await cloneDatabase();
          onTestFinished(other.drop);
          await run(other.url, 'update ledgerline.event_log set generation = gen_random_uuid()');
          return other.url;
        },
      },
      {
        // With the same generation of events, as a restored dump has it.
        what: 'a restored copy on the same server',
        async make() {
          const other = await cloneDatabase();
          onTestFinished(other.drop);
          return other.url;
        },
      },
      {
        what: 'a copy of the database on another server',
        async make(url: string) {
          const [found] = await run(url, 'select generation from ledgerline.event_log');
          await run(servers.primary.url, `update ledgerline.event_log set generation = '${found!.generation}'`);
          return servers.primary.url;
        },
      },
    ])('$what', async ({ make }) => {
      const own = await cloneDatabase();
      onTestFinished(own.drop);
      const here = await serviceForTest({ DATABASE_URL: own.url, DATABASE_READ_URL: await make(own.url) });
      const individualId = await here.createUser();
      await here.record([row(individualId)]);
      const asOf = (await here.list({ individualId })).headers.get('as-of')!;
      expect((await here.list({ individualId, asOf })).json.transactionCount).toBe(1);
      const { text } = await here.call('/metrics', undefined, { method: 'GET', token: null });
      expect(text).not.toMatch(/standby_reads_total\{[^}]*\} [1-9]/);
    });
  },
);
