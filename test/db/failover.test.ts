/** The primary dies and a standby takes over. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { isMeasured, noteFigures } from '../harness/figures.ts';
import { startReplicated, type Replicated } from '../harness/servers.ts';
import { row, serviceForTest, startService, type Service } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

/** Both hosts, in an order in which the first one is the wrong one. */
const bothHosts = ({ primary, standby }: Replicated) =>
  `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/ledgerline`;

const ready = async (service: Service) =>
  (await service.call('/health/ready', undefined, { method: 'GET', token: null })).status;

/** Asked so often in a row that every process has answered. */
async function readyTimes(service: Service, times: number): Promise<number[]> {
  const statuses = [];
  for (let time = 0; time < times; time += 1) statuses.push(await ready(service));
  return statuses;
}

/** Between two records. Where it is measured how long nothing is written, there is none. */
const pauseMilliseconds = isMeasured ? 0 : sized(20, 0);

/** Records a transaction at a time until it is told to stop, and notes what was said yes to. */
function recordAlong(service: Service, individualId: number) {
  const acknowledged: string[] = [];
  const refused: number[] = [];
  let isStopped = false;
  const running = (async () => {
    for (let number = 0; !isStopped; number += 1) {
      const transactionId = `along-${number}`;
      const { status, json } = await service.record([row(individualId, { transactionId })]);
      if (status === 200 && json.results[0].result === 'created') acknowledged.push(transactionId);
      else refused.push(status);
      await sleep(pauseMilliseconds);
    }
  })();
  return {
    acknowledged,
    refused,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

it(
  'nothing that was acknowledged is lost, and the service finds the new primary by itself',
  { timeout: 240_000 },
  async () => {
    const servers = await startReplicated(true);
    onTestFinished(servers.stop);
    const service = await serviceForTest({ DATABASE_URL: bothHosts(servers) });
    const individualId = await service.createUser();
    const along = recordAlong(service, individualId);
    await until(() => along.acknowledged.length >= 20);

    await servers.primary.crash();
    const crashedAt = performance.now();
    await until(async () => (await ready(service)) === 503, 100);
    // The standby answers, but takes no writes: the service must not take it for the database.
    await until(() => along.refused.length >= 5);
    expect([...new Set(along.refused)]).toEqual([503]);
    await until(async () => (await readyTimes(service, 5)).every((status) => status === 503), 100);

    await servers.standby.promote();
    const promotedAt = performance.now();
    const before = along.acknowledged.length;
    await until(() => along.acknowledged.length > before);
    const healedAt = performance.now();
    await until(() => along.acknowledged.length >= before + 20);
    await along.stop();
    expect(await ready(service)).toBe(200);
    const { json } = await service.list({ individualId, dataBatchCount: 1000 });
    const listed = new Set(json.transactions.map(({ transactionId }: { transactionId: string }) => transactionId));
    const lost = along.acknowledged.filter((transactionId) => !listed.has(transactionId));
    noteFigures('failover', {
      acknowledged: along.acknowledged.length,
      lost: lost.length,
      awaySeconds: (healedAt - crashedAt) / 1000,
      healingSeconds: (healedAt - promotedAt) / 1000,
    });
    expect(lost).toEqual([]);

    // The old primary comes back and takes itself for the primary still. It is on an older timeline.
    await servers.primary.start();
    const again = await startService({ DATABASE_URL: bothHosts(servers), DATABASE_READ_URL: servers.primary.url });
    onTestFinished(() => again.stop());
    const created = await again.createUser();
    expect(await servers.standby.ask(`select from ledgerline.users where id = ${created}`, 'ledgerline')).toHaveLength(
      1,
    );
    const asOf = (await again.list({ individualId })).headers.get('as-of')!;
    expect((await again.list({ individualId, asOf })).status).toBe(200);
    const { text } = await again.call('/metrics', undefined, { method: 'GET', token: null });
    expect(text).not.toMatch(/standby_reads_total\{[^}]*\} [1-9]/);
  },
);

/** In milliseconds, of `src/db/sessions/route.ts`: 400 on average. */
const [shortestPause, longestPause] = [200, 600];

it('hosts that accept and close, or refuse, are asked no more often than the pause allows', async () => {
  const connectedAt: number[] = [];
  const closing = createServer((socket: Socket) => {
    connectedAt.push(performance.now());
    socket.destroy();
  });
  await once(closing.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void closing.close());
  const { port } = closing.address() as AddressInfo;
  const db = openDatabase({
    url: `postgres://x@127.0.0.1:${port},127.0.0.1:1/x`,
    connections: 16,
    statementSeconds: 5,
  });
  onTestFinished(() => db.close());
  // To close the database during the pause of a search takes seconds, so the last pause is waited for.
  const isMeasured = () => connectedAt.length >= 3 && performance.now() - connectedAt.at(-1)! > longestPause;
  // Callers that come all the time: each gets its answer, and none of them causes a connection of its own.
  const ask = async () => {
    while (!isMeasured()) {
      await Promise.resolve()
        .then(() => db.read`select 1`)
        .catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all(Array.from({ length: 10 }, ask));
  // Each search has one connection to this host, and ends with the pause. A busy machine makes the gaps longer only.
  const gaps = connectedAt.slice(1).map((at, index) => at - connectedAt[index]!);
  expect(Math.min(...gaps)).toBeGreaterThan(shortestPause - 10);
});
